import CertificateAuthority
import Crypto
import DeviceMessages
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SCEP
import Synchronization

/// A SCEP entrance: gives out its authority's certificate, and certificates for requests that carry a right to one.
struct SCEPRoutes: Sendable {
    private let path: RouterPath
    private let authority: Authority
    private let limits: ServerLimits
    private let traffic: Traffic
    private let server: SCEPServer
    private let issuer: any SCEPIssuer
    private let strangers: StrangerBudget
    private let refused: Refused
    /// A device renews by a new document or profile with a new right.
    private var capabilities: SCEPCapabilities { server.capabilities.subtracting(.renewal) }

    init(
        at path: RouterPath, authority: Authority, issuer: any SCEPIssuer, limits: ServerLimits, traffic: Traffic,
        strangers: StrangerBudget
    ) throws {
        self.path = path
        self.authority = authority
        self.issuer = issuer
        self.limits = limits
        self.traffic = traffic
        self.strangers = strangers
        refused = Refused(limits: limits)
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
        let peer = context.peer.counted
        let digest = Data(SHA256.hash(data: message))
        guard !refused.messages.contains(digest) else {
            return refuse("the server refused the same message before", context)
        }
        guard refused.rate.admits(peer) else { throw HTTPProblem.refusedEnough }
        switch try await open(message, context.peer) {
        case .failure(let refusal):
            refused.messages.insert(digest)
            return try await answer("\(refusal)", context) { [server, issuer] in
                server.failure(toRefused: message, allowLegacy: issuer.mayTakeLegacy, refusal.failInfo)
            }
        case .success(let request):
            do {
                let certificate = try await issuer.certificate(for: request)
                refused.rate.takeBack(peer)
                let reply = try await strangers.work.run { [server] in
                    try server.success(request, certificateDER: certificate)
                }
                return Self.answer(MediaType.scepMessage, reply)
            } catch let refusal as SCEPIssuerRefusal {
                refused.messages.insert(digest)
                return try await answer(refusal.rule, context) { [server] in
                    try server.failure(request, refusal.failInfo)
                }
            }
        }
    }

    private func open(_ message: Data, _ peer: ConnectionPeer) async throws -> Result<SCEPRequest, SCEPRefusal> {
        try await strangers.work.run(for: peer) { [server, issuer] in
            // The code inside decides whether old algorithms may be used, so they must be readable first.
            do throws(SCEPRefusal) {
                return .success(try server.open(pkiMessage: message, allowLegacy: issuer.mayTakeLegacy))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Answers a refusal: signed, as far as the message names to whom and the budget of signatures lasts.
    private func answer(
        _ rule: String, _ context: MartletContext, _ sign: @escaping @Sendable () throws -> Data?
    ) async throws -> Response {
        guard refused.signatures.withLock({ $0.takes(now: Date()) }),
            let reply = try await strangers.work.run(for: context.peer, sign)
        else { return refuse("the message was refused", context, log: rule) }
        note(rule, context)
        return Self.answer(MediaType.scepMessage, reply)
    }

    /// Refuses without a signature; `log` has the rule where it follows from what is inside an envelope and must not be said.
    private func refuse(_ rule: String, _ context: MartletContext, log: String? = nil) -> Response {
        note(log ?? rule, context)
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

/// What was refused at an entrance, and how much more may be.
private final class Refused: Sendable {
    let messages = RefusedMessages()
    /// Counts each message until it is granted.
    let rate: PeerRate
    let signatures: Mutex<SignatureBudget>

    init(limits: ServerLimits) {
        rate = PeerRate(perNetwork: limits.refusedSCEPMessages)
        signatures = Mutex(SignatureBudget(perSecond: limits.refusalSignaturesPerSecond))
    }
}

extension HTTPProblem {
    fileprivate static let refusedEnough = HTTPProblem(
        .tooManyRequests, "throttled", "Too many certificate requests from this address were refused",
        headers: [.retryAfter: "60"])
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
