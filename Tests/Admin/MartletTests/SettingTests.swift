import AdminMessages
import Foundation
import Testing
import martlet

/// What of a file goes to the server as a setting, and how settings read.
struct SettingTests {
    private static let kind = "root-certificate"
    /// No certificate: what is one is the server's to say.
    private static let der = Data((0..<200).map { UInt8($0) })
    private static let pem =
        "-----BEGIN CERTIFICATE-----\n"
        + der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        + "\n-----END CERTIFICATE-----\n"
    private static let moment = Date(timeIntervalSince1970: 1_795_000_000)

    private func payload(_ text: String, kind: String = "root-certificate") throws -> JSON {
        try SettingPayload.read(Data(text.utf8), kind: kind, path: "proxy.pem")
    }

    private func setting(_ text: String = "text") -> Setting {
        Setting(
            kind: Self.kind, name: "proxy", version: 3, payload: .object(["certificate": .string(text)]),
            summary: "CN=Proxy", author: "admin", changed: Self.moment)
    }

    @Test func aCertificateIsTheSamePayloadWhateverItsForm() throws {
        let expected = JSON.object(["certificate": .string(Self.pem)])
        #expect(try SettingPayload.read(Self.der, kind: Self.kind, path: "proxy.der") == expected)
        #expect(try payload("subject=CN = Proxy\n" + Self.pem) == expected)
        let json = String(decoding: try AdminJSON.encode(expected), as: UTF8.self)
        #expect(try payload("\n " + json) == expected)
    }

    /// A private key that lies beside the certificate stays where it is.
    @Test func onlyTheCertificateOfAFileIsSent() throws {
        let key = "-----BEGIN PRIVATE KEY-----\nplanted\n-----END PRIVATE KEY-----\n"
        for text in [key + Self.pem, Self.pem + key] {
            #expect(try payload(text) == .object(["certificate": .string(Self.pem)]))
        }
    }

    @Test func severalCertificatesAndWhatIsNoJSONAreRefusedAtOnce() {
        let several = #expect(throws: Failure.self) { try payload(Self.pem + Self.pem) }
        #expect(several?.status == .refused && several?.reason.contains("the file has 2") == true)
        let cut = #expect(throws: Failure.self) { try payload(String(Self.pem.prefix(60))) }
        #expect(cut?.status == .refused)
        let none = #expect(throws: Failure.self) { try payload(Self.pem, kind: "another") }
        #expect(none?.reason.contains("no acceptable JSON") == true)
        #expect(none?.advice?.contains("setting kinds --json") == true)
    }

    /// A payload that is one text may be given as it is; of any other kind that is refused.
    ///
    /// Red where the member's name is not the one of the kind's schema.
    @Test func aPayloadOfOneTextMayBeThatText() throws {
        func kind(_ properties: [String: JSON]) -> SettingKind {
            SettingKind(
                name: "message", title: "Message", purpose: "For this test.",
                schema: .object(["properties": .object(properties)]), combination: "highest")
        }
        let text = JSON.object(["type": .string("string")])
        let one = [kind(["words": text])]
        let payload = try SettingPayload.text("One\nTwo", kind: "message", among: one)
        #expect(payload == .object(["words": .string("One\nTwo")]))
        let unknown = #expect(throws: Failure.self) { try SettingPayload.text("One", kind: "other", among: one) }
        #expect(unknown?.reason.contains("knows no kind") == true)
        let two = #expect(throws: Failure.self) {
            try SettingPayload.text("One", kind: "message", among: [kind(["words": text, "more": text])])
        }
        #expect(two?.reason.contains("more than one text") == true)
    }

    @Test func whatThereIsToSayOfASettingIsShown() {
        var found = setting()
        found.warnings = ["The certificate ends in 9 days."]
        let lines = SettingText.shown(found, groups: []).split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("warning") && $0.hasSuffix("The certificate ends in 9 days.") })
    }

    @Test func whatCameOfSettingOneIsSaidInASentence() {
        var made = setting()
        #expect(SettingText.made(made, isDryRun: false) == "Version 3 of root-certificate proxy holds CN=Proxy.")
        #expect(SettingText.made(made, isDryRun: true).hasSuffix("would hold CN=Proxy. Nothing was set."))
        made.unchanged = true
        #expect(SettingText.made(made, isDryRun: false).hasSuffix("as before: nothing changes."))
    }

    /// What stands in a payload cannot move the cursor of a terminal.
    @Test func aSettingIsShownWithItsGroupsAndWhatItHolds() {
        let text = SettingText.shown(setting("a\nb\u{1B}[1m"), groups: ["staff", "teachers"])
        #expect(text.contains("staff, teachers") && text.contains("\n\na\nb"), "\(text)")
        #expect(!text.contains("\u{1B}"))
    }

    /// Which settings a device gets, by which groups, and why one is withheld.
    @Test func aDevicesSettingsAreExplained() {
        let reason = Reason(code: "Server.Withheld", description: "The setting is withheld: why.")
        let assignment = EffectiveSettingAssignment(group: "teachers", priority: 5, assigned: Self.moment)
        let settings = [
            EffectiveSetting(
                kind: Self.kind, name: "proxy", version: 2, summary: "CN=Proxy", given: true,
                assignments: [assignment]),
            EffectiveSetting(
                kind: Self.kind, name: "web", version: 1, summary: "CN=Web", given: false, assignments: [assignment],
                withheld: [reason]),
        ]
        let text = EffectiveText(
            DeviceEffective(device: "U-1", hypothetical: false, groups: [], apps: [], settings: settings)
        ).text()
        for words in [
            "root-certificate proxy, version 2\n", "CN=Proxy", "root-certificate web, version 1, not given",
            "The setting is withheld: why.", "teachers",
        ] {
            #expect(text.contains(words), "\(text)")
        }
    }

    @Test func aSettingThatAGroupHasIsTakenFromItFirst() {
        let problem = Problem(title: "It is still used by the group teachers.", status: 409)
        let failure = Failure(problem: problem, status: 409, path: ["settings", Self.kind, "proxy"], isDeletion: true)
        #expect(failure.status == .refused && failure.advice?.contains("martlet setting unassign") == true)
        let missing = Failure(problem: problem, status: 404, path: ["settings", Self.kind, "proxy"])
        #expect(missing.advice == "martlet setting kinds and martlet setting list show what there is.")
    }
}
