import Foundation
import InputBounds
import Testing

@testable import Management

/// What is remembered of compiled manifests follows what is assigned, not what devices say of themselves.
struct ManifestCacheTests {
    private static let most = 64

    @Test func aDeviceThatMakesVersionsUpFillsNoMemory() throws {
        let app = App(bundleIdentifier: "com.example.app", name: "A", teamIdentifier: "TEAM123456")
        let sources = (1...300).map { number in
            AppSource(
                platform: .linux, location: .manifest(url: "https://example.org/a.plist"),
                minimumOS: SystemVersion([number]))
        }
        let snapshot = AssignmentSnapshot(
            entries: [AssignmentSnapshot.Entry(app: app, configuration: nil, order: 1, sources: sources)],
            changed: .distantPast)
        let entry = ManifestCache.AssignedEntry(groups: ["all"], assigned: Assigned(snapshot))
        let compiler = ManifestCompiler(baseURL: "https://mdm.example.com", organization: "Example")
        var number: UInt64 = 0
        func ask(_ version: Int) -> ManifestCache.GroupEntry {
            let audience = DeviceAudience(platform: .linux, osVersion: SystemVersion([version]))
            return entry.entry(
                for: audience,
                number: {
                    number += 1
                    return number
                }, compiler)
        }
        for version in 1...300 {
            let first = ask(version)
            #expect(ask(version).number == first.number, "asked again it is compiled once")
            #expect(entry.entries.count <= Self.most)
        }
        #expect(entry.entries.contains { $0.number == number }, "the newest is kept")
    }

    /// A person's device and one of the organization share no manifest where a kind of setting asks for the owner.
    ///
    /// Red where the owner does not tell audiences apart: the second one would be given what the first one was.
    @Test func thePersonsDeviceHasAManifestOfItsOwnWhereTheOwnerCounts() {
        func counted(_ kind: String, _ payload: JSONValue) -> Int {
            let setting = AssignedSetting(
                assignment: SettingAssignment(
                    group: "all", kind: kind, setting: "one", priority: 0, assigned: .distantPast, order: 1),
                version: 1, payload: payload, summary: "")
            let snapshot = AssignmentSnapshot(entries: [], settings: [setting], changed: .distantPast)
            let entry = ManifestCache.AssignedEntry(groups: ["all"], assigned: Assigned(snapshot))
            let compiler = ManifestCompiler(baseURL: "https://mdm.example.com", organization: "Example")
            let tokens = [false, true].map { isOfAPerson in
                let audience = DeviceAudience(takenTypes: SettingKind.types, isOfAPerson: isOfAPerson)
                return entry.entry(for: audience, number: { 1 }, compiler).plain.manifest.declarationsToken
            }
            #expect(entry.entries.count == Set(tokens).count)
            return Set(tokens).count
        }
        #expect(counted("login-message", .object(["text": .string("Welcome")])) == 2)
        #expect(counted("root-certificate", .object([:])) == 1, "the owner does not count")
    }
}
