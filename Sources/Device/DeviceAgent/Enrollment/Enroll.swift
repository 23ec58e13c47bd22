import Crypto
import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds
package import Logging
import TPMKeys

/// Enrols a device: profile, key, certificate, Authenticate, TokenUpdate.
///
/// Each step is on the disk before the next begins, so that the same command again goes on where the last one was cut
/// off: with the same profile, key and certificate request. That is what a server needs to give the same answer twice.
package struct Enroll: Sendable {
    private let device: Device
    private let log: Logger

    package init(device: Device, log: Logger) {
        self.device = device
        self.log = log
    }

    /// Enrols with the server at `url` by a one-time `code`.
    package func run(url: String, code: String, trust: ServerTrust) async throws {
        let origin = try Origin(url)
        var enrollment = try await begun(origin, code: code, trust: trust)
        guard enrollment.stage < .isComplete else { return }
        let profile = try parsed(enrollment.profile)
        if enrollment.stage < .hasCertificate {
            enrollment.certificate = try await identity(profile, enrollment.roots).certificate(for: enrollment.key)
            enrollment.stage = .hasCertificate
            try keep(enrollment)
        }
        try await checkIn(&enrollment, profile)
    }

    /// Why an enrollment failed, for a person at a terminal.
    package static func explanation(of error: any Error) -> String {
        switch error {
        case let refusal as EnrollmentRefusal: "\(refusal)"
        case let silence as ServerSilence: silence.explanation
        case is TPMFailure, is KeyRefusal: "this device's TPM does not answer; run the same command again"
        case is CancellationError: "interrupted; the same command again continues"
        default: "the enrollment failed: \(error)"
        }
    }

    // MARK: - Steps

    /// The enrollment to go on with, or a new one with its profile and key.
    private func begun(_ origin: Origin, code: String, trust: ServerTrust) async throws -> Enrollment {
        let codeDigest = Data(code.utf8).digest
        if let known = device.known.enrollment {
            if known.codeDigest == codeDigest, known.origin == origin.text { return known }
            guard known.stage < .isAuthenticated else { throw EnrollmentRefusal.alreadyEnrolled }
        }
        let roots = try await trust.roots(host: origin.host, port: origin.port)
        let connection = try ServerConnection(roots: roots, identity: nil)
        defer { connection.close() }
        let path = code.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["-", "_", "."])) ?? ""
        let reply = try await connection.send(
            "GET", origin.text + "/enroll/" + path, answerLimit: InputLimits.message.bytes)
        guard Busy(reply) == nil else { throw EnrollmentRefusal.serverBusy }
        guard reply.status == 200 else { throw EnrollmentRefusal.codeRefused(reply.status) }
        let profile = try parsed(reply.body)
        if let refusal = EnrollmentIdentity.refusal(of: profile.identity, tpm: device.tpm) { throw refusal }
        let enrollment = Enrollment(
            origin: origin.text, codeDigest: codeDigest, roots: roots, profile: reply.body,
            key: try await identity(profile, roots).makeKey(), token: SymmetricKey(size: .bits256).data,
            pushMagic: UUID().uuidString)
        try keep(enrollment)
        return enrollment
    }

    private func checkIn(_ enrollment: inout Enrollment, _ profile: EnrollmentProfile) async throws {
        let connection = try ServerConnection(
            roots: enrollment.roots + profile.roots, identity: enrollment.identity(tpm: device.tpm),
            signs: profile.mdm.signMessage)
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
            case .notFound: throw EnrollmentRefusal.serverRefused(404)
            case .identityExpired: throw EnrollmentRefusal.identityExpired
            case .busy: throw EnrollmentRefusal.serverBusy
            case .status(let status): throw EnrollmentRefusal.serverRefused(status)
            case .malformed, .otherDeclaration: throw EnrollmentRefusal.profileUnusable
            }
        }
        enrollment.stage = .isComplete
        try keep(enrollment)
        log.info("enrolled")
    }

    private func identity(_ profile: EnrollmentProfile, _ roots: [Data]) -> EnrollmentIdentity {
        EnrollmentIdentity(profile: profile, roots: roots, device: device, log: log)
    }

    private func keep(_ enrollment: Enrollment) throws { try device.change { $0.enrollment = enrollment } }

    private func parsed(_ profile: Data) throws -> EnrollmentProfile {
        do { return try EnrollmentProfile(parsing: profile) } catch { throw EnrollmentRefusal.profileUnusable }
    }
}

extension Device {
    /// How this device presents itself, no further than the profile lets it.
    func authenticate(_ profile: EnrollmentProfile) -> Authenticate {
        let mayTell = profile.mdm.accessRights.map { $0 & AccessRights.deviceInformation != 0 } ?? true
        return Authenticate(
            identifier: known.identifier, topic: profile.mdm.topic, deviceName: facts.hostName,
            modelName: facts.modelName, model: facts.model, osVersion: mayTell ? facts.systemVersion : nil,
            buildVersion: mayTell ? facts.kernelVersion : nil, productName: mayTell ? facts.systemName : nil,
            serialNumber: mayTell ? facts.serialNumber : nil, agentVersion: MartletAgent.version)
    }

    /// How this device is woken.
    func tokenUpdate(_ enrollment: Enrollment, _ profile: EnrollmentProfile) -> TokenUpdate {
        TokenUpdate(
            identifier: known.identifier, topic: profile.mdm.topic, token: enrollment.token,
            pushMagic: enrollment.pushMagic)
    }
}

extension SCEPPayload {
    /// The key it asks for; the protocol's default of 1024 bits is no longer safe: never less than 2048.
    var keyAlgorithm: SigningKey.Algorithm {
        keySize <= 2_048 ? .rsa2048 : keySize <= 3_072 ? .rsa3072 : .rsa4096
    }
}

/// A server's address, without a path.
private struct Origin {
    let text: String
    let host: String
    let port: Int

    init(_ url: String) throws(EnrollmentRefusal) {
        guard let parts = URLComponents(string: url), parts.scheme == "https", let host = parts.host, !host.isEmpty,
            parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.user == nil
        else { throw .badURL }
        self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        port = parts.port ?? 443
        text = "https://\(host):\(port)"
    }
}

extension SymmetricKey {
    fileprivate var data: Data { unsafe withUnsafeBytes { unsafe Data($0) } }
}
