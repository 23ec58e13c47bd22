import AdminMessages
import Foundation
import Testing
import martlet

/// People read moments as dates, never as seconds since 1970; programs read both in JSON.
struct TimeTextTests {
    private static let moment = Date(timeIntervalSince1970: 1_700_000_000)

    private static let texts: [(String, String)] = [
        (
            "device",
            DeviceText(
                DeviceDetail(
                    id: "U-1", kind: .device, ownership: .organization, supervised: true, groups: [], state: .enrolled,
                    enrolled: moment, lastSeen: moment,
                    identity: DeviceIdentity(expires: moment, state: .good, moment: moment),
                    declarationsToken: DeclarationsTokenPair(current: "t"),
                    signIn: DeviceSignIn(since: moment, needed: false),
                    atRest: AtRest(
                        keyHolder: "tpm", olderCopyNoticed: moment, damageNoticed: moment, damageReplaced: moment))
            ).text()
        ),
        (
            "devices",
            DeviceListText.table([
                DeviceSummary(
                    id: "U-1", kind: .device, ownership: .organization, supervised: true, groups: [], state: .enrolled,
                    lastSeen: moment, synchronised: true)
            ]).text()
        ),
        (
            "explanation",
            EffectiveText(
                DeviceEffective(
                    device: "U-1", hypothetical: false, groups: [],
                    apps: [
                        EffectiveApp(
                            identifier: "a.b", name: "A", given: true, install: "required",
                            assignments: [
                                EffectiveAssignment(
                                    group: "g", priority: 0, assigned: moment, counts: true, why: "it counts")
                            ])
                    ])
            ).text()
        ),
        (
            "health",
            HealthText(
                Health(
                    ready: true, certificates: [ServerCertificate(name: "server", expires: moment)], databaseBytes: 1,
                    logBytes: 0, waitingWrites: 0, wakeStreams: 0,
                    webhooks: WebhookCounts(active: 0, failing: 0, disabled: 0))
            ).text
        ),
    ]

    @Test(arguments: texts) func aMomentIsADate(name: String, text: String) {
        #expect(text.contains("2023-11-14T22:13:20Z"), "\(name): \(text)")
        #expect(text.firstMatch(of: /\d{10}/) == nil, "\(name): \(text)")
    }

    /// Red where a command writes the seconds of a moment into its text.
    @Test func noCommandWritesSecondsOfAMoment() throws {
        let tree = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
        for folder in ["Sources/Admin/martlet", "Sources/Device/martlet-agent", "Sources/Server/martlet-server"] {
            let files = try #require(
                FileManager.default.enumerator(at: tree.appending(path: folder), includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(text.firstMatch(of: /\\\([^)\n]*timeIntervalSince1970/) == nil, "\(file.lastPathComponent)")
            }
        }
    }
}
