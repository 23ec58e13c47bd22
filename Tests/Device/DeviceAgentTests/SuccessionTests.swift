import CryptographicMessages
import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import TPMKeys
import TestLog
import Testing

/// A24: the enrollment's identity is replaced when the server sends its profile anew.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SuccessionTests {
    /// A new key, a new certificate, a new Authenticate; afterwards everything is signed by the new identity.
    @Test func theIdentityIsReplacedByReinstallingTheProfile() async throws {
        try await EnrolledDevice.run(signs: true) { fixture in
            let old = try #require(fixture.device.known.enrollment)
            let profile = EnrolledDevice.profile(fixture.server, challenge: "one-time")
            try fixture.order(profile)
            fixture.doorbell.ring(.commands)
            try await fixture.eventually("another identity") {
                fixture.device.known.enrollment?.certificate != old.certificate
            }
            let new = try #require(fixture.device.known.enrollment)
            #expect(new.key != old.key && new.profile == profile.encoded() && new.successor == nil)
            #expect(new.token == old.token && new.pushMagic == old.pushMagic && new.stage == .isComplete)
            let signer = try #require(new.certificate).digest
            #expect(
                fixture.management.checkIns == [
                    .init(type: "Authenticate", signer: signer), .init(type: "TokenUpdate", signer: signer),
                ])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            try await fixture.serves(2)
            #expect(fixture.management.lastSigner == signer)
        }
    }

    /// A7: a signature over no body is good for every other request without one, so a download carries none.
    @Test func aDownloadIsNotSigned() async throws {
        try await EnrolledDevice.run(wake: true, signs: true) { fixture in
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            try await fixture.serves(2)
            let requests = fixture.management.requests
            let downloads = requests.filter { $0.path.hasPrefix("/asset/") || $0.path == "/wake" }
            let messages = requests.filter { ["/checkin", "/command"].contains($0.path) }
            #expect(!downloads.isEmpty && downloads.allSatisfy { $0.signature == nil })
            #expect(!messages.isEmpty && messages.allSatisfy { $0.signature != nil })
        }
    }

    /// Until the server has accepted the new identity, the old one serves: nothing that fails on the way costs it.
    @Test(arguments: ["scep", "check-in"]) func theOldIdentityServesUntilTheNewOneIsAccepted(fails: String) async throws
    {
        try await EnrolledDevice.run(signs: true) { fixture in
            let old = try #require(fixture.device.known.enrollment)
            fixture.management.publish(2) { $0 == fails ? .reply(503) : nil }
            try fixture.order(EnrolledDevice.profile(fixture.server, challenge: "one-time"))
            fixture.doorbell.ring(.commands)
            try await fixture.eventually("the log says so") { fixture.log.say("could not be replaced yet") }
            try await fixture.serves(2)
            #expect(fixture.device.known.enrollment?.certificate == old.certificate)
            #expect(fixture.device.known.enrollment?.key == old.key)
            #expect(fixture.management.lastSigner == old.certificate?.digest)
            let key = fixture.device.known.enrollment?.successor?.key
            #expect(key != nil)
            fixture.management.publish(3)
            fixture.doorbell.ring(.renew)
            try await fixture.eventually("another identity") {
                fixture.device.known.enrollment?.certificate != old.certificate
            }
            #expect(fixture.device.known.enrollment?.key == key, "the same key was asked for again")
        }
    }

    /// What the authority refuses is not asked for forever; the server may send another profile.
    @Test func aRefusedSuccessorIsAbandonedAndTheNextOneTaken() async throws {
        try await EnrolledDevice.run(signs: true) { fixture in
            let old = try #require(fixture.device.known.enrollment)
            try fixture.order(EnrolledDevice.profile(fixture.server, challenge: "spent"))
            fixture.doorbell.ring(.commands)
            try await fixture.eventually("it is abandoned") {
                fixture.log.say("could not be replaced") && fixture.device.known.enrollment?.successor == nil
            }
            #expect(fixture.device.known.enrollment == old)
            try fixture.order(EnrolledDevice.profile(fixture.server, challenge: "one-time"))
            fixture.doorbell.ring(.commands)
            try await fixture.eventually("another identity") {
                fixture.device.known.enrollment?.certificate != old.certificate
            }
        }
    }

    /// Once the server has accepted the new identity, only that speaks, also after a failure in between.
    @Test func afterItsAuthenticateOnlyTheNewIdentitySpeaks() async throws {
        try await EnrolledDevice.run(signs: true) { fixture in
            let old = try #require(fixture.device.known.enrollment?.certificate).digest
            fixture.management.refusesTokenUpdates(true)
            try fixture.order(EnrolledDevice.profile(fixture.server, challenge: "one-time"))
            fixture.doorbell.ring(.commands)
            try await fixture.eventually("it is half-way") {
                fixture.device.known.enrollment?.successor?.isAuthenticated == true
                    && fixture.management.checkIns.count { $0.type == "TokenUpdate" } > 2
            }
            #expect(fixture.management.checkIns.count { $0.type == "Authenticate" } == 1)
            #expect(fixture.management.checkIns.allSatisfy { $0.signer != old })
            let asked = fixture.management.asked.count
            fixture.doorbell.ring([.commands, .look])
            try await fixture.eventually("it was tried again") { fixture.management.asked.count > asked + 1 }
            #expect(fixture.management.asked.dropFirst(asked).allSatisfy { $0 == "check-in" })
            fixture.management.refusesTokenUpdates(false)
            try await fixture.eventually("another identity") {
                fixture.device.known.enrollment?.certificate?.digest != old
            }
        }
    }

    /// The server may not hand the device over to another one, nor ask for what is not made here.
    @Test func aProfileThatNamesAnotherServerIsRefused() throws {
        func profile(_ change: (inout EnrollmentProfile) -> Void = { _ in }) -> EnrollmentProfile {
            var profile = EnrollmentProfile(
                identifier: "enrollment", uuid: UUID(), displayName: "", organization: "", roots: [],
                scep: SCEPPayload(url: "https://h/scep"),
                mdm: MDMPayload(serverURL: "https://h/mdm", topic: "t"))
            change(&profile)
            return profile
        }
        func status(of new: EnrollmentProfile) throws -> CommandStatus {
            let facts = DeviceFacts(
                hostName: "", systemName: "", systemVersion: "", kernelVersion: "", modelName: "", model: "")
            var state = AgentState(udid: "U")
            state.enrollment = Enrollment(
                origin: "https://h:443", codeDigest: "", roots: [], profile: profile().encoded(), key: KeptKey(pem: ""),
                token: Data(), pushMagic: "")
            let command = try EnrolledDevice.reinstallation(of: new)
            guard
                case .report(let report) = DeviceCommands(facts: facts, profile: profile()).execute(
                    command, on: &state)
            else { return .notNow }
            #expect((state.enrollment?.successor != nil) == (report.status == .acknowledged))
            return report.status
        }
        #expect(try status(of: profile()) == .acknowledged)
        #expect(try status(of: profile { $0.mdm.topic = "other" }) == .error)
        #expect(try status(of: profile { $0.mdm.serverURL = "https://other/mdm" }) == .error)
        #expect(try status(of: profile { $0.mdm.checkInURL = "https://other/checkin" }) == .error)
        #expect(try status(of: profile { $0.scep?.keySize = 8_192 }) == .error)
        func acme(_ attest: Bool, _ size: Int = 256) -> EnrollmentProfile {
            profile {
                $0.identity = .acme(
                    ACMEDocument(
                        directoryURL: "https://h/acme", clientIdentifier: "c", keySize: size, hardwareBound: attest,
                        subject: [], attest: attest))
            }
        }
        #expect(try status(of: acme(false)) == .acknowledged)
        #expect(try status(of: acme(true)) == .error, "there is no chip here")
        #expect(try status(of: acme(false, 521)) == .error)
    }
}

/// How the key of an enrollment is kept.
struct KeptKeyTests {
    /// What agents wrote before a chip could hold it stays readable.
    @Test func aKeyThatAnOlderAgentKeptIsRead() throws {
        #expect(try JSONDecoder().decode([KeptKey].self, from: Data(#"["PEM"]"#.utf8)) == [KeptKey(pem: "PEM")])
    }

    @Test func everyKindOfKeyIsReadAgain() throws {
        let chip = TPMKeyBlob(publicArea: Data([1]), privateArea: Data([2]))
        for key in [KeptKey(pem: "PEM"), KeptKey(chip: chip)] {
            #expect(try JSONDecoder().decode(KeptKey.self, from: JSONEncoder().encode(key)) == key)
        }
    }

    /// D6: a key of the chip is used by the chip or not at all.
    @Test func aKeyOfTheChipNeedsTheChip() throws {
        let chip = TPMKeyBlob(publicArea: Data([1]), privateArea: Data([2]))
        #expect(throws: EnrollmentRefusal.chipMissing) { try DeviceKey(KeptKey(chip: chip), tpm: nil) }
    }
}

extension EnrolledDevice {
    /// The command that reinstalls an enrollment's profile.
    static func reinstallation(of profile: EnrollmentProfile) throws -> Command {
        try Command(
            uuid: UUID().uuidString,
            request: .dictionary(["RequestType": .string("InstallProfile"), "Payload": .data(profile.encoded())]))
    }

    func order(_ profile: EnrollmentProfile) throws {
        management.order(try Self.reinstallation(of: profile).encoded())
    }
}
