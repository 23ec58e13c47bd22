import AdminMessages
import Foundation
import Testing
import martlet

struct DeviceTextTests {
    private func text(_ reasons: [Reason]) -> String {
        DeviceText(
            DeviceDetail(
                id: "U-1", kind: .device, ownership: .organization, supervised: true, groups: ["teachers"],
                state: .enrolled, declarationsToken: DeclarationsTokenPair(current: "t", acknowledged: "t"),
                apps: [
                    DeviceApp(
                        identifier: "com.example.landmarks", version: "1.0", state: "managed",
                        configState: reasons.isEmpty ? "valid" : "invalid", reasons: reasons,
                        configurationName: "default", configurationVersion: 3)
                ])
        ).text()
    }

    @Test func showsEachAppWithItsConfiguration() {
        let shown = text([])
        #expect(shown.contains("com.example.landmarks  1.0      managed  default, version 3  valid"))
        #expect(shown.contains("synchronized"))
        #expect(!shown.contains("refused"))
    }

    /// An app says nothing of a dictionary: there is no report to wait for.
    @Test func aConfigurationInTheDefaultsAloneIsDelivered() {
        func text(_ delivery: String?) -> String {
            let app = DeviceApp(
                identifier: "a.b", version: "1.0", state: "managed", configurationName: "main", configurationVersion: 3,
                delivery: delivery)
            return DeviceText(
                DeviceDetail(
                    id: "U-1", kind: .device, ownership: .organization, supervised: true, groups: [], state: .enrolled,
                    declarationsToken: DeclarationsTokenPair(current: "t"), apps: [app])
            ).text()
        }
        #expect(text("defaults").contains("main, version 3  delivered"))
        #expect(!text("both").contains("delivered") && !text(nil).contains("delivered"))
    }

    /// Red where an app that reads files, or asks over HTTP, has not read its configuration for ever.
    @Test(arguments: [("http", "fetched"), ("files", "written")])
    func aConfigurationThatWasHandedOverIsNotUnknown(way: String, word: String) {
        let reason = Reason(code: "Info.ConfigurationHandedOver", details: .object(["Way": .string(way)]))
        let app = DeviceApp(
            identifier: "a.b", state: "managed", configState: "unknown", reasons: [reason], configurationName: "main",
            configurationVersion: 3, standing: .unconfigured)
        let shown = DeviceText(
            DeviceDetail(
                id: "U-1", kind: .device, ownership: .organization, supervised: true, groups: [], state: .enrolled,
                declarationsToken: DeclarationsTokenPair(current: "t"), apps: [app])
        ).text()
        #expect(shown.contains("main, version 3  \(word)"), "\(shown)")
    }

    @Test func anExplanationSaysHowAConfigurationIsDeliveredAndWhatToKnowOfIt() {
        func lines(_ delivery: String?) -> [String] {
            let app = EffectiveApp(
                identifier: "a.b", name: "A", given: true, install: "required",
                configuration: EffectiveConfiguration(name: "main", version: 3), delivery: delivery, assignments: [])
            let effective = DeviceEffective(device: "U-1", hypothetical: false, groups: [], apps: [app])
            return EffectiveText(effective).text().split(separator: "\n").map(String.init)
        }
        let both = lines("both")
        #expect(both.contains { $0.contains("delivered") && $0.hasSuffix(Delivery.both.words) }, "\(both)")
        #expect(both.contains { $0.contains("no place for secrets") })
        #expect(!lines(nil).contains { $0.contains("delivered") })
    }

    @Test func namesCodeMessageAndKeyPathOfARefusal() {
        let details: [String: JSON] = [
            "Code": .integer(100), "Message": .string("unknown landmark"),
            "KeyPath": .string("managedCollection.landmarks"), "KeyPathSupplied": .boolean(true),
        ]
        let lines = text([Reason(code: "dev.martlet.refused", details: .object(details))]).split(separator: "\n")
            .map { $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ") }
        #expect(lines.contains("refused by com.example.landmarks"))
        #expect(lines.contains("code 100"))
        #expect(lines.contains("message unknown landmark"))
        #expect(lines.contains("key path managedCollection.landmarks (where decoding stopped)"))
    }

    @Test func aRefusalSaysWhatItMeansWhatToDoAndWhereElseItStands() {
        let refusal = ConfigurationRefusal(
            appVersion: "1.1", configurationName: "default", configurationVersion: 3, groups: ["teachers", "staff"],
            code: 100, keyPath: "a", devices: 12, since: Date(timeIntervalSince1970: 0),
            latest: Date(timeIntervalSince1970: 86_400),
            explanation: RefusalExplanation(
                name: "unknown", meaning: "It is unknown.", remedy: "Use a known one.", specification: "1.0",
                isNearest: true))
        let detail = DeviceDetail(
            id: "U-1", kind: .device, ownership: .organization, supervised: true, groups: [], state: .enrolled,
            declarationsToken: DeclarationsTokenPair(current: "t"),
            apps: [
                DeviceApp(
                    identifier: "a.b", reasons: [Reason(code: "Error.ConfigurationRefused"), Reason(code: "Other")],
                    refusals: [refusal])
            ])
        for text in [DeviceText(detail).text(), RefusalText.text(refusal, of: "a.b")] {
            let lines = text.split(separator: "\n").map {
                $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
            }
            for line in [
                "meaning unknown: It is unknown.", "remedy Use a known one.", "configuration default, version 3",
                "says the app's specification of version 1.0, the nearest that was published",
                "given to teachers, staff", "devices 12",
            ] {
                #expect(lines.filter { $0 == line }.count == 1, "\(line) in \(text)")
            }
            #expect(
                lines.contains { $0.hasPrefix("since 1970-01-01") && $0.contains("the last of them since 1970-01-02") })
        }
    }

    @Test func aSecretsDeclarationIsCalledByItsAppsName() {
        let secret = DeclaredSecret(app: "com.example.landmarks", kind: .identity, identifier: "client")
        let shown = DeviceText(
            DeviceDetail(
                id: "U-1", kind: .device, ownership: .organization, supervised: true, groups: [], state: .enrolled,
                declarationsToken: DeclarationsTokenPair(current: "t", acknowledged: "t"),
                declarations: [
                    DeclarationState(
                        identifier: "martlet.secret.693b", serverToken: "s", active: true, valid: "invalid",
                        reasons: [Reason(code: "Error.AssetCannotBeVerified")], secret: secret)
                ])
        ).text()
        #expect(shown.contains("the identity client of com.example.landmarks  yes     invalid"))
        #expect(!shown.contains("martlet.secret.693b"))
    }

    @Test func showsTheProtocolsOwnReasons() {
        let listed = text([
            Reason(code: "Server.Withheld", details: .object(["Variables": .array([.string("a.b"), .string("c")])]))
        ])
        #expect(listed.contains("Variables") && listed.contains("a.b, c") && !listed.contains("["), "\(listed)")
        let shown = text([Reason(code: "Error.InstallFailed", details: .object(["Timestamp": .string("2026")]))])
        #expect(shown.contains("Error.InstallFailed"))
        #expect(shown.contains("Timestamp"))
        #expect(!shown.contains("refused by"))
    }

    /// D9: which protection the device has, and whether it came with an older copy.
    @Test func saysHowTheDeviceKeepsWhatItWasGiven() {
        var device = DeviceDetail(
            id: "U-1", kind: .device, ownership: .organization, supervised: true, groups: [], state: .enrolled,
            declarationsToken: DeclarationsTokenPair(current: "t"))
        #expect(!DeviceText(device).text().contains("at rest"))
        device.atRest = AtRest(keyHolder: "tpm")
        #expect(DeviceText(device).text().contains("at rest       key in the TPM"))
        #expect(!DeviceText(device).text().contains("older copy"))
        device.atRest = AtRest(keyHolder: "file", olderCopyNoticed: Date(timeIntervalSince1970: 0))
        #expect(DeviceText(device).text().contains("at rest       key in a file"))
        #expect(DeviceText(device).text().contains("older copy    put back; noticed 1970"))
        #expect(!DeviceText(device).text().contains("damaged"))
    }

    @Test func saysThatTheDeviceFoundItsNewestGenerationDamaged() {
        var device = DeviceDetail(
            id: "U-1", kind: .device, ownership: .organization, supervised: true, groups: [], state: .enrolled,
            declarationsToken: DeclarationsTokenPair(current: "t"))
        device.atRest = AtRest(keyHolder: "file", damageNoticed: Date(timeIntervalSince1970: 0))
        let first = DeviceText(device).text()
        #expect(first.contains("damaged       newest generation, noticed 1970-01-01T00:00:00Z; the one before serves"))
        device.atRest?.damageReplaced = Date(timeIntervalSince1970: 60)
        let then = DeviceText(device).text()
        #expect(then.contains("noticed 1970-01-01T00:00:00Z; replaced by a synchronization 1970-01-01T00:01:00Z"))
    }
}
