import ACME
import CertificateAuthority
import Foundation
import InputBounds

/// A server in memory, made of the server's own rules, that misbehaves as a test wants it to.
final class PlayedACMEServer {
    let addresses = ACMEAddresses(base: "https://ca.example/acme")
    let authority: Authority
    private let now = Identity.now
    private let terms: ACMEGrant.Terms
    private var nonces = ReplayNonces(key: Data(repeating: 1, count: 32))
    private var keys: [String: JSONWebKey] = [:]
    private var chain = ""
    private(set) var order: ACMEOrder?
    private(set) var requests: [String] = []

    /// How many of the next nonces are refused although they are good.
    var refusesNonces = 0
    /// How often the answer to a question is "not decided yet".
    var undecided = 0
    /// How long clients are to wait, in its headers.
    var patience = ["retry-after": "3"]
    /// What follows the certificates of a chain.
    var afterChain = ""
    /// Answers that replace the played ones, by URL.
    var replaced: [String: ACMEHTTPResponse] = [:]

    init(attest: Bool = false) throws {
        authority = try Identity.authority.get()
        terms = ACMEGrant.Terms(attest: attest, profile: Data())
    }

    func answer(_ request: ACMEHTTPRequest) throws -> ACMEHTTPResponse {
        requests.append("\(request.method.rawValue) \(request.url.dropFirst("https://ca.example/acme".count))")
        if let response = replaced[request.url] { return response }
        if request.url == addresses.directoryURL { return respond(200, addresses.directory.json, nonce: false) }
        guard let body = request.body else { return respond(200, nil) }
        do {
            return try answer(SignedRequest(parsing: body), at: request.url)
        } catch let problem as ACMEProblem { return respond(problem.status, problem.json) }
    }

    private func answer(_ request: SignedRequest, at url: String) throws -> ACMEHTTPResponse {
        try request.requireURL(url)
        if refusesNonces > 0 {
            refusesNonces -= 1
            throw ACMEProblem(.badNonce, "no")
        }
        guard nonces.take(request.nonce ?? "", at: .zero) else { throw ACMEProblem(.badNonce, "no") }
        if url == addresses.directory.newAccount, case .key(let key) = request.signer {
            try request.verify(by: key)
            keys["1"] = key
            return respond(201, .object([:]), location: addresses.account("1"))
        }
        guard case .account(let kid) = request.signer, let key = addresses.accountID(kid).flatMap({ keys[$0] }) else {
            throw ACMEProblem(.accountDoesNotExist, "no")
        }
        try request.verify(by: key)
        return try answer(request, key: key, at: url)
    }

    private func answer(_ request: SignedRequest, key: JSONWebKey, at url: String) throws -> ACMEHTTPResponse {
        if url == addresses.directory.newOrder {
            let wish = try ACMEOrderRequest(request.object())
            let order = ACMEOrder(
                id: "7", account: "1", identifier: wish.identifier, terms: terms, token: "t", now: now)
            self.order = order
            return respond(201, order.json(addresses, now: now), location: addresses.order("7"))
        }
        guard var order else { throw ACMEProblem(.malformed, "no") }
        switch url {
        case addresses.authorization("7"):
            return respond(200, order.authorizationJSON(addresses, now: now))
        case addresses.challenge("7"):
            let answer = try AttestationAnswer(request.object(), order: order, accountKey: key)
            try order.apply(.answer(answer == nil ? .refused("no") : .unattested), now: now)
            self.order = order
            return respond(200, order.challengeJSON(addresses))
        case addresses.finalize("7"):
            let csr = try ACMECertificateRequest(request.object())
            try order.judge(csr, accountKey: key, now: now)
            let der = try authority.issueDevice(requestDER: csr.der, commonName: "one", now: now)
            chain = Identity.pem(der) + authority.certificatePEM + "\n"
            try order.apply(.certificate(serial: "01"), now: now)
            self.order = order
        case addresses.certificate("7"):
            return ACMEHTTPResponse(
                status: 200, headers: ["replay-nonce": nonce()], body: Data((chain + afterChain).utf8))
        default: break
        }
        guard case .object(var document) = order.json(addresses, now: now) else { throw ACMEProblem(.malformed, "no") }
        if undecided > 0 {
            undecided -= 1
            document["status"] = .string("processing")
        }
        return respond(200, .object(document))
    }

    private func respond(
        _ status: Int, _ document: JSONValue?, location: String? = nil, nonce fresh: Bool = true
    ) -> ACMEHTTPResponse {
        var headers = patience
        if fresh { headers["replay-nonce"] = nonce() }
        headers["location"] = location
        return ACMEHTTPResponse(status: status, headers: headers, body: document?.encoded() ?? Data())
    }

    private func nonce() -> String {
        nonces.make(at: .zero)
    }
}
