import AppMessages
import CLinux
import Crypto
import CryptographicMessages
import DeviceAgent
import DeviceMessages
import Foundation
import Signatures
import Synchronization
import Testing

/// What apps are told of their secrets, over the real socket.
@Suite(.timeLimit(.minutes(10)))
struct AppSecretTests {
    private static let contents: [String: SecretContent] = [
        "d1": .password("one"), "d2": .password("two"), "d3": .certificate(Data([48, 3])),
        "d4": .password("another app's"),
    ]

    private func state(_ entries: AppSecrets.Entry...) -> AppState {
        AppState(managed: true, synchronised: true, secrets: AppSecrets(entries), lowestTrust: .shared)
    }

    @Test func anAppIsGivenEachSecretThatItsConfigurationNames() throws {
        let fixture = try Fixture(ourselves: true, secrets: Self.contents)
        fixture.service.update([
            Fixture.app: state(.init(.password, "login", digest: "d1"), .init(.certificate, "pin", digest: "d3"))
        ])
        let socket = try AppSocket(fixture)
        #expect(try socket.ask(.getSecret(.password, identifier: "login"), PasswordReply.self).get().password == "one")
        let certificate = try socket.ask(.getSecret(.certificate, identifier: "pin"), CertificateReply.self).get()
        #expect(certificate.certificate == Data([48, 3]))
        for (kind, identifier) in [(SecretKind.password, "pin"), (.identity, "login"), (.password, "")] {
            let reply = try socket.ask(.getSecret(kind, identifier: identifier), Varlink.Nothing.self)
            #expect(throws: VarlinkError.invalidIdentifier, "each kind has names of its own") { try reply.get() }
        }
    }

    /// S4-SECRET-01: each of the three errors means what it means to an app on iOS.
    @Test func anAppIsToldWhyItDoesNotHaveASecret() throws {
        let fixture = try Fixture(ourselves: true, secrets: Self.contents)
        let secrets = AppSecrets(
            [.init(.password, "login", digest: "d1")],
            absences: [.init(.password, "late", .server), .init(.password, "broken", .device)])
        fixture.service.update([
            Fixture.app: AppState(managed: true, synchronised: true, secrets: secrets, lowestTrust: .shared)
        ])
        let socket = try AppSocket(fixture)
        for (identifier, error) in [
            ("late", VarlinkError.serverError), ("broken", .internalError), ("never", .invalidIdentifier),
        ] {
            let reply = try socket.ask(.getSecret(.password, identifier: identifier), Varlink.Nothing.self)
            #expect(throws: error) { try reply.get() }
        }
        #expect(try socket.ask(.getSecret(.password, identifier: "login"), PasswordReply.self).get().password == "one")
        // What cannot be had is not provisioned: the list is without it.
        try socket.send(.watchSecrets(.password))
        #expect(try socket.nextIdentifiers() == ["login"])
    }

    /// D7: an app with less trust than the assignment asks for learns that, and gets neither secrets nor their list.
    @Test func secretsAreKeptFromAnAppThatIsNotTrustedEnough() throws {
        let fixture = try Fixture(ourselves: true, secrets: Self.contents)
        let secrets = AppSecrets(
            [.init(.password, "login", digest: "d1")], absences: [.init(.password, "late", .server)])
        let socket = try AppSocket(fixture), list = try AppSocket(fixture), configuration = try AppSocket(fixture)
        func tell(_ lowest: AppTrust) {
            let state = AppState(managed: true, synchronised: true, secrets: secrets, lowestTrust: lowest)
            fixture.service.update([Fixture.app: state])
        }
        for lowest in [AppTrust.launched, .verified] {
            tell(lowest)
            for name in ["login", "late"] {
                let reply = try socket.ask(.getSecret(.password, identifier: name), PasswordReply.self)
                #expect(throws: VarlinkError.secretsWithheld) { try reply.get() }
            }
            let unknown = try socket.ask(.getSecret(.password, identifier: "never"), PasswordReply.self)
            #expect(throws: VarlinkError.invalidIdentifier) { try unknown.get() }
        }
        try list.send(.watchSecrets(.password))
        #expect(try list.nextIdentifiers() == [])
        try configuration.send(.watchConfiguration(trials: false))
        func isWithheld() throws -> Bool? {
            try VarlinkReply<ConfigurationState>(parsing: try configuration.next()).result.get().secretsWithheld
        }
        #expect(try isWithheld() == true)
        tell(.shared)
        #expect(try isWithheld() == false)
        #expect(try list.nextIdentifiers() == ["login"])
        #expect(try socket.ask(.getSecret(.password, identifier: "login"), PasswordReply.self).get().password == "one")
    }

    /// S4-SEC-02, D7: a real app process asks for a secret that is another app's.
    @Test func anAppThatAsksForAnotherAppsSecretIsTold() async throws {
        let fixture = try Fixture(secrets: Self.contents)
        fixture.service.update([
            Fixture.app: state(.init(.password, "own", digest: "d1")),
            "com.example.other": state(.init(.password, "theirs", digest: "d4")),
        ])
        func ask(_ identifier: String) async throws -> String {
            let call = #"{"method":"dev.martlet.App.GetPassword","parameters":{"identifier":"\#(identifier)"}}"#
            return try await fixture.run("printf '\(call)\\000' >&3; dd bs=4096 count=1 <&3 2>&-")
        }
        #expect(try await ask("own").contains(#""password":"one""#))
        let refused = try await ask("theirs")
        #expect(refused.contains("dev.martlet.App.InvalidIdentifier"))
        #expect(!refused.contains("another app's"))
    }

    /// A child that keeps the app's socket is no more given a secret than a configuration (D7).
    @Test func aChildOfTheAppIsGivenNothing() async throws {
        let fixture = try Fixture(secrets: Self.contents)
        fixture.service.update([Fixture.app: state(.init(.password, "own", digest: "d1"))])
        let call = #"{"method":"dev.martlet.App.GetPassword","parameters":{"identifier":"own"}}"#
        #expect(try await fixture.run("( printf '\(call)\\000' >&3 ); cat <&3; echo end") == "end\n")
    }

    /// At once; when the list changes; when only a value changes; never for another app's.
    @Test func theListIsToldAgainWhenItOrAValueChanges() throws {
        let fixture = try Fixture(ourselves: true, secrets: Self.contents)
        func tell(_ app: [AppSecrets.Entry], other: [AppSecrets.Entry] = []) {
            func state(_ entries: [AppSecrets.Entry]) -> AppState {
                AppState(managed: true, synchronised: true, secrets: AppSecrets(entries), lowestTrust: .shared)
            }
            fixture.service.update([Fixture.app: state(app), "com.example.other": state(other)])
        }
        tell([])
        let socket = try AppSocket(fixture)
        try socket.send(.watchSecrets(.password))
        #expect(try socket.nextIdentifiers() == [])
        tell([.init(.password, "a", digest: "d1")])
        #expect(try socket.nextIdentifiers() == ["a"])
        tell([.init(.password, "a", digest: "d2")])
        #expect(try socket.nextIdentifiers() == ["a"], "only the value is another")
        // Neither the same again, nor another kind, nor another app's is worth a word: the next is the list after them.
        tell([.init(.password, "a", digest: "d2")])
        tell([.init(.password, "a", digest: "d2"), .init(.certificate, "c", digest: "d3")])
        tell([.init(.password, "a", digest: "d2")], other: [.init(.password, "z", digest: "d4")])
        try fixture.settle()
        tell([.init(.password, "b", digest: "d1"), .init(.password, "a", digest: "d2")])
        #expect(try socket.nextIdentifiers() == ["b", "a"])
        tell([])
        #expect(try socket.nextIdentifiers() == [])
    }

    /// D7: an app that asks after a secret was withdrawn is not given it, in whatever order the kernel tells of the two.
    @Test func whatWasWithdrawnBeforeAnAppAskedIsNotHandedOver() throws {
        let gate = Gate()
        let fixture = try Fixture(ourselves: true, secrets: Self.contents, whenRead: { if $0 == "d2" { gate.hold() } })
        let held = AppSecrets.Entry(.password, "held", digest: "d2")
        fixture.service.update([Fixture.app: state(held, .init(.password, "login", digest: "d1"))])
        let (other, app) = (try AppSocket(fixture), try AppSocket(fixture))
        for socket in [other, app] { _ = try socket.raw(.information) }
        try other.send(.getSecret(.password, identifier: "held"))
        gate.waitUntilAsked()
        // While the service's thread is held, the app's connection becomes readable before there is any news.
        try app.send(.information)
        fixture.service.update([Fixture.app: state(held)])
        try app.send(.getSecret(.password, identifier: "login"))
        gate.end()
        _ = try app.next()
        let reply = try VarlinkReply<PasswordReply>(parsing: try app.next())
        #expect(throws: VarlinkError.invalidIdentifier) { try reply.result.get() }
    }

    @Test func aSecretThatWasForgottenAMomentAgoIsNone() throws {
        let fixture = try Fixture(ourselves: true)
        fixture.service.update([Fixture.app: state(.init(.password, "login", digest: "gone"))])
        let reply = try AppSocket(fixture).ask(.getSecret(.password, identifier: "login"), Varlink.Nothing.self)
        #expect(throws: VarlinkError.invalidIdentifier) { try reply.get() }
    }

    // MARK: - Identities

    private struct Identity {
        let key = P256.Signing.PrivateKey()

        var stored: StoredIdentity {
            StoredIdentity(certificates: [Data([48, 1])], key: SoftwareKeys.stored(.p256(key)))
        }
    }

    private static let algorithm = SignatureAlgorithm(.ecdsa, .sha256, over: .message)

    private func request(_ reference: String, _ identifier: String = "mtls") -> AppCall {
        .sign(
            SignRequest(
                identifier: identifier, reference: reference, algorithm: Self.algorithm, data: Data("hello".utf8)))
    }

    /// D6: the app has a handle that signs, never the key.
    @Test func anAppSignsWithAnIdentityWhoseKeyItNeverSees() throws {
        let identity = Identity()
        let fixture = try Fixture(ourselves: true, secrets: ["i": .identity(identity.stored)])
        fixture.service.update([Fixture.app: state(.init(.identity, "mtls", digest: "i"))])
        let socket = try AppSocket(fixture)
        let reply = try socket.ask(.getSecret(.identity, identifier: "mtls"), IdentityReply.self).get()
        #expect(reply.keyType == .ec && reply.keySize == 256 && !reply.hardwareBound && !reply.attested)
        #expect(reply.certificates == [Data([48, 1])])
        let signature = try socket.ask(request(reply.reference), SignatureReply.self).get().signature
        let parsed = try P256.Signing.ECDSASignature(derRepresentation: signature)
        #expect(identity.key.publicKey.isValidSignature(parsed, for: Data("hello".utf8)))
        #expect(
            !String(decoding: try socket.raw(.getSecret(.identity, identifier: "mtls")), as: UTF8.self)
                .contains(identity.stored.key.material.base64EncodedString()))
        for other in [request("another"), request(reply.reference, "other")] {
            #expect(throws: VarlinkError.invalidIdentifier) { try socket.ask(other, SignatureReply.self).get() }
        }
        let rsa = AppCall.sign(
            SignRequest(
                identifier: "mtls", reference: reply.reference,
                algorithm: SignatureAlgorithm(.rsaPSS, .sha256, over: .message), data: Data()))
        #expect(throws: VarlinkError.self) { try socket.ask(rsa, SignatureReply.self).get() }
        #expect(try socket.ask(request(reply.reference), SignatureReply.self).get().signature.count > 60)
    }

    /// A key that is slow holds up neither the service nor the app's other connections; in the end nobody waits for it.
    @Test func aSlowKeyHoldsUpNobodyAndIsGivenUp() throws {
        let slow = SlowKeys()
        let key = StoredKey(keeper: slow.name, type: .ec, size: 256, material: Data())
        let stored = StoredIdentity(certificates: [Data([48, 1])], key: key, hardwareBound: true)
        let fixture = try Fixture(
            ourselves: true, secrets: ["i": .identity(stored), "d1": .password("one")],
            signingRoom: SigningRoom(keyring: IdentityKeyring([slow]), timeLimit: .milliseconds(300)))
        defer { slow.end() }
        fixture.service.update([
            Fixture.app: state(.init(.identity, "mtls", digest: "i"), .init(.password, "login", digest: "d1"))
        ])
        let (waiting, other) = (try AppSocket(fixture), try AppSocket(fixture))
        try waiting.send(request(stored.reference))
        #expect(try other.ask(.getSecret(.password, identifier: "login"), PasswordReply.self).get().password == "one")
        let reply = try VarlinkReply<SignatureReply>(parsing: try waiting.next())
        #expect(throws: VarlinkError.internalError) { try reply.result.get() }
    }

    /// Whoever came before or after it: each waits as long as was said, also after a calm.
    @Test func everySignatureIsGivenUpInItsOwnTime() async throws {
        let slow = SlowKeys()
        defer { slow.end() }
        let key = StoredKey(keeper: slow.name, type: .ec, size: 256, material: Data())
        let stored = StoredIdentity(certificates: [Data([48, 1])], key: key, hardwareBound: true)
        let room = SigningRoom(keyring: IdentityKeyring([slow]), timeLimit: .milliseconds(200))
        let request = SignRequest(
            identifier: "mtls", reference: stored.reference, algorithm: Self.algorithm, data: Data("hello".utf8))
        for _ in 0..<2 {
            let (answers, given) = AsyncStream<(Result<Data, VarlinkError>, Duration)>.makeStream()
            for _ in 0..<3 {
                let asked = ContinuousClock.now
                room.sign(request, for: Fixture.app) {
                    .identity(stored)
                } answer: {
                    given.yield(($0, .now - asked))
                }
                try await Task.sleep(for: .milliseconds(70))
            }
            var count = 0
            for await (result, taken) in answers {
                #expect(throws: VarlinkError.internalError) { try result.get() }
                #expect(taken > .milliseconds(190))
                count += 1
                if count == 3 { break }
            }
        }
    }

    /// B19: an app that asks for signatures without end leaves room for the others.
    @Test func oneAppDoesNotTakeTheRoomOfAllForSignatures() async throws {
        let slow = SlowKeys()
        let key = StoredKey(keeper: slow.name, type: .ec, size: 256, material: Data())
        let stored = StoredIdentity(certificates: [Data([48, 1])], key: key, hardwareBound: true)
        let room = SigningRoom(keyring: IdentityKeyring([slow]), timeLimit: .seconds(600))
        let request = SignRequest(
            identifier: "mtls", reference: stored.reference, algorithm: Self.algorithm, data: Data("hello".utf8))
        let (answers, given) = AsyncStream<(app: String, isSigned: Bool)>.makeStream()
        func ask(_ app: String) {
            room.sign(request, for: app) {
                .identity(stored)
            } answer: {
                given.yield((app, (try? $0.get()) != nil))
            }
        }
        for _ in 0...SigningRoom.mostOfApp { ask("greedy") }
        ask("modest")
        // One more than are to be signed, so that nothing waits if one too many is taken.
        for _ in 0..<SigningRoom.mostOfApp + 2 { slow.end() }
        var signed: [String: Int] = [:]
        var refused: [String: Int] = [:]
        var count = 0
        for await (app, isSigned) in answers {
            if isSigned { signed[app, default: 0] += 1 } else { refused[app, default: 0] += 1 }
            count += 1
            if count == SigningRoom.mostOfApp + 2 { break }
        }
        #expect(signed == ["greedy": SigningRoom.mostOfApp, "modest": 1])
        #expect(refused == ["greedy": 1])
    }

    /// What is withdrawn while a signature is made is not used any more.
    @Test func aSignatureIsNotHandedOverForAnIdentityThatWasWithdrawnMeanwhile() throws {
        let slow = SlowKeys()
        let key = StoredKey(keeper: slow.name, type: .ec, size: 256, material: Data())
        let stored = StoredIdentity(certificates: [Data([48, 1])], key: key, hardwareBound: true)
        let fixture = try Fixture(
            ourselves: true, secrets: ["i": .identity(stored)],
            signingRoom: SigningRoom(keyring: IdentityKeyring([slow])))
        fixture.service.update([Fixture.app: state(.init(.identity, "mtls", digest: "i"))])
        let socket = try AppSocket(fixture)
        try socket.send(request(stored.reference))
        slow.waitUntilAsked()
        fixture.service.update([Fixture.app: state()])
        try fixture.settle()
        slow.end()
        let reply = try VarlinkReply<SignatureReply>(parsing: try socket.next())
        #expect(throws: VarlinkError.invalidIdentifier) { try reply.result.get() }
    }

    /// The signature and the news of the withdrawal wait for the service's thread together.
    @Test func aSignatureIsNotHandedOverThatArrivesWithTheWithdrawal() throws {
        let (slow, gate) = (SlowKeys(), Gate())
        let room = SigningRoom(keyring: IdentityKeyring([slow]))
        let key = StoredKey(keeper: slow.name, type: .ec, size: 256, material: Data())
        let stored = StoredIdentity(certificates: [Data([48, 1])], key: key, hardwareBound: true)
        let fixture = try Fixture(
            ourselves: true, secrets: ["i": .identity(stored), "d2": .password("two")],
            signingRoom: room, whenRead: { if $0 == "d2" { gate.hold() } })
        let held = AppSecrets.Entry(.password, "held", digest: "d2")
        fixture.service.update([Fixture.app: state(held, .init(.identity, "mtls", digest: "i"))])
        let (other, app) = (try AppSocket(fixture), try AppSocket(fixture))
        try app.send(request(stored.reference))
        slow.waitUntilAsked()
        try other.send(.getSecret(.password, identifier: "held"))
        gate.waitUntilAsked()
        fixture.service.update([Fixture.app: state(held)])
        slow.end()
        // The keys sign one after the other: when the next is asked for, the signature before has arrived.
        let next = SignRequest(
            identifier: "mtls", reference: stored.reference, algorithm: Self.algorithm, data: Data("next".utf8))
        room.sign(next, for: "com.example.next") {
            .identity(stored)
        } answer: { _ in
        }
        slow.waitUntilAsked()
        slow.end()
        gate.end()
        let reply = try VarlinkReply<SignatureReply>(parsing: try app.next())
        #expect(throws: VarlinkError.invalidIdentifier) { try reply.result.get() }
    }
}

/// Where a thread waits until a test lets it go on.
private final class Gate: Sendable {
    private let asked = DispatchSemaphore(value: 0)
    private let gate = DispatchSemaphore(value: 0)

    func hold() {
        asked.signal()
        gate.wait()
    }

    func waitUntilAsked() { asked.wait() }
    func end() { gate.signal() }
}

/// A keeper whose keys sign when a test lets them.
private final class SlowKeys: IdentityKeys {
    let name = "slow"
    let isHardware = true
    private let gate = Gate()

    func waitUntilAsked() { gate.waitUntilAsked() }
    func end() { gate.end() }

    func sign(
        _ data: Data, _ algorithm: SignatureAlgorithm, with key: StoredKey
    ) throws(SigningRefusal) -> Data {
        gate.hold()
        return Data([1])
    }
}

extension Fixture {
    /// Returns once the service has taken all earlier messages.
    func settle() throws {
        // The service's thread takes its inbox in the same round as, or before, what comes on a new connection.
        for _ in 0..<2 { _ = try AppSocket(self).raw(.information) }
    }
}
