import Crypto
import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds
package import Logging
import TPMKeys

/// Enrolls a device: profile, key, certificate, Authenticate, TokenUpdate.
///
/// Each step is on the disk before the next begins, so that the same command again goes on where the last one was cut
/// off: with the same profile, key and certificate request. That is what a server needs to give the same answer twice.
package struct Enroll: Sendable {
    let device: Device
    let log: Logger

    package init(device: Device, log: Logger) {
        self.device = device
        self.log = log
    }

    /// Enrolls, or goes on with what the same wish began.
    package func run(_ wish: EnrollmentWish, trust: ServerTrust) async throws {
        if let known = device.known.enrollment, known.stage == .isComplete, device.known.needsSignIn, wish.began(known)
        {
            return try await signInAgain(wish, known)
        }
        var enrollment = try await begun(wish, trust: trust)
        guard enrollment.stage < .isComplete else { return }
        let profile = try parsed(enrollment.profile)
        if enrollment.stage < .hasCertificate {
            do {
                enrollment.certificate = try await EnrollmentIdentity(profile, enrollment, device: device, log: log)
                    .certificate(for: enrollment.key)
            } catch let refusal as EnrollmentRefusal where wish.kind != .device && refusal.isFinal {
                // A code is typed again; who signs in or is expected gets another right, so this one must not be in the way.
                try device.change(forgetting: true) { $0.enrollment = nil }
                throw refusal
            } catch ServerSilence.untrusted where wish.kind == .profile {
                // Nothing was said yet: the same profile may be tried again with --ca-file.
                try device.change(forgetting: true) { $0.enrollment = nil }
                throw ServerSilence.untrusted
            }
            enrollment.stage = .hasCertificate
            enrollment.forgetProfileSecrets()
            try keep(enrollment)
        }
        try await checkIn(&enrollment, profile)
    }

    /// Why an enrollment failed and what to do, for a person at a terminal who has named this server.
    package static func explanation(of error: any Error, at server: String? = nil) -> String {
        switch error {
        case let refusal as EnrollmentRefusal: "\(refusal)"
        case let silence as ServerSilence:
            [silence.explanation(at: server), silence.advice].compactMap(\.self).joined(separator: "\n")
        case is TPMFailure, is KeyRefusal: "this device's TPM does not answer; run the same command again"
        case is CancellationError: "interrupted; the same command again continues"
        default: "the enrollment failed: \(error)"
        }
    }

    // MARK: - Steps

    /// The enrollment to go on with, or a new one with its profile and key.
    private func begun(_ wish: EnrollmentWish, trust: ServerTrust) async throws -> Enrollment {
        if let known = device.known.enrollment {
            if wish.began(known) { return known }
            guard known.stage < .isAuthenticated else { throw EnrollmentRefusal.alreadyEnrolled }
        }
        if case .profile(let file, let allowsLegacy) = wish {
            return try await begin(file, allowsLegacy: allowsLegacy, wish, trust)
        }
        let origin = try wish.origin()
        let roots = try await trust.roots(host: origin.host, port: origin.port)
        let content = try await ProfileRequest(facts: device.facts, udid: device.known.udid, roots: roots).profile(wish)
        let profile = try parsed(content)
        // What is managed is what was asked for: a profile must not make it more, nor another thing.
        guard (profile.mdm.account != nil) == (wish.kind == .account) else { throw EnrollmentRefusal.otherKind }
        let separatesData = profile.mdm.account?.mode == .ownDevice
        guard !separatesData || profile.mdm.accessRights == nil else { throw EnrollmentRefusal.otherKind }
        let refusal = EnrollmentIdentity.refusal(
            of: profile.identity, tpm: device.tpm, separatesData: separatesData)
        if let refusal { throw refusal }
        let kept = roots.isEmpty ? await Self.narrowed(profile) : roots
        var enrollment = Enrollment(
            origin: origin.text, codeDigest: wish.digest, roots: kept, profile: content,
            key: try await EnrollmentIdentity(profile: profile, roots: kept, device: device, log: log).makeKey(),
            token: SymmetricKey(size: .bits256).data,
            pushMagic: UUID().uuidString, kind: wish.kind, enrollmentID: separatesData ? UUID().uuidString : nil,
            accessToken: wish.accessToken)
        if profile.awaitsConfiguration { enrollment.awaitsConfiguration = true }
        if profile.isSupervised { enrollment.supervised = true }
        try keep(enrollment)
        return enrollment
    }

    /// By what a server that was known by the system's authorities is known from now on: the profile's own, if they vouch
    /// for it.
    ///
    /// The system has hundreds. A server whose certificate is from one of those stays known by them.
    private static func narrowed(_ profile: EnrollmentProfile) async -> [Data] {
        let connection = try? ServerConnection(roots: profile.roots, identity: nil)
        guard !profile.roots.isEmpty, let connection else { return [] }
        defer { connection.close() }
        let address = profile.mdm.checkInURL ?? profile.mdm.serverURL
        let answers = (try? await connection.send("GET", address, answerLimit: 65_536)) != nil
        return answers ? profile.roots : []
    }

    /// The person of an enrolled device signs in again: nothing of the enrollment changes but what it shows.
    private func signInAgain(_ wish: EnrollmentWish, _ enrollment: Enrollment) async throws {
        guard case .account(_, .some(let signedIn)) = wish else { throw EnrollmentRefusal.signInDemanded }
        guard try ServerOrigin(of: signedIn.baseURL).text == enrollment.origin else {
            throw EnrollmentRefusal.otherServer
        }
        var renewed = enrollment
        renewed.show(signedIn.token)
        // Before it is shown: the server takes it once, whether or not its answer arrives.
        try keep(renewed)
        try await checkIn(&renewed, try parsed(renewed.profile))
        try device.change { $0.enrollment?.needsSignIn = nil }
        log.info("signed in again")
    }

    private func checkIn(_ enrollment: inout Enrollment, _ profile: EnrollmentProfile) async throws {
        let connection = try ServerConnection(
            roots: enrollment.roots(with: profile), identity: enrollment.identity(tpm: device.tpm),
            signs: profile.mdm.signMessage, accessToken: enrollment.accessToken(with: profile))
        let requests = MDMRequests(connection: connection, profile: profile, identifier: device.known.identifier)
        defer { connection.close() }
        try await checkIn(&enrollment, profile, requests)
    }

    private func checkIn(
        _ enrollment: inout Enrollment, _ profile: EnrollmentProfile, _ requests: MDMRequests
    ) async throws {
        do {
            if enrollment.stage < .isAuthenticated {
                try await requests.checkIn(.authenticate(device.authenticate(profile)))
                enrollment.stage = .isAuthenticated
                try keep(enrollment)
            }
            try await requests.checkIn(.tokenUpdate(device.tokenUpdate(enrollment, profile)))
        } catch let refusal as ServerRefusal {
            switch refusal {
            case .unrecognized: throw EnrollmentRefusal.serverRefused(401)
            case .signInNeeded: throw EnrollmentRefusal.signInRefused
            case .notFound: throw EnrollmentRefusal.serverRefused(404)
            case .identityExpired: throw EnrollmentRefusal.identityExpired
            case .identifierTaken: throw EnrollmentRefusal.identifierTaken(device.known.identifier.id)
            case .secretsOutOfReach: throw EnrollmentRefusal.secretsOutOfReach
            case .busy: throw EnrollmentRefusal.serverBusy
            case .status(let status): throw EnrollmentRefusal.serverRefused(status)
            case .malformed, .otherDeclaration: throw EnrollmentRefusal.profileUnusable
            }
        }
        enrollment.stage = .isComplete
        try keep(enrollment)
        log.info("enrolled")
    }

    private func keep(_ enrollment: Enrollment) throws { try device.change { $0.enrollment = enrollment } }

    private func parsed(_ profile: Data) throws -> EnrollmentProfile {
        do { return try EnrollmentProfile(parsing: profile) } catch { throw EnrollmentRefusal.profileUnusable }
    }
}

extension Device {
    /// How this device presents itself, no further than the profile lets it.
    func authenticate(_ profile: EnrollmentProfile) -> Authenticate {
        let separatesData = known.enrollment?.separatesData == true
        let mayTell = profile.mdm.accessRights.map { $0 & AccessRights.deviceInformation != 0 } ?? true
        return Authenticate(
            identifier: known.identifier, topic: profile.mdm.topic, deviceName: facts.name(for: known.enrollment),
            modelName: facts.modelName, model: facts.model, osVersion: mayTell ? facts.systemVersion : nil,
            buildVersion: mayTell ? facts.kernelVersion : nil, productName: mayTell ? facts.systemName : nil,
            serialNumber: mayTell && !separatesData ? facts.serialNumber : nil, agentVersion: MartletAgent.version)
    }

    /// How this device is woken.
    func tokenUpdate(_ enrollment: Enrollment, _ profile: EnrollmentProfile) -> TokenUpdate {
        TokenUpdate(
            identifier: known.identifier, topic: profile.mdm.topic, token: enrollment.token,
            pushMagic: enrollment.pushMagic, awaitingConfiguration: enrollment.awaitsConfiguration == true)
    }
}

extension SCEPPayload {
    /// The key it asks for; the protocol's default of 1024 bits is no longer safe: never less than 2048.
    var keyAlgorithm: SigningKey.Algorithm {
        keySize <= 2_048 ? .rsa2048 : keySize <= 3_072 ? .rsa3072 : .rsa4096
    }
}

extension EnrollmentWish {
    fileprivate func origin() throws(EnrollmentRefusal) -> ServerOrigin {
        switch self {
        case .code(_, let url), .automatic(let url): return try ServerOrigin(url)
        case .account(_, let signedIn):
            guard let signedIn else { throw .signInDemanded }
            return try ServerOrigin(of: signedIn.baseURL)
        // Where its server is the profile says.
        case .profile: throw .badURL
        }
    }

    fileprivate var accessToken: String? {
        if case .account(_, let signedIn) = self { signedIn?.token } else { nil }
    }
}

extension SymmetricKey {
    var data: Data { unsafe withUnsafeBytes { unsafe Data($0) } }
}
