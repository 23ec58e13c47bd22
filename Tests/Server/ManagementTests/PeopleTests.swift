import Foundation
import GRDB
import InputBounds
import Management
import Testing

/// People: what is known of them, how they come in, and who they are on the record.
struct PeopleTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func bring(
        _ table: String, removesEmpty: Bool = false, dryRun: Bool = false
    ) async throws -> Outcome<PeopleChange, AdminRefusal> {
        try await fixture.management.importPeople(
            Data(table.utf8), removesEmpty: removesEmpty, dryRun: dryRun, author: "admin")
    }

    private func people() async throws -> [Person] {
        try await fixture.management.people(PageRequest()).items.map(\.person)
    }

    @Test func aTableAddsAndChangesPeople() async throws {
        let first = try await bring("userName,fullName,email\nanna,Anna Graf,anna@example.com\nben,,\n")
        #expect(first.value?.added == 2)
        let second = try await bring(
            "email,userName,department\nanna@example.org,anna,Forest\n,ben,\n,cleo,\"Lakes, \"\"North\"\"\"\n")
        #expect(second.value?.added == 1 && second.value?.unchanged == 1)
        #expect(second.value?.changed.map(\.new.userName) == ["anna"])
        #expect(
            try await people() == [
                Person(
                    userName: "anna",
                    details: [.fullName: "Anna Graf", .email: "anna@example.org", .department: "Forest"]),
                Person(userName: "ben"), Person(userName: "cleo", details: [.department: "Lakes, \"North\""]),
            ])
        let entries = try await fixture.management.auditEntries(AuditFilter(action: .setPerson), PageRequest())
        #expect(entries.items.map(\.subject) == ["cleo", "anna", "ben", "anna"])
    }

    /// Red: a table with other columns took away everything for which it has none, and so did an empty field.
    @Test func whatATableDoesNotMentionStaysUntilItIsTakenAway() async throws {
        _ = try await bring("userName,fullName,email\nanna,Anna Graf,anna@example.com\n")
        let table = "userName,department,email\nanna,Forest,\n"
        let all: [Person.Detail: String] = [
            .fullName: "Anna Graf", .email: "anna@example.com", .department: "Forest",
        ]
        #expect(try await bring(table).value?.changed.count == 1)
        #expect(try await people() == [Person(userName: "anna", details: all)])
        #expect(try await bring(table).value?.unchanged == 1)
        #expect(try await bring(table, removesEmpty: true, dryRun: true).value?.changed.count == 1)
        #expect(try await bring(table, removesEmpty: true).value?.changed.count == 1)
        #expect(
            try await people() == [Person(userName: "anna", details: [.fullName: "Anna Graf", .department: "Forest"])],
            "what has no column stays all the same")
    }

    /// All or nothing, and the place is named.
    @Test(arguments: [
        ("userName,email\nanna,\n\n", "line 3: the line is empty"),
        ("userName,email\nanna,a@b\nben,nothing\n", "line 3, column 2: a person's email has one @"),
        ("userName\nanna\nben\nanna\n", "line 4, column 1: line 2 has the same user name"),
        ("userName\nanna\n\"\"\n", "line 3, column 1: a user name is 1 to 256 bytes"),
        ("userName,mail\nanna,a@b\n", "line 1, column 2: a column is userName or one of fullName,"),
        ("fullName\nAnna\n", "line 1: there is no column userName"),
        ("userName\n anna\n", "line 2, column 1: a user name neither begins nor ends with a space"),
        ("userName\n\"an\nna\"\n", "line 2, column 1: a user name has no control characters"),
    ])
    func aTableWithOneMistakeBringsNobody(table: String, place: String) async throws {
        let refusal = try await bring(table).refusal
        #expect(refusal?.reason.hasPrefix("The table is refused, \(place)") == true, "\(refusal?.reason ?? "taken")")
        #expect(refusal?.kind == .invalid)
        #expect(try await people().isEmpty)
    }

    /// A store that fails in the middle keeps whole parts, and whoever asked hears how much.
    @Test func aTableIsWrittenInPartsAndWhatWasKeptIsSaid() async throws {
        let table = "userName\n" + (1...1_100).map { "p\($0)" }.joined(separator: "\n")
        try fixture.closeStore()
        let database = try DatabaseQueue(path: fixture.databasePath)
        func execute(_ sql: String) throws { try database.write { try $0.execute(sql: sql) } }
        try execute(
            "CREATE TRIGGER broken BEFORE INSERT ON person WHEN NEW.user_name = 'p700' BEGIN SELECT RAISE(ABORT, 'x'); END"
        )
        try fixture.reopen()
        await #expect(throws: PartlyImported(kept: 500, of: 1_100)) { try await bring(table) }
        #expect(try await fixture.management.person("p500") != nil)
        #expect(try await fixture.management.person("p501") == nil)
        try execute("DROP TRIGGER broken")
        let again = try await bring(table).value
        #expect(again?.added == 600 && again?.unchanged == 500)
        let entries = try await fixture.management.auditEntries(AuditFilter(action: .setPerson), PageRequest(limit: 1))
        #expect(entries.items.map(\.subject) == ["p1100"])
        try database.close()
    }

    @Test func aDryRunSaysWhatItWouldDoAndDoesNothing() async throws {
        _ = try await bring("userName,locale\nanna,de_CH\n")
        let dry = try await bring("userName,locale\nanna,fr_CH\nben,\n", dryRun: true)
        #expect(dry.value?.added == 1 && dry.value?.changed.count == 1)
        #expect(try await people() == [Person(userName: "anna", details: [.locale: "de_CH"])])
        #expect(try await fixture.management.auditEntries(AuditFilter(), PageRequest()).items.count == 1)
    }

    /// What looks the same is the same, however it was typed.
    @Test func aUserNameIsTheSameInEveryFormOfUnicode() async throws {
        let composed = Person(userName: "Ren\u{E9}")
        _ = try await fixture.management.putPerson(composed, author: "admin")
        #expect(try await fixture.management.person("Rene\u{301}")?.person == composed)
        #expect(try await bring("userName\nRene\u{301}\n").value?.unchanged == 1)
    }

    @Test func aPersonWithADeviceStays() async throws {
        let management = try fixture.management
        try await fixture.enrol()
        _ = try await management.putPerson(Person(userName: "anna"), author: "admin")
        #expect(try await management.setPerson("ben", ofDevice: "D1", author: "admin") == .unknownPerson)
        #expect(try await management.setPerson("anna", ofDevice: "D2", author: "admin") == .unknownDevice)
        #expect(try await management.setPerson("anna", ofDevice: "D1", author: "admin") == nil)
        #expect(try await management.person("anna")?.devices == ["D1"])
        #expect(try await management.device("D1")?.person == "anna")
        #expect(try await management.removePerson("anna", author: "admin") == .inUse("devices"))
        #expect(try await management.setPerson(nil, ofDevice: "D1", author: "admin") == nil)
        #expect(try await management.setPerson(nil, ofDevice: "D1", author: "admin") == .unknownPerson)
        #expect(try await management.removePerson("anna", author: "admin") == nil)
        #expect(try await management.removePerson("anna", author: "admin") == .unknownPerson)
        let actions = try await management.auditEntries(AuditFilter(), PageRequest()).items.map(\.action)
        #expect(
            Array(actions.prefix(4)) == ["person.remove", "device.person.remove", "device.person.set", "person.set"])
        #expect(try await management.verifyAudit().fault == nil)
    }

    @Test func theEndOfAnEnrollmentIsTheEndOfThePersonsDevice() async throws {
        let management = try fixture.management
        try await fixture.enrol()
        _ = try await management.putPerson(Person(userName: "anna"), author: "admin")
        _ = try await management.setPerson("anna", ofDevice: "D1", author: "admin")
        _ = try await management.withdraw("D1", author: "admin")
        #expect(try await management.person("anna")?.devices == [])
        #expect(try await management.setPerson("anna", ofDevice: "D1", author: "admin") == .deviceWithdrawn)
    }
}
