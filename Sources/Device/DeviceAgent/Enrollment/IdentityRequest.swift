import Crypto
import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds
import Logging
import SCEP
import SwiftASN1
import X509

/// Asks the certificate authority of a profile for this device's identity, by SCEP.
struct IdentityRequest: Sendable {
    /// However patient the profile is, somebody waits at a terminal.
    private static let retryLimit = 10
    private static let retryDelayLimit = 30

    let connection: ServerConnection
    let payload: SCEPPayload
    var wishes = CertificateWishes()
    let log: Logger
    /// What the authority may answer with.
    var policy = CryptographyPolicy.modern

    /// The certificate for `key`; the same key asked for again is the same transaction to the server.
    func certificate(for key: SigningKey, defaultName: String) async throws -> Data {
        let authority = try await authority()
        let capabilities = SCEPCapabilities(
            parsing: String(decoding: try await get("GetCACaps", message: payload.name), as: UTF8.self))
        let subject = payload.subject.isEmpty ? [[["CN", defaultName]]] : payload.subject
        var left = min(payload.retries, Self.retryLimit)
        while true {
            // Made anew each time: a nonce is used once.
            let (message, exchange) = try SCEPClient.makeRequest(
                subject: subject, challenge: payload.challenge, key: key, caCertificate: authority,
                capabilities: capabilities, now: Date(), wishes: wishes)
            let answer = try await operate(message, capabilities)
            switch try read(answer, exchange) {
            case .issued(let certificate):
                guard Self.isIssued(certificate, by: authority) else {
                    throw EnrollmentRefusal.authorityFingerprintDiffers
                }
                return certificate
            case .failed(let info):
                throw EnrollmentRefusal.certificateRefused("\(info)")
            case .pending:
                guard left > 0 else { throw EnrollmentRefusal.certificatePending }
                left -= 1
                log.info("the certificate authority has not decided yet")
                try await Task.sleep(for: .seconds(min(payload.retryDelay, Self.retryDelayLimit)))
            }
        }
    }

    private func read(_ answer: Data, _ exchange: SCEPClient.Exchange) throws -> SCEPClient.Reply {
        do {
            return try SCEPClient.readReply(answer, exchange, policy: policy)
        } catch .outer(.legacyAlgorithm), .inner(.legacyAlgorithm) {
            throw EnrollmentRefusal.authorityIsLegacy
        }
    }

    /// The authority's certificate, which must match the profile's fingerprint if it has one.
    private func authority() async throws -> Data {
        let certificates = try SCEPClient.readCertificates(try await get("GetCACert", message: payload.name))
        guard let expected = payload.caFingerprint else {
            guard let first = certificates.first else { throw EnrollmentRefusal.certificateRefused("no authority") }
            return first
        }
        guard let match = certificates.first(where: { Self.fingerprint(of: $0, bytes: expected.count) == expected })
        else {
            throw EnrollmentRefusal.authorityFingerprintDiffers
        }
        return match
    }

    /// The length of a fingerprint tells its kind; MD5 is no longer one.
    private static func fingerprint(of certificate: Data, bytes: Int) -> Data? {
        switch bytes {
        case 20: Data(Insecure.SHA1.hash(data: certificate))
        case 32: Data(SHA256.hash(data: certificate))
        default: nil
        }
    }

    private static func isIssued(_ der: Data, by authority: Data) -> Bool {
        guard let certificate = try? Certificate(derEncoded: Array(der)),
            let issuer = try? Certificate(derEncoded: Array(authority))
        else { return false }
        return issuer.publicKey.isValidSignature(certificate.signature, for: certificate)
    }

    private func operate(_ message: Data, _ capabilities: SCEPCapabilities) async throws -> Data {
        guard capabilities.contains(.postPKIOperation) else {
            return try await get("PKIOperation", message: message.base64EncodedString())
        }
        let reply = try await connection.send(
            "POST", url("PKIOperation", message: nil), contentType: MediaType.scepMessage, body: message,
            answerLimit: InputLimits.message.bytes)
        return try accepted(reply)
    }

    private func get(_ operation: String, message: String?) async throws -> Data {
        try accepted(
            try await connection.send("GET", url(operation, message: message), answerLimit: InputLimits.message.bytes))
    }

    private func accepted(_ reply: ServerReply) throws -> Data {
        guard Busy(reply) == nil else { throw EnrollmentRefusal.serverBusy }
        guard reply.status == 200 else { throw EnrollmentRefusal.authorityStatus(reply.status) }
        return reply.body
    }

    private func url(_ operation: String, message: String?) -> String {
        var query = "operation=" + operation
        if let message {
            query += "&message=" + (message.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        }
        return payload.url + (payload.url.contains("?") ? "&" : "?") + query
    }
}
