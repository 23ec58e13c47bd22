import DeviceMessages
import Foundation
import InputBounds
import MadeRoots
import Management
import Testing

/// Which settings devices are told of, by group, kind and what the device takes.
struct ManifestSettingTests {
    private let taking = DeviceAudience(platform: .linux, takenTypes: [CertificateConfiguration.type])

    private func assigned(
        _ name: String, kind: String = "root-certificate", group: String = "a", priority: Int = 0, order: Int,
        _ payload: JSONValue
    ) -> AssignedSetting {
        AssignedSetting(
            assignment: SettingAssignment(
                group: group, kind: kind, setting: name, priority: priority, assigned: MadeRoot.now, order: order),
            version: 1, payload: payload, summary: name)
    }

    private func compile(
        _ settings: [AssignedSetting], kinds: [SettingKind] = SettingKind.all, for audience: DeviceAudience
    ) -> Manifest {
        ManifestCompiler(baseURL: "https://mdm.example.com", organization: "Example", kinds: kinds).compile(
            AssignmentSnapshot(entries: [], settings: settings, changed: .distantPast), for: audience)
    }

    private func given(_ manifest: Manifest) -> [String] {
        manifest.declarations.keys.filter { $0.hasPrefix("configuration/martlet.setting.") }.sorted()
    }

    @Test func rootsOfTwoGroupsAddUp() throws {
        let (first, second) = (try MadeRoot.pem("A"), try MadeRoot.pem("B"))
        let manifest = compile(
            [
                assigned("one", group: "a", order: 1, MadeRoot.payload(first)),
                assigned("two", group: "b", order: 2, MadeRoot.payload(second)),
                assigned("one", group: "b", order: 3, MadeRoot.payload(first)),
            ], for: taking)
        #expect(
            given(manifest) == [
                "configuration/martlet.setting.root-certificate.one",
                "configuration/martlet.setting.root-certificate.two",
            ])
        #expect(manifest.assets.count == 2 && manifest.files.isEmpty && manifest.withheldSettings.isEmpty)
        let activation = try Declaration(
            parsing: try #require(manifest.declarations["activation/martlet.activation"]))
        let active = activation.payload["StandardConfigurations"]?.array?.compactMap(\.string) ?? []
        #expect(active.contains("martlet.setting.root-certificate.one"))
    }

    /// The agent takes the asset as one of certificates, by the same route as configurations: nothing of it is secret.
    @Test func theCertificateIsAFileLikeAnyOther() throws {
        let pem = try MadeRoot.pem()
        let manifest = compile([assigned("one", order: 1, MadeRoot.payload(pem))], for: taking)
        let document = try #require(
            manifest.declarations["asset/martlet.setting-certificate.root-certificate.one"])
        let asset = try CredentialAsset(Declaration(parsing: document))
        let sha256 = Fixture.sha256(try MadeRoot.der(of: pem))
        #expect(asset.kind == .certificate && asset.document.authentication == .mdm)
        #expect(asset.document.dataURL == "https://mdm.example.com/mdm/assets/\(sha256)")
        let served = try #require(manifest.assets[sha256])
        #expect(CredentialAsset.Kind.certificate.mediaTypes.contains(served.mediaType))
        #expect(asset.document.contentType == served.mediaType && asset.document.size == served.size)
    }

    /// A device that does not take the type, or has not said so yet, is not sent what it might refuse.
    @Test func whatADeviceDoesNotTakeIsWithheldWithItsReason() throws {
        let settings = [assigned("one", order: 1, MadeRoot.payload(try MadeRoot.pem()))]
        let key = SettingKey(kind: "root-certificate", name: "one")
        let reasons: [(Set<String>?, WithheldSetting.Reason)] = [
            (nil, .untold([CertificateConfiguration.type])), ([], .unsupported([CertificateConfiguration.type])),
        ]
        for (types, reason) in reasons {
            let audience = DeviceAudience(platform: .macOS, takenTypes: types)
            let manifest = compile(settings, for: audience)
            #expect(given(manifest).isEmpty && manifest.assets.isEmpty)
            #expect(manifest.withheldSettings == [WithheldSetting(key: key, reason: reason)])
            #expect(manifest.declarationsToken == compile([], for: audience).declarationsToken)
        }
    }

    /// A kind that concerns the whole machine is withheld from a device that belongs to a person, whatever it takes.
    ///
    /// Red where the kind's rule or the device's owner is not asked for: the person's machine would show the text.
    @Test func aPersonsDeviceIsNotGivenWhatConcernsTheWholeMachine() throws {
        let settings = [
            assigned("lobby", kind: "login-message", order: 1, .object(["text": .string("Welcome")])),
            assigned("proxy", order: 2, MadeRoot.payload(try MadeRoot.pem())),
        ]
        func manifest(isOfAPerson: Bool) -> Manifest {
            compile(settings, for: DeviceAudience(takenTypes: SettingKind.types, isOfAPerson: isOfAPerson))
        }
        let (owned, personal) = (manifest(isOfAPerson: false), manifest(isOfAPerson: true))
        #expect(
            given(owned) == [
                "configuration/martlet.setting.login-message.lobby",
                "configuration/martlet.setting.root-certificate.proxy",
            ])
        #expect(owned.withheldSettings.isEmpty)
        #expect(given(personal) == ["configuration/martlet.setting.root-certificate.proxy"])
        let key = SettingKey(kind: "login-message", name: "lobby")
        #expect(personal.withheldSettings == [WithheldSetting(key: key, reason: .ofAPerson)])
    }

    /// Where one setting of a kind counts, it is the one of the greatest rank; the others leave no trace.
    @Test func ofAKindThatIsOnceTheHighestCounts() throws {
        let once = SettingKind(
            name: "greeting", title: "Greeting", purpose: "For this test.", schema: .object([:]),
            combination: .highest, types: ["test.greeting"],
            judge: { _, _ in .accepted(SettingFacts(summary: "")) },
            declarations: { name, payload in
                SettingDeclarations(
                    configurations: [
                        .init(
                            type: "test.greeting",
                            identifier: SettingKey(kind: "greeting", name: name).identifier(),
                            payload: ["Text": payload])
                    ])
            })
        let audience = DeviceAudience(takenTypes: ["test.greeting"])
        func counting(_ settings: [AssignedSetting]) -> [String] {
            given(compile(settings, kinds: [once], for: audience)).map { String($0.suffix(1)) }
        }
        let (a, b, c) = (
            assigned("a", kind: "greeting", group: "a", priority: 5, order: 1, .string("a")),
            assigned("b", kind: "greeting", group: "b", priority: 5, order: 2, .string("b")),
            assigned("c", kind: "greeting", group: "c", priority: 4, order: 3, .string("c"))
        )
        #expect(counting([a, c]) == ["a"] && counting([c, a]) == ["a"])
        #expect(counting([a, b, c]) == ["b"], "the same priority, assigned later")
        #expect(counting([c]) == ["c"])
    }

    /// Without a setting every fleet keeps the tokens that it has, whatever its devices say that they take.
    @Test func withoutSettingsNothingChanges() {
        let plain = compile([], for: DeviceAudience(platform: .linux))
        #expect(compile([], for: taking).declarationsToken == plain.declarationsToken)
        #expect(compile([], for: taking) == plain)
    }

    @Test func anotherCertificateChangesTokensAlone() throws {
        let before = compile([assigned("one", order: 1, MadeRoot.payload(try MadeRoot.pem("A")))], for: taking)
        let after = compile([assigned("one", order: 1, MadeRoot.payload(try MadeRoot.pem("B")))], for: taking)
        #expect(before.declarations.keys.sorted() == after.declarations.keys.sorted())
        #expect(before.declarationsToken != after.declarationsToken)
        let configuration = "configuration/martlet.setting.root-certificate.one"
        #expect(before.declarations[configuration] == after.declarations[configuration], "only the asset is another")
    }
}
