import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// What a restore begins: nothing that a device has from the lost time is taken for what it gets now.
struct EraTests {
    private static func era(_ id: String) -> Era {
        Era(id: id, copied: Fixture.start, began: Fixture.start + 1_000)
    }

    private func tokens(_ manifest: Manifest) throws -> [String: String] {
        try manifest.declarations.mapValues { try Declaration(parsing: $0).serverToken }
    }

    @Test func anEraIsInTheTokenOfEveryDeclaration() throws {
        let compiler = ManifestCompiler(baseURL: "https://mdm.example.com", organization: "Example")
        let reference = AssignmentSnapshot.ConfigurationReference(
            sha256: String(repeating: "ab", count: 32), size: 42, encoding: .xml)
        func compiled(_ era: String?) throws -> Manifest {
            let entry = AssignmentSnapshot.Entry(
                app: App(bundleIdentifier: "a.b", name: "n", teamIdentifier: "T"), configuration: reference, order: 1)
            return compiler.compile(AssignmentSnapshot(entries: [entry], changed: .distantPast, era: era))
        }
        let (before, one, other) = (try compiled(nil), try compiled("e1"), try compiled("e2"))
        let all = try [before, one, other].map(tokens)
        #expect(all[0].count > 4 && all[0].keys == all[1].keys && all[1].keys == all[2].keys)
        for name in all[0].keys { #expect(Set(all.map { $0[name] }).count == 3, "\(name)") }
        #expect(Set([before, one, other].map(\.declarationsToken)).count == 3)
        #expect(try compiled("e1") == one)
    }

    /// C4: v2 = A is set and delivered; the backup of before is put back; v2 = B is set.
    ///
    /// Red before: asset and manifest had the tokens of A, and a device that was offline in between kept A forever.
    @Test func aSecretSetAfterARestoreIsNotTakenForTheLostOneOfTheSameNumber() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        try await fixture.assign()
        func set(_ password: String) async throws -> Secret {
            try #require(
                await fixture.management.setSecret(
                    "pin", to: .password(userName: nil, password: password), author: "admin"
                ).value)
        }
        _ = try await set("first")
        let slot = SecretSlot(group: "all", app: "com.example.app", kind: .password, identifier: "login")
        _ = try #require(await fixture.management.assignSecret("pin", to: slot, author: "admin").value)
        let copy = try fixture.backup()

        #expect(try await set("A").current.number == 2)
        let lost = try await fixture.management.manifest(of: ["all"])
        var seen = [lost.declarationsToken]
        for id in ["e1", "e2"] {
            let consequences = try await fixture.restore(copy, Self.era(id))
            #expect(
                consequences
                    == RestoreConsequences(devices: 1, mayHaveRenewed: 0, retiredCommands: 0, secrets: 1))
            #expect(try await set("B").current.number == 2, "the number repeats")
            let manifest = try await fixture.management.manifest(of: ["all"])
            #expect(!seen.contains(manifest.declarationsToken))
            let (old, new) = (try tokens(lost), try tokens(manifest))
            let asset = try #require(new.keys.first { $0.hasPrefix("asset/martlet.secret.") })
            #expect(old[asset] != nil && old[asset] != new[asset])
            seen.append(manifest.declarationsToken)
        }
        let entries = try await fixture.management.auditEntries(AuditFilter(action: .restoreStore), PageRequest()).items
        #expect(entries.first?.details.contains("e2") == true)
        #expect(try await fixture.management.verifyAudit().fault == nil)
    }

    private func enqueue(_ type: String, _ fixture: Fixture) async throws -> QueuedCommand {
        let request = PropertyListValue.dictionary(["RequestType": .string(type)])
        let queued = try await fixture.management.enqueue(request, for: "D1", author: "admin").value
        return try #require(queued)
    }

    /// C6: a command that was carried out after the backup.
    ///
    /// Red before: after the restore it was sent again, under the same UUID, an EraseDevice too.
    @Test func aCommandThatActsIsNotCarriedOutTwice() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        let erase = try await enqueue("EraseDevice", fixture)
        let list = try await enqueue("ProfileList", fixture)
        let copy = try fixture.backup()
        #expect(try await fixture.command(.idle)?.uuid == erase.uuid)
        _ = try await fixture.report(.acknowledged, erase.uuid)

        #expect(try await fixture.restore(copy, Self.era("e1")).retiredCommands == 1)
        #expect(try await fixture.command(.idle)?.uuid == list.uuid)
        let next = try await fixture.command(.acknowledged, list.uuid)
        #expect(next?.requestType != "EraseDevice")
        let retired = try #require(await fixture.management.command(erase.uuid, of: "D1"))
        #expect(retired.state == .retired && retired.finished == Fixture.start + 1_000)
        // A late answer changes nothing.
        _ = try await fixture.report(.acknowledged, erase.uuid)
        #expect(try await fixture.management.command(erase.uuid, of: "D1")?.state == .retired)
        let filter = AuditFilter(action: .retireCommand)
        let entries = try await fixture.management.auditEntries(filter, PageRequest()).items
        #expect(entries.map(\.subject) == ["D1"] && entries.first?.actor == "operator")
        #expect(entries.first?.details.contains(erase.uuid) == true)
    }

    @Test func onlyCommandsThatAskAreHarmlessTwice() {
        for type in ["EraseDevice", "DeviceLock", "InstallProfile", "RemoveProfile", "RestartDevice", "Unknown", ""] {
            #expect(CommandRule.of(type).acts, "\(type)")
        }
        for type in ["DeviceInformation", "ProfileList", "SecurityInfo", "DeviceConfigured"] {
            #expect(!CommandRule.of(type).acts, "\(type)")
        }
    }
}
