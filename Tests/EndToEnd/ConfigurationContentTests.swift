import Foundation
import Testing

/// What an administrator sent and what an app never seen before decodes, compared over the whole road.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct ConfigurationContentTests {
    /// S4-DATA-02, S4-FLOW-12, S4-FLOW-05: every type of property list arrives equal, and the app has a copy.
    @Test func whatTheDecoderSeesEqualsWhatWasSent() async throws {
        try await withEcho { echo, road in
            try await echo.configure(dictionary: Self.everyType)
            try await echo.assign()
            try await road.synchronised()
            let app = try echo.open("any")
            let first = try await app.line(after: 0, "the first element", where: isAnElement)
            #expect(first.text == "value " + Self.everyTypeDecoded)
            // The app changed its copy; who asks again gets what was sent.
            let again = try await app.line(containing: "again ")
            #expect(again.text == "again \(Self.everyTypeDecoded), mine is \"changed by the app\"")

            // The same dictionary as a binary property list is the same to the app; its nested neighbour is not.
            let xml = Data("<plist version=\"1.0\"><dict>\(Self.everyType)</dict></plist>".utf8)
            let value = unsafe try PropertyListSerialization.propertyList(from: xml, format: nil)
            let binary = try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
            var mark = app.mark
            try await echo.configure(binary)
            let second = try await app.line(after: mark, "a new element", where: isAnElement)
            #expect(second.text == "value " + Self.everyTypeDecoded)
            mark = app.mark
            try await echo.configure(dictionary: Self.unusual)
            let third = try await app.line(after: mark, "a new element", where: isAnElement)
            #expect(third.text == "value " + Self.unusualDecoded)
        }
    }

    /// S4-BP-01: a warning above 100 kB; 1,048,576 bytes as sent reach the app, one byte more is refused in words.
    @Test func aMebibyteReachesTheAppAndOneByteMoreIsRefused() async throws {
        try await withEcho { echo, road in
            #expect(try await !echo.configure(Self.list(of: 100_000)).contains("warning"))
            #expect(try await echo.configure(Self.list(of: 100_001)).contains("warning: "))
            try await echo.assign()
            let app = try echo.open("any")
            let largest = try await echo.configure(Self.list(of: 1_048_576))
            #expect(largest.contains("1048576 bytes") && largest.contains("warning: "))
            let text = Self.filling(of: 1_048_576)
            let arrived = try await app.line(after: 0, "the largest configuration") {
                $0.utf8.count == #"value {"text":""}"#.utf8.count + text
            }
            #expect(arrived.text.hasPrefix(#"value {"text":"aaaa"#) && arrived.text.hasSuffix(#"a"}"#))

            let mark = app.mark
            let refused = try await echo.refused(Self.list(of: 1_048_577))
            #expect(refused.contains("1,048,576") || refused.contains("1048576"), "\(refused)")
            // Nothing already accepted is lost: the app hears nothing until the next configuration.
            try await echo.configure(dictionary: "<key>text</key><string>after</string>")
            let next = try await app.line(after: mark, "the next element", where: isAnElement)
            #expect(next.text == #"value {"text":"after"}"#)
        }
    }

    private func withEcho(_ body: (RoadApp, Road) async throws -> Void) async throws {
        try await Road.with { road in
            let echo = try await RoadApp.installed("EchoApp", as: "com.example.echo", on: road)
            try await road.enroll()
            try await body(echo, road)
        }
    }

    // MARK: What is sent

    private static let everyType = """
        <key>text</key><string>plain &amp; &lt;marked&gt; \u{FC}\u{1F3DE} </string>
        <key>empty text</key><string></string>
        <key>integer</key><integer>-42</integer>
        <key>smallest</key><integer>-9223372036854775808</integer>
        <key>largest</key><integer>9223372036854775807</integer>
        <key>unsigned</key><integer>18446744073709551615</integer>
        <key>real</key><real>0.1</real>
        <key>small real</key><real>5e-324</real>
        <key>yes</key><true/><key>no</key><false/>
        <key>date</key><date>2026-02-28T23:59:59Z</date>
        <key>data</key><data>AAEC/f7/</data>
        <key>empty data</key><data></data>
        <key>array</key><array><integer>1</integer><string>1</string><true/><real>1.5</real></array>
        <key>empty array</key><array/>
        <key>dictionary</key><dict><key>b</key><dict/><key>a</key><array><dict/></array></dict>
        """
    private static let everyTypeDecoded =
        #"{"array":[1,"1",true,real(1.5)],"data":data(AAEC/f7/),"date":date(1772323199.0),"#
        + #""dictionary":{"a":[{}],"b":{}},"empty array":[],"empty data":data(),"empty text":"","integer":-42,"#
        + #""largest":9223372036854775807,"no":false,"real":real(0.1),"small real":real(5e-324),"#
        + #""smallest":-9223372036854775808,"text":"plain & <marked> \u{fc}\u{1f3de} ","#
        + #""unsigned":18446744073709551615,"yes":true}"#

    // Keys that look like ours, like Apple's and like nothing; nesting close to the bound; a root key of many names.
    private static let depth = 40
    private static let unusual = """
        <key></key><string>the empty key</string>
        <key>configuration</key><dict><key>configuration</key><integer>1</integer></dict>
        <key>PayloadContent</key><array><array><array/></array></array>
        <key>$class</key><string>$objects</string>
        <key>a.b[0] \u{E9}\u{65}\u{301}</key><dict><key>com.apple.\u{1F3DE}</key><integer>3</integer></dict>
        <key>deep</key>\(String(repeating: "<array>", count: depth))<true/>\(String(repeating: "</array>", count: depth))
        """
    private static let unusualDecoded =
        #"{"":"the empty key","$class":"$objects","PayloadContent":[[[]]],"#
        + #""a.b[0] \u{e9}e\u{301}":{"com.apple.\u{1f3de}":3},"configuration":{"configuration":1},"deep":"#
        + String(repeating: "[", count: depth) + "true" + String(repeating: "]", count: depth) + "}"

    private static let shell = ("<plist version=\"1.0\"><dict><key>text</key><string>", "</string></dict></plist>")

    private static func filling(of size: Int) -> Int { size - shell.0.utf8.count - shell.1.utf8.count }

    private static func list(of size: Int) -> Data {
        Data((shell.0 + String(repeating: "a", count: filling(of: size)) + shell.1).utf8)
    }
}

/// Whether a line of the echo app is an element of its sequence.
func isAnElement(_ line: String) -> Bool { line == "nil" || line.hasPrefix("value ") }
