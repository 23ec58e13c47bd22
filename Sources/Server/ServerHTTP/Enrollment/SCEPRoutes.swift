import CertificateAuthority
import Crypto
import DeviceMessages
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Management
import NIOCore
import SCEP

/// `/scep`: gives out the authority's certificate, and certificates for requests that carry an enrollment code.
struct SCEPRoutes: Sendable {
    private let management: Management
    private let authority: Authority
    private let limits: ServerLimits
    private let now: @Sendable () -> Date
    private let traffic: Traffic
    private let server: SCEPServer
    /// A device renews by installing a new profile with a new code.
    private var capabilities: SCEPCapabilities { server.capabilities.subtracting(.renewal) }

    init(
        management: Management, authority: Authority, limits: ServerLimits, now: @escaping @Sendable () -> Date,
        traffic: Traffic
    ) throws {
        self.management = management
        self.authority = authority
        self.limits = limits
        self.now = now
        self.traffic = traffic
        server = try SCEPServer(certificateDER: authority.certificateDER, keyPEM: authority.keyPEM)
    }

    func add(to router: Router<MartletContext>) {
        router.get("/scep") { request, context in
            let query = request.uri.query ?? ""
            switch SCEPMessageText.value(of: "operation", inQuery: query) {
            case "GetCACaps":
                return Self.answer("text/plain", Data(capabilities.text.utf8))
            case "GetCACert":
                return Self.answer(MediaType.certificate, authority.certificateDER)
            case "PKIOperation":
                guard let message = SCEPMessageText.data(inQuery: query) else {
                    return refuse("a SCEP message in a query is Base64", context)
                }
                return try await operate(message, context)
            default:
                return refuse("the SCEP operation is GetCACaps, GetCACert or PKIOperation", context)
            }
        }
        router.post("/scep") { request, context in
            guard SCEPMessageText.value(of: "operation", inQuery: request.uri.query ?? "") == "PKIOperation" else {
                return refuse("only PKIOperation is posted", context)
            }
            return try await operate(request.bytes(upTo: limits.scepMessageBytes), context)
        }
    }

    private func operate(_ message: Data, _ context: MartletContext) async throws -> Response {
        let request: SCEPRequest
        do {
            // The code inside decides whether old algorithms may be used, so they must be readable first.
            request = try server.open(pkiMessage: message, allowLegacy: true)
        } catch {
            guard let reply = server.failure(toRefused: message, allowLegacy: true, error.failInfo) else {
                return refuse("\(error)", context)
            }
            note("\(error)", context)
            return Self.answer(MediaType.scepMessage, reply)
        }
        do {
            let certificate = try await certificate(for: request)
            return Self.answer(MediaType.scepMessage, try server.success(request, certificateDER: certificate))
        } catch let refusal as EnrollmentRefusal {
            note(refusal.rule, context)
            return Self.answer(MediaType.scepMessage, try server.failure(request, refusal.failInfo))
        }
    }

    /// The certificate for a request: written down before it leaves, and the same one again if the answer was lost.
    private func certificate(for request: SCEPRequest) async throws -> Data {
        guard request.messageType == .certificateRequest else {
            throw EnrollmentRefusal(.badRequest, "a certificate is asked for with an enrollment code, not renewed")
        }
        guard let code = request.csr.challengePassword else {
            throw EnrollmentRefusal(.badRequest, "a certificate request carries an enrollment code")
        }
        switch try await management.examine(code: code) {
        case .refused(let refusal): throw EnrollmentRefusal(refusal)
        case .accepted(let found):
            guard !request.usedLegacy || found.allowLegacyCryptography else {
                throw EnrollmentRefusal(.badAlgorithm, "the enrollment code does not permit DES, Triple DES or SHA-1")
            }
        }
        // Made before the code is used: a request that cannot be served leaves the code as it was.
        let moment = now()
        let fresh: Data
        do {
            fresh = try authority.issueDevice(requestDER: request.csr.der, commonName: Self.name(), now: moment)
        } catch {
            throw EnrollmentRefusal(.badRequest, "the certificate request: \(error)")
        }
        let redeemed: RedeemedCode
        switch try await management.redeem(
            code: code, transactionID: request.transactionID, publicKeyDigest: request.csr.publicKeyDigest)
        {
        case .refused(let refusal): throw EnrollmentRefusal(refusal)
        case .accepted(let found): redeemed = found
        }
        if let issued = redeemed.issued { return issued.certificateDER }
        guard case .issuedByUs(let facts) = authority.judge(fresh, now: moment) else {
            throw EnrollmentRefusal(.badRequest, "the certificate request does not lead to a device certificate")
        }
        let record = IssuedRecord(
            serial: Hexadecimal.text(facts.serial), fingerprint: facts.fingerprint, certificateDER: fresh,
            codeID: redeemed.code.id, publicKeyDigest: request.csr.publicKeyDigest, issued: moment,
            notAfter: facts.notAfter)
        if let refusal = try await management.recordIssued(record) { throw EnrollmentRefusal(refusal) }
        return fresh
    }

    /// A name that says nothing of the device: what it is called is for the administrator to see, not for the network.
    private static func name() -> String { "device \(UUID().uuidString.lowercased())" }

    private func refuse(_ rule: String, _ context: MartletContext) -> Response {
        note(rule, context)
        return Response(
            status: .badRequest, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: "\(rule)\n")))
    }

    private func note(_ rule: String, _ context: MartletContext) {
        traffic.countRefusal()
        context.logger.notice("enrollment refused", metadata: ["rule": "\(rule)"])
    }

    private static func answer(_ mediaType: String, _ data: Data) -> Response {
        Response(
            status: .ok, headers: [.contentType: mediaType, .cacheControl: "no-store"],
            body: ResponseBody(data: data))
    }
}

/// Why no certificate is issued: what the client hears, and the rule for the log.
private struct EnrollmentRefusal: Error {
    let failInfo: SCEPFailInfo
    let rule: String

    init(_ failInfo: SCEPFailInfo, _ rule: String) {
        self.failInfo = failInfo
        self.rule = rule
    }

    init(_ refusal: CodeRefusal) {
        self.init(.badRequest, refusal.reason)
    }
}
