import Foundation
import GRDB
import Management
import Testing

/// A stored value takes effect even if a group's rule that uses it cannot be judged.
struct FailedJudgementTests {
    private static let signer = Data(repeating: 31, count: 32)
    private static let rule = "device.attributes.location = Lobby"

    private let fixture: Fixture

    /// A device whose configuration has an attribute in it, and a group whose rule this server cannot read.
    init() async throws {
        fixture = try Fixture()
        try await fixture.enrol("D0", signer: Self.signer, serial: "S0")
        try await fixture.assign(value: "in ${device.attributes.location} of ${person.department}")
        let rule = try GroupRule(parsing: Self.rule)
        _ = try #require(await fixture.management.createGroup(named: "lobby", rule: rule, author: "admin").value)
        try await write(rule: "a newer server's")
    }

    private func write(rule: String) async throws {
        try await fixture.betweenServers {
            try $0.execute(sql: "UPDATE device_group SET rule = ? WHERE name = 'lobby'", arguments: [rule])
        }
    }

    private func token() async throws -> String {
        let device = try #require(await fixture.management.device("D0"))
        return try await fixture.management.manifest(of: device).declarationsToken
    }

    private func person(_ name: String, of department: String) -> Person {
        Person(userName: name, details: [.department: department])
    }

    private func configure() async throws {
        let management = try fixture.management
        _ = try await management.putPerson(person("anna", of: "Forest"), author: "admin")
        #expect(try await management.setPerson("anna", ofDevice: "D0", author: "admin") == nil)
    }

    /// Red if the change is answered as a failure, the device gets the former value, or the device is not judged later.
    @Test(arguments: [false, true]) func aChangedAttributeIsServed(byTable: Bool) async throws {
        try await configure()
        let management = try fixture.management
        let before = try await token()
        let isCalled = try await fixture.callsWhoJudges {
            if byTable {
                let table = Data("device,location\nD0,Lobby\n".utf8)
                let outcome = try await management.importAttributes(table, dryRun: false, author: "admin")
                #expect(outcome.value?.changed == 1)
            } else {
                let outcome = try await management.changeAttributes(
                    .mentioned(["location": .becomes("Lobby")]), of: "D0", author: "admin")
                #expect(outcome.value?.values == ["location": "Lobby"])
            }
        }
        #expect(isCalled)
        #expect(try await token() != before)
        #expect(try await management.device("D0")?.groups == ["all"])

        try await write(rule: Self.rule)
        try await fixture.management.judgeGroups()
        #expect(try await fixture.management.device("D0")?.groups == ["all", "lobby"], "it is judged later")
    }

    /// The same for a person's values, and for the assignment of a device to a person.
    @Test func aChangedPersonIsServed() async throws {
        let management = try fixture.management
        _ = try await management.changeAttributes(
            .mentioned(["location": .becomes("Lobby")]), of: "D0", author: "admin")
        var tokens = [try await token()]
        try await configure()
        tokens.append(try await token())
        let changed = try await management.putPerson(person("anna", of: "Lake"), author: "admin")
        #expect(changed.value != nil)
        tokens.append(try await token())
        #expect(Set(tokens).count == 3)
    }
}
