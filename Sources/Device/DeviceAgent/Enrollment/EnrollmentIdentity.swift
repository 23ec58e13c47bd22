import ACME
import CryptographicMessages
import DeviceMessages
import Foundation
import Logging
import SCEP
import TPMKeys
import X509

/// Has the identity of an enrollment as the profile says: by SCEP, or by ACME for a key in the chip where there is one.
struct EnrollmentIdentity: Sendable {
    /// Somebody waits at a terminal.
    private static let timeLimit = Duration.seconds(60)

    let profile: EnrollmentProfile
    /// By what the server is trusted.
    let roots: [Data]
    let device: Device
    let log: Logger
    /// Whether the roots serve every address of the profile, as those in a profile do; or the server's own alone.
    var rootsServeEveryAddress = false
    /// What the authority may answer with.
    var policy = CryptographyPolicy.modern

    /// Whether this device can make what the profile asks for; what is demanded of the key is had, or it is refused.
    static func refusal(
        of identity: IdentityPayload, tpm: TPM?, separatesData: Bool = false
    ) -> EnrollmentRefusal? {
        switch identity {
        case .scep(let scep):
            return scep.keyType == "RSA" && scep.keySize <= 4_096 ? nil : .unsupportedKey
        case .acme(let acme):
            guard !(acme.attest && separatesData) else { return .chipWouldNameDevice }
            guard tpm != nil || !(acme.attest || acme.hardwareBound) else {
                return acme.attest ? .chipDemanded : .hardwareDemanded
            }
            return acme.keyType == .ec && acme.keySize <= 384 ? nil : .unsupportedKey
        case .pkcs12: return nil
        }
    }

    func makeKey() async throws -> KeptKey {
        switch profile.identity {
        case .scep(let scep): return KeptKey(pem: try SigningKey.generate(scep.keyAlgorithm).pem)
        case .acme(let acme):
            let isLarge = acme.keySize == 384
            guard let tpm = device.tpm else {
                return KeptKey(pem: try SigningKey.generate(isLarge ? .p384 : .p256).pem)
            }
            return KeptKey(chip: try await tpm.createKey(isLarge ? .p384 : .p256))
        case .pkcs12(let file): return KeptKey(pem: try Self.contents(of: file).key.pem)
        }
    }

    /// The certificate for `key`; asked for again with the same key it is the same one.
    func certificate(for key: KeptKey) async throws -> Data {
        switch profile.identity {
        case .scep(let scep):
            let connection = try ServerConnection(
                roots: roots, identity: nil, allowsPlainHTTP: scep.isPlain && scep.caFingerprint != nil)
            defer { connection.close() }
            let request = IdentityRequest(
                connection: connection, payload: rootsServeEveryAddress ? named(scep) : scep,
                wishes: rootsServeEveryAddress ? scep.wishes : CertificateWishes(), log: log, policy: policy)
            return try await request.certificate(
                for: SigningKey(pem: key.pem ?? ""), defaultName: device.known.identifier.id)
        case .acme(let acme): return try await certificate(for: key, acme)
        case .pkcs12(let file):
            guard let own = try Self.contents(of: file).certificates.first else { throw EnrollmentRefusal.noIdentity }
            return own
        }
    }

    private static func contents(of file: PKCS12Payload) throws(EnrollmentRefusal) -> PKCS12Contents {
        do {
            return try PKCS12.open(file.content, password: file.password ?? "")
        } catch {
            throw .profileRefused("its identity cannot be opened: \(error)")
        }
    }

    /// The payload with what it says of this device put in the place of its variables, as other systems do.
    private func named(_ scep: SCEPPayload) -> SCEPPayload {
        let facts = device.facts
        let values = [
            "%HardwareUUID%": device.known.udid, "%SerialNumber%": facts.serialNumber ?? "",
            "%ComputerName%": facts.hostName, "%HostName%": facts.hostName, "%LocalHostName%": facts.hostName,
        ]
        var named = scep
        named.subject = scep.subject.map { set in
            set.map { pair in
                pair.map { text in
                    values.reduce(text) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
                }
            }
        }
        return named
    }

    private func certificate(for key: KeptKey, _ acme: ACMEDocument) async throws -> Data {
        let home = HomeServer(url: profile.mdm.serverURL, roots: roots)
        let connection = try ServerConnection(
            roots: rootsServeEveryAddress ? roots : home.roots(for: acme.directoryURL), identity: nil)
        defer { connection.close() }
        let requester: Certificate.PrivateKey
        if let blob = key.chip, let tpm = device.tpm {
            requester = try ChipKeys.requester(of: blob, in: tpm)
        } else {
            requester = try SigningKey(pem: key.pem ?? "").certificateKey
        }
        let request = try await CertificateRequest.make(
            subject: acme.subject, key: requester,
            algorithm: acme.keySize == 384 ? .ecdsaWithSHA384 : .ecdsaWithSHA256, wishes: acme.wishes)
        do {
            let chain = try await withTimeLimit(Self.timeLimit) {
                try await ACMEOrdering(connection: connection).chain(acme, request: request) { token, authorization in
                    try await statement(acme, key, home, token, authorization)
                }
            }
            guard let leaf = chain.first else { throw ACMERefusal.certificate }
            return leaf
        } catch let refusal as ACMERefusal {
            throw Self.refusal(of: refusal)
        }
    }

    /// What proves that the key is in the chip, if that is asked for: the chip is asked under the right to the identity,
    /// because nobody knows this device yet, or its identity has expired.
    private func statement(
        _ acme: ACMEDocument, _ key: KeptKey, _ home: HomeServer, _ token: String, _ keyAuthorization: String
    ) async throws -> Data {
        guard acme.attest, let tpm = device.tpm, let blob = key.chip else { return ACMEOrdering.noStatement }
        let connection = try ServerConnection(roots: home.roots(for: profile.mdm.serverURL), identity: nil)
        defer { connection.close() }
        let attestation = ChipAttestation(
            tpm, device: device, connection: connection, server: profile.mdm.serverURL, right: acme.clientIdentifier,
            now: { Date() })
        do {
            return try await attestation.statement(about: blob, token: token, keyAuthorization: keyAuthorization)
        } catch let refusal as ChipRefusal {
            throw refusal == .busy ? EnrollmentRefusal.serverBusy : EnrollmentRefusal.chipNotCertified
        }
    }

    private static func refusal(of refusal: ACMERefusal) -> EnrollmentRefusal {
        switch refusal {
        case .status(429, _), .status(500...599, _): .serverBusy
        case .patience: .certificatePending
        default: .certificateRefused("\(refusal)")
        }
    }
}

extension EnrollmentIdentity {
    /// The identity of `enrollment` as `profile` says.
    init(_ profile: EnrollmentProfile, _ enrollment: Enrollment, device: Device, log: Logger) {
        guard enrollment.kind == .profile else {
            self.init(profile: profile, roots: enrollment.roots(with: profile), device: device, log: log)
            return
        }
        self.init(
            profile: profile, roots: profile.authorityRoots(given: enrollment.roots), device: device, log: log,
            rootsServeEveryAddress: true, policy: enrollment.allowsLegacy == true ? .legacy : .modern)
    }
}

extension SCEPPayload {
    /// What the certificate is to say beside the subject.
    var wishes: CertificateWishes {
        var wishes = CertificateWishes()
        wishes.emailAddress = subjectAltName?.emailAddress
        wishes.dnsName = subjectAltName?.dnsName
        wishes.uri = subjectAltName?.uri
        wishes.principalName = subjectAltName?.principalName
        wishes.signs = keyUsage & 1 != 0
        wishes.encrypts = keyUsage & 4 != 0
        return wishes
    }
}
