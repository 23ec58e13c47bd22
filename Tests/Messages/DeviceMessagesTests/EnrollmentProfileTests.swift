import DeviceMessages
import Foundation
import InputBounds
import Testing

struct EnrollmentProfileTests {
    static func ours() throws -> EnrollmentProfile {
        EnrollmentProfile(
            identifier: "dev.martlet.enroll",
            uuid: try #require(UUID(uuidString: "3F2504E0-4F89-41D3-9A0C-0305E82C3301")),
            displayName: "Martlet", organization: "Example",
            roots: [Data([0x30, 3, 2, 1, 1]), Data([0x30, 3, 2, 1, 2])],
            scep: SCEPPayload(
                url: "https://s/scep", name: "martlet", subject: [[["CN", "device"]]], challenge: "code",
                caFingerprint: Data(repeating: 7, count: 32)),
            mdm: MDMPayload(serverURL: "https://s/mdm/command", checkInURL: "https://s/mdm/checkin", topic: "t"),
            wakeURL: "https://s/mdm/wake")
    }

    @Test func survivesBeingWritten() throws {
        let profile = try Self.ours()
        #expect(try EnrollmentProfile(parsing: profile.encoded()) == profile)
        #expect(profile.encoded() == (try Self.ours().encoded()))
    }

    /// Apple's `com.apple.security.acme`: its keys stand beside those that every payload has.
    @Test func anIdentityByACMESurvivesBeingWritten() throws {
        var profile = try Self.ours()
        let acme = ACMEDocument(
            directoryURL: "https://s/acme/directory", clientIdentifier: "code", keySize: 384, hardwareBound: true,
            subject: [[["O", "Example"]], [["CN", "device"]]],
            subjectAltName: SubjectAltName(emailAddress: "a@b", dnsName: "b", uri: "u:b", principalName: "a"),
            usageFlags: 1, extendedKeyUsage: ["1.3.6.1.5.5.7.3.2"], attest: true)
        profile.identity = .acme(acme)
        #expect(try EnrollmentProfile(parsing: profile.encoded()) == profile && profile.scep == nil)
        let list = try PropertyListValue(parsing: profile.encoded(), limits: .message)
        let payload = try #require(list["PayloadContent"]?.array?[2])
        #expect(payload["PayloadType"]?.string == "com.apple.security.acme")
        #expect(payload["ClientIdentifier"]?.string == "code" && payload["Attest"]?.bool == true)
        for (old, new, rule) in [
            ("https://s/acme", "http://s/acme", "the key DirectoryURL is not an https URL"),
            ("<integer>384</integer>", "<integer>385</integer>", "the key KeySize is not one of a curve"),
            ("ECSECPrimeRandom", "EC", "the key KeyType has an unknown value"),
        ] {
            let changed = String(decoding: profile.encoded(), as: UTF8.self).replacing(old, with: new)
            #expect(throws: InputRefusal(rule: rule)) { try EnrollmentProfile(parsing: Data(changed.utf8)) }
        }
    }

    /// The order in which a device installs: trust, identity, management.
    @Test func ordersItsPayloadsAndNamesEachOnce() throws {
        let list = try PropertyListValue(parsing: Self.ours().encoded(), limits: .message)
        let payloads = try #require(list["PayloadContent"]?.array)
        #expect(
            payloads.map { $0["PayloadType"]?.string } == [
                "com.apple.security.root", "com.apple.security.root", "com.apple.security.scep", "com.apple.mdm",
                "dev.martlet.wake",
            ])
        let uuids = payloads.compactMap { $0["PayloadUUID"]?.string } + [try #require(list["PayloadUUID"]?.string)]
        #expect(Set(uuids).count == 6)
        #expect(payloads[3]["IdentityCertificateUUID"] == payloads[2]["PayloadUUID"])
    }

    @Test func readsAnotherServersProfile() throws {
        let profile = try EnrollmentProfile(parsing: Golden.data("third-party-enrollment.mobileconfig"))
        #expect(profile.roots.count == 1)
        #expect(profile.scep?.subject == [[["O", "Example"]], [["CN", "device"]]])
        #expect(profile.scep?.challenge == "secret")
        #expect(profile.scep?.retries == 3)
        #expect(profile.mdm.checkInURL == "https://mdm.example.com/checkin?tenant=1")
        #expect(profile.mdm.serverCapabilities == ["com.apple.mdm.per-user-connections"])
        #expect(profile.wakeURL == nil)
    }

    @Test(arguments: [
        ("https://mdm.example.com/mdm", "http://mdm.example.com/mdm", "the key ServerURL is not an https URL"),
        ("<string>com.apple.mdm</string>", "<string>com.apple.xxx</string>", "the profile has no MDM payload"),
        (
            "-00000000000A</string>", "-00000000000C</string>",
            "the MDM payload names no SCEP, ACME or PKCS #12 payload of the profile"
        ),
        ("<string>Configuration</string>", "<string>Profile Service</string>", "not a configuration profile"),
        ("<integer>2048</integer>", "<integer>512</integer>", "the key Keysize has an unknown value"),
    ])
    func refusesAProfileThatCannotEnrol(old: String, new: String, rule: String) throws {
        let text = String(decoding: try Golden.data("third-party-enrollment.mobileconfig"), as: UTF8.self)
        let changed = text.replacing(old, with: new)
        #expect(changed != text)
        #expect(throws: InputRefusal(rule: rule)) { try EnrollmentProfile(parsing: Data(changed.utf8)) }
    }
}
