import CertificateAuthority
import DeviceMessages
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SCEP

/// A SCEP entrance: gives out its authority's certificate, and certificates for requests that carry a right to one.
struct SCEPRoutes: Sendable {
    private let path: RouterPath
    private let authority: Authority
    private let limits: ServerLimits
    private let traffic: Traffic
    private let server: SCEPServer
    private let issuer: any SCEPIssuer
    /// A device renews by a new document or profile with a new right.
    private var capabilities: SCEPCapabilities { server.capabilities.subtracting(.renewal) }

    init(
        at path: RouterPath, authority: Authority, issuer: any SCEPIssuer, limits: ServerLimits, traffic: Traffic
    ) throws {
        self.path = path
        self.authority = authority
        self.issuer = issuer
        self.limits = limits
        self.traffic = traffic
        server = try SCEPServer(certificateDER: authority.certificateDER, keyPEM: authority.keyPEM)
    }

    func add(to router: Router<MartletContext>) {
        router.get(path) { request, context in
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
        router.post(path) { request, context in
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
            request = try server.open(pkiMessage: message, allowLegacy: issuer.mayTakeLegacy)
        } catch {
            guard
                let reply = server.failure(
                    toRefused: message, allowLegacy: issuer.mayTakeLegacy, error.failInfo)
            else { return refuse("\(error)", context) }
            note("\(error)", context)
            return Self.answer(MediaType.scepMessage, reply)
        }
        do {
            let certificate = try await issuer.certificate(for: request)
            return Self.answer(MediaType.scepMessage, try server.success(request, certificateDER: certificate))
        } catch let refusal as SCEPIssuerRefusal {
            note(refusal.rule, context)
            return Self.answer(MediaType.scepMessage, try server.failure(request, refusal.failInfo))
        }
    }

    private func refuse(_ rule: String, _ context: MartletContext) -> Response {
        note(rule, context)
        return Response(
            status: .badRequest, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: "\(rule)\n")))
    }

    private func note(_ rule: String, _ context: MartletContext) {
        traffic.countRefusal()
        context.logger.notice("\(issuer.noun) refused", metadata: ["rule": "\(rule)"])
    }

    private static func answer(_ mediaType: String, _ data: Data) -> Response {
        Response(
            status: .ok, headers: [.contentType: mediaType, .cacheControl: "no-store"],
            body: ResponseBody(data: data))
    }
}

/// Decides whether a SCEP request gets a certificate, and which.
protocol SCEPIssuer: Sendable {
    /// What is refused, as the log calls it.
    var noun: String { get }
    /// Whether some requests may use old algorithms; the issuer then refuses the others.
    var mayTakeLegacy: Bool { get }
    /// The certificate for a request: written down before it leaves, and the same one again if the answer was lost.
    ///
    /// Throws `SCEPIssuerRefusal`.
    func certificate(for request: SCEPRequest) async throws -> Data
}

/// Why no certificate is issued: what the client hears, and the rule for the log.
struct SCEPIssuerRefusal: Error {
    let failInfo: SCEPFailInfo
    let rule: String

    init(_ failInfo: SCEPFailInfo, _ rule: String) {
        self.failInfo = failInfo
        self.rule = rule
    }
}
