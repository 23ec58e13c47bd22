import ACME
import Crypto
import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOSSL
import SCEP
import Synchronization
import X509

/// A way to certificates, with every request made ready.
protocol Issuing: Sendable {
    /// Has these certificates issued, one after the other, over one connection.
    func issue(_ numbers: [Int]) async throws -> Latencies
    /// Throws unless every answer was a certificate; called when nothing is measured any more.
    func check() async throws
}

/// One message each, for keys of RSA-2048; the keys are shared in turn.
struct SCEPIssuing: Issuing {
    private static let keys = 16

    private let server: ServerURL
    private let tls: NIOSSLContext
    private let requests: [PreparedRequest]
    private let exchanges: [SCEPClient.Exchange]
    private let answers: Answers

    /// Keeps what came back, for the check.
    private final class Answers: Sendable {
        let bodies: Mutex<[Int: Data]> = Mutex([:])
    }

    init(_ documents: [Data], trust: ServerTrust) async throws {
        let keys = try (0..<Self.keys).map { _ in try SigningKey.generate(.rsa2048) }
        let payloads = try documents.map { try SCEPDocument(parsing: $0).request }
        let url = payloads[0].url
        let authority = try await trust.withClient { http in
            try await Enrollment(trust: trust, keys: 1).authority(of: url, over: http)
        }
        server = try ServerURL(url + "?operation=PKIOperation")
        tls = try NIOSSLContext(configuration: try trust.configuration())
        answers = Answers()
        var (requests, exchanges): ([PreparedRequest], [SCEPClient.Exchange]) = ([], [])
        for (number, payload) in payloads.enumerated() {
            let (message, exchange) = try SCEPClient.makeRequest(
                subject: [[["CN", "martlet-load"]]], challenge: payload.challenge, key: keys[number % keys.count],
                caCertificate: authority.certificate, capabilities: authority.capabilities, now: Date())
            requests.append(
                PreparedRequest(.POST, server, body: message, headers: [("Content-Type", MediaType.scepMessage)]))
            exchanges.append(exchange)
        }
        (self.requests, self.exchanges) = (requests, exchanges)
    }

    func issue(_ numbers: [Int]) async throws -> Latencies {
        let connection = try await DeviceConnection.open(to: server, tls: tls)
        defer { connection.close() }
        var latencies = Latencies()
        for number in numbers {
            let begun = ContinuousClock.now
            let body = try await connection.body(of: requests[number])
            latencies.add(nanoseconds: Int64(begun.duration(to: .now) / .nanoseconds(1)))
            answers.bodies.withLock { $0[number] = body }
        }
        return latencies
    }

    func check() throws {
        for (number, body) in answers.bodies.withLock({ $0 }) {
            guard case .issued = try SCEPClient.readReply(body, exchanges[number]) else {
                throw LoadFailure("the server issued no certificate by SCEP")
            }
        }
    }
}

/// The whole exchange each, for keys on P-256; a connection has one account.
struct ACMEIssuing: Issuing {
    private let wishes: [ACMEExchange.Wish]
    private let tls: NIOSSLContext

    init(_ documents: [Data], trust: ServerTrust) async throws {
        tls = try NIOSSLContext(configuration: try trust.configuration())
        // An identifier belongs to the account that ordered by it first, and each is used by one connection alone.
        let account = AccountKey.generate()
        var wishes: [ACMEExchange.Wish] = []
        for document in try documents.map({ try ACMEDocument(parsing: $0) }) {
            var asked = CertificateWishes()
            asked.permanentIdentifier = document.clientIdentifier
            asked.signs = true
            let request = try await CertificateRequest.make(
                subject: document.subject, key: Certificate.PrivateKey(P256.Signing.PrivateKey()),
                algorithm: .ecdsaWithSHA256, wishes: asked)
            wishes.append(
                ACMEExchange.Wish(
                    directoryURL: document.directoryURL,
                    identifiers: [ACMEIdentifier(.permanentIdentifier, document.clientIdentifier)],
                    challengeType: ACMEChallenge.deviceAttest, certificateRequest: request, accountKey: account))
        }
        self.wishes = wishes
    }

    func issue(_ numbers: [Int]) async throws -> Latencies {
        let connection = try await DeviceConnection.open(to: ServerURL(wishes[0].directoryURL), tls: tls)
        defer { connection.close() }
        // The attestation object of a key that nobody vouches for: `{"fmt": "none", "attStmt": {}}` in CBOR.
        let object = Base64URL.encode(Data("\u{a2}cfmtdnonegattStmt\u{a0}".unicodeScalars.map { UInt8($0.value) }))
        let client = ACMEClient(
            send: { try await Self.send($0, over: connection) },
            prove: { _, _, _ in .object(["attObj": .string(object)]) })
        var latencies = Latencies()
        for number in numbers {
            let begun = ContinuousClock.now
            _ = try await client.obtain(wishes[number])
            latencies.add(nanoseconds: Int64(begun.duration(to: .now) / .nanoseconds(1)))
        }
        return latencies
    }

    /// The client read each certificate when it came.
    func check() {}

    private static func send(
        _ request: ACMEHTTPRequest, over connection: DeviceConnection
    ) async throws -> ACMEHTTPResponse {
        let fields = request.body.map { _ in [("Content-Type", ACMEHTTPRequest.contentType)] } ?? []
        let method = HTTPMethod(rawValue: request.method.rawValue)
        let answer = try await connection.ask(
            PreparedRequest(method, ServerURL(request.url), body: request.body, headers: fields))
        var headers: [String: String] = [:]
        for name in ["replay-nonce", "location", "retry-after"] { headers[name] = answer.headers.first(name: name) }
        return ACMEHTTPResponse(status: Int(answer.status), headers: headers, body: Data(buffer: answer.body))
    }
}
