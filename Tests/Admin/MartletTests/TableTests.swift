import Testing
import martlet

struct TableTests {
    @Test func makesColumnsAsWideAsTheirWidestCell() {
        var table = Table("NAME", "N")
        table.add("a", "1")
        table.add("longer name", "22")
        #expect(table.text() == "NAME         N\na            1\nlonger name  22")
    }

    @Test func showsAMissingValueAsAHyphen() {
        var table = Table("A", "B")
        table.add(nil, "")
        #expect(table.text() == "A  B\n-  -")
    }

    @Test func countsWideCharactersAsTwoColumns() {
        var table = Table("A", "B")
        table.add("学校", "x")
        table.add("abcd", "y")
        #expect(table.text() == "A     B\n学校  x\nabcd  y")
    }

    @Test func letsNoPeerSteerTheTerminal() {
        var table = Table("A")
        table.add("\u{1B}[2Jx\ny\u{202E}z\u{9B}")
        #expect(table.text() == "A\n\u{FFFD}[2Jx\u{FFFD}y\u{FFFD}z\u{FFFD}")
    }

    @Test func setsTitlesInBoldOnlyWhenAsked() {
        var table = Table("A")
        table.add("x")
        #expect(table.text(bold: true) == "\u{1B}[1mA\u{1B}[0m\nx")
    }

    @Test func wideRowsBecomeLinesOfTheirOwnOnANarrowTerminal() {
        var table = Table("NAME", "N")
        table.add("a", "1")
        table.add("longer name", "22")
        #expect(table.text(within: 15) == table.text())
        #expect(table.text(within: 14) == "NAME  a\nN     1\n\nNAME  longer name\nN     22")
    }

    @Test func alignsTheValuesOfFacts() {
        var facts = Facts()
        facts.add("a", "1")
        facts.add("long", "2")
        facts.add("nothing", nil)
        #expect(facts.text == "a     1\nlong  2")
    }
}
