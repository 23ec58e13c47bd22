import ACME
import CertificateAuthority
import Crypto
import CryptographicMessages
import Foundation
import InputBounds
import SCEP
import Testing

/// The client's way to a certificate, against the server's own rules in memory.
struct ACMEExchangeTests {
    private let certificateKey = SigningKey.p256(P256.Signing.PrivateKey())

    private func wish(challenge: String = ACMEChallenge.deviceAttest) throws -> ACMEExchange.Wish {
        ACMEExchange.Wish(
            directoryURL: "https://ca.example/acme/directory",
            identifiers: [ACMEIdentifier(.permanentIdentifier, "device-1")], challengeType: challenge,
            certificateRequest: try CertificateRequest.make(
                subject: [[["CN", "x"]]], challenge: nil, key: certificateKey),
            accountKey: .generate())
    }

    /// Plays an exchange to its end; counts the seconds it waited.
    private func play(
        _ server: PlayedACMEServer, _ wish: ACMEExchange.Wish,
        proof: JSONValue = .object(["attObj": .string("oA")])
    ) throws -> (chain: ACMEChain, waited: Int) {
        var exchange = try ACMEExchange(wish)
        var action = exchange.begin()
        var waited = 0
        while true {
            switch action {
            case .send(let request): action = try exchange.received(server.answer(request))
            case .prove(let challenge, let identifier, let keyAuthorization):
                #expect(identifier == "device-1")
                #expect(try keyAuthorization == "\(challenge.token).\(wish.accountKey.publicKey().thumbprint)")
                action = try exchange.proved(proof)
            case .wait(let seconds):
                waited += seconds
                action = try exchange.waited()
            case .finished(let chain): return (chain, waited)
            }
        }
    }

    @Test func `the exchange ends with a certificate for the requested key`() throws {
        let server = try PlayedACMEServer()
        let (chain, _) = try play(server, wish())
        #expect(chain.certificates.count == 2)
        #expect(chain.certificates.last == server.authority.certificateDER)
        #expect(server.order?.status == .valid)
        #expect(
            server.requests == [
                "GET /directory", "HEAD /new-nonce", "POST /new-account", "POST /new-order", "POST /authorization/7",
                "POST /challenge/7", "POST /authorization/7", "POST /order/7/finalize", "POST /certificate/7",
            ])
    }

    @Test func `a refused nonce is answered with the fresh one, a few times`() throws {
        let server = try PlayedACMEServer()
        server.refusesNonces = 10
        #expect(try play(server, wish()).chain.certificates.count == 2)
        let stubborn = try PlayedACMEServer()
        stubborn.refusesNonces = 11
        #expect(throws: ACMERefusal.status(400, problem: "badNonce")) { try play(stubborn, wish()) }
    }

    /// RFC 8555 §6.5.1; red while a value of any other characters was sent back, and one that is too long ended the exchange.
    @Test(arguments: ["", "a nonce", "bm9uY2U=", "bm9+Y2U/", "\u{fc}", String(repeating: "A", count: 513)])
    func `a nonce that has not the form of one is passed over`(_ nonce: String) throws {
        let server = try PlayedACMEServer()
        server.replaced[server.addresses.directoryURL] = ACMEHTTPResponse(
            status: 200, headers: ["replay-nonce": nonce], body: server.addresses.directory.json.encoded())
        #expect(try play(server, wish()).chain.certificates.count == 2)
        #expect(server.requests.contains("HEAD /new-nonce"))
        server.replaced[server.addresses.directory.newNonce] = ACMEHTTPResponse(
            status: 200, headers: ["replay-nonce": nonce], body: Data())
        #expect(throws: ACMERefusal.nonce) { try play(server, wish()) }
    }

    @Test func `a server that decides at once is not waited for`() throws {
        #expect(try play(PlayedACMEServer(), wish()).waited == 0)
    }

    @Test func `a decision is waited for as long as the server says, and not for ever`() throws {
        let server = try PlayedACMEServer()
        server.undecided = 4
        #expect(try play(server, wish()).waited == 3 * 4)
        let slow = try PlayedACMEServer()
        slow.undecided = 10_000
        #expect(throws: ACMERefusal.patience) { try play(slow, wish()) }
    }

    /// RFC 9110 has both forms; a date counts from the server's own.
    @Test(arguments: [
        (["retry-after": "Sat, 31 Jan 2026 12:00:07 GMT", "date": "Sat, 31 Jan 2026 12:00:00 GMT"], 7),
        (["retry-after": "Sat, 31 Jan 2026 12:00:00 GMT", "date": "Sat, 31 Jan 2026 12:00:30 GMT"], 1),
        (["retry-after": "Sat, 31 Jan 2026 12:00:07 GMT"], 1),
        (["retry-after": "Sat, 31 Jan 2099 12:00:07 GMT", "date": "Sat, 31 Jan 2026 12:00:00 GMT"], 60),
        (["retry-after": "soon", "date": "now"], 1), (["retry-after": "99999999999999999999"], 1), ([:], 1),
    ])
    func `a server may name the moment to ask again`(_ patience: [String: String], _ seconds: Int) throws {
        let server = try PlayedACMEServer()
        server.patience = patience
        server.undecided = 4
        #expect(try play(server, wish()).waited == seconds * 4)
    }

    /// When attestation is demanded and there is none, the device says so and gets nothing.
    @Test func `an order that fails its challenge ends the exchange with the reason`() throws {
        for proof in [JSONValue.object(["attObj": .string("oA")]), .object(["error": .string("no chip")])] {
            #expect(throws: ACMERefusal.invalid(problem: "badAttestationStatement")) {
                try play(PlayedACMEServer(attest: true), wish(), proof: proof)
            }
        }
        #expect(throws: ACMERefusal.challenge) { try play(PlayedACMEServer(), wish(challenge: "http-01")) }
    }

    @Test func `a certificate for another key is refused`() throws {
        let server = try PlayedACMEServer()
        let other = try Identity.of(.p256).certificatePEM
        server.replaced[server.addresses.certificate("7")] = ACMEHTTPResponse(
            status: 200, headers: [:], body: Data(other.utf8))
        #expect(throws: ACMERefusal.certificate) { try play(server, wish()) }
    }

    /// RFC 8555 §11.4: a private key in the chain might become the one that is used.
    @Test(arguments: ["PRIVATE KEY", "EC PRIVATE KEY", "X509 CRL"])
    func `a chain that holds anything but certificates is refused`(_ kind: String) throws {
        let server = try PlayedACMEServer()
        server.afterChain = "-----BEGIN \(kind)-----\nMAA=\n-----END \(kind)-----\n"
        #expect(throws: ACMERefusal.certificate) { try play(server, wish()) }
    }

    @Test(arguments: ["", "{}", "[]", #"{"newNonce":"http://ca.example/n"}"#, #"{"newNonce":1}"#])
    func `a directory that lacks something or leaves TLS is refused`(_ text: String) throws {
        let server = try PlayedACMEServer()
        server.replaced[server.addresses.directoryURL] = ACMEHTTPResponse(
            status: 200, headers: [:], body: Data(text.utf8))
        #expect(throws: ACMERefusal.document) { try play(server, wish()) }
    }

    /// What the server writes stays out of errors, which are logged.
    @Test func `a server's words do not reach the error`() throws {
        let server = try PlayedACMEServer()
        server.replaced[server.addresses.directory.newOrder] = ACMEHTTPResponse(
            status: 403, headers: [:],
            body: Data(#"{"type":"urn:ietf:params:acme:error:ev il\n","detail":"marker"}"#.utf8))
        #expect(throws: ACMERefusal.status(403, problem: "other")) { try play(server, wish()) }
    }
}
