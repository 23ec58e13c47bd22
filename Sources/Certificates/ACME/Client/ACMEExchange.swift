package import Foundation
package import InputBounds

/// A client's exchange with an ACME server, as a value: it returns the next step and takes the step's result.
///
/// It knows no sockets and no clock. Nonces, refused nonces, accounts that exist already, polling and its end are
/// decided here.
package struct ACMEExchange: Sendable {
    /// What is wanted.
    package struct Wish: Sendable {
        package var directoryURL: String
        package var identifiers: [ACMEIdentifier]
        /// The type of challenge that can be answered.
        package var challengeType: String
        /// A request in DER, signed by the certificate's key.
        package var certificateRequest: Data
        package var accountKey: AccountKey

        package init(
            directoryURL: String, identifiers: [ACMEIdentifier], challengeType: String, certificateRequest: Data,
            accountKey: AccountKey
        ) {
            self.directoryURL = directoryURL
            self.identifiers = identifiers
            self.challengeType = challengeType
            self.certificateRequest = certificateRequest
            self.accountKey = accountKey
        }
    }

    /// What to do next.
    package enum Action: Sendable, Equatable {
        case send(ACMEHTTPRequest)
        /// Make ready what proves the identifier, then call `proved` with what to post.
        case prove(ACMEChallenge, identifier: String, keyAuthorization: String)
        /// Wait, then call `waited`.
        case wait(seconds: Int)
        case finished(chain: ACMEChain)
    }

    private enum State {
        case directory
        case account
        case order
        case authorization
        case proof(ACMEChallenge)
        case challenge
        case finalizing
        case polling
        case certificate
        case finished
    }

    /// A signed request that is on its way, kept for when its nonce is refused.
    private struct Post {
        let url: String
        let payload: JSONValue?
    }

    /// How often a server may refuse a nonce that it just gave.
    private static let nonceRefusals = 10
    /// How often a decision is asked for, and the longest pause: about five minutes at a second each.
    private static let polls = 300
    private static let longestPause = 60

    private let wish: Wish
    private let publicKey: JSONWebKey
    private var state = State.directory
    private var directory: ACMEDirectory?
    private var nonce: String?
    private var account: String?
    private var post: Post?
    private var refusals = 0
    private var polls = 0
    private var orderURL = ""
    private var finalizeURL = ""
    private var open: [String] = []
    private var waitsFor: Post?

    package init(_ wish: Wish) throws {
        self.wish = wish
        publicKey = try wish.accountKey.publicKey()
    }

    /// The first action.
    package func begin() -> Action { .send(ACMEHTTPRequest(method: .get, url: wish.directoryURL, body: nil)) }

    /// Takes the answer to the request that was sent.
    package mutating func received(_ response: ACMEHTTPResponse) throws -> Action {
        // RFC 8555 §6.5.1: a value of any other form is passed over.
        if let fresh = response.headers["replay-nonce"], (1...512).contains(fresh.utf8.count),
            Base64URL.hasDigitsOnly(fresh)
        {
            nonce = fresh
        }
        if case .directory = state {
            guard response.status == 200 else { throw Self.refusal(response) }
            directory = try ACMEDirectory(response.document())
            state = .account
            return try send(newAccount, .object(["termsOfServiceAgreed": .boolean(true)]))
        }
        guard let post else { throw ACMERefusal.order }
        // The answer to a bare request for a nonce: now the request that needs it can go.
        guard nonceWasAwaited == false else {
            nonceWasAwaited = false
            guard nonce != nil else { throw ACMERefusal.nonce }
            return try send(post.url, post.payload)
        }
        guard (200...299).contains(response.status) else {
            let refusal = Self.refusal(response)
            guard case .status(_, "badNonce") = refusal, refusals < Self.nonceRefusals else { throw refusal }
            refusals += 1
            return try send(post.url, post.payload)
        }
        refusals = 0
        self.post = nil
        return try advance(response)
    }

    private var nonceWasAwaited = false

    /// Goes on after a proof was made ready.
    package mutating func proved(_ payload: JSONValue) throws -> Action {
        guard case .proof(let challenge) = state else { throw ACMERefusal.order }
        state = .challenge
        return try send(challenge.url, payload)
    }

    /// Goes on after a wait.
    package mutating func waited() throws -> Action {
        guard let next = waitsFor.take() else { throw ACMERefusal.order }
        return try send(next.url, next.payload)
    }

    // MARK: The steps

    private mutating func advance(_ response: ACMEHTTPResponse) throws -> Action {
        switch state {
        case .account:
            account = try Self.location(response)
            state = .order
            return try send(newOrder, .object(["identifiers": .array(wish.identifiers.map(\.json))]))
        case .order:
            orderURL = try Self.location(response)
            let order = try ACMEOrderDocument(response.document())
            finalizeURL = order.finalize
            open = order.authorizations
            return try afterAuthorization(order)
        case .authorization: return try authorize(ACMEAuthorizationDocument(response.document()), response)
        case .challenge:
            state = .authorization
            // If the server has decided already, ask at once instead of polling.
            let isDecided = ["valid", "invalid"].contains(try? response.document()["status"]?.string)
            return try isDecided
                ? send(currentAuthorization(), nil) : poll(currentAuthorization(), response)
        case .finalizing, .polling: return try conclude(ACMEOrderDocument(response.document()), response)
        case .certificate:
            let chain = try ACMEChain(response.body, certificateRequest: wish.certificateRequest)
            state = .finished
            return .finished(chain: chain)
        case .directory, .proof, .finished: throw ACMERefusal.order
        }
    }

    /// The next authorization, or the certificate request when there is none left.
    private mutating func afterAuthorization(_ order: ACMEOrderDocument? = nil) throws -> Action {
        if let url = open.first {
            state = .authorization
            return try send(url, nil)
        }
        if let order, order.status == "valid" { return try conclude(order, nil) }
        state = .finalizing
        return try send(
            finalizeURL, .object(["csr": .string(Base64URL.encode(wish.certificateRequest))]))
    }

    private mutating func authorize(
        _ authorization: ACMEAuthorizationDocument, _ response: ACMEHTTPResponse
    ) throws -> Action {
        switch authorization.status {
        case "valid":
            open.removeFirst()
            return try afterAuthorization()
        case "pending":
            guard let challenge = authorization.challenges.first(where: { $0.type == wish.challengeType }) else {
                throw ACMERefusal.challenge
            }
            guard challenge.status == "pending" else { return try poll(currentAuthorization(), response) }
            state = .proof(challenge)
            return .prove(
                challenge, identifier: authorization.identifier,
                keyAuthorization: challenge.keyAuthorization(publicKey))
        default: throw ACMERefusal.invalid(problem: authorization.problem.code)
        }
    }

    private mutating func conclude(_ order: ACMEOrderDocument, _ response: ACMEHTTPResponse?) throws -> Action {
        switch order.status {
        case "valid":
            guard let url = order.certificate else { throw ACMERefusal.document }
            state = .certificate
            return try send(url, nil)
        case "processing", "ready", "pending":
            state = .polling
            return try poll(orderURL, response)
        default: throw ACMERefusal.invalid(problem: order.problem.code)
        }
    }

    private func currentAuthorization() throws -> String {
        guard let url = open.first else { throw ACMERefusal.order }
        return url
    }

    private mutating func poll(_ url: String, _ response: ACMEHTTPResponse?) throws -> Action {
        polls += 1
        guard polls <= Self.polls else { throw ACMERefusal.patience }
        waitsFor = Post(url: url, payload: nil)
        let asked = response.flatMap { RetryAfter.seconds($0.headers) } ?? 1
        return .wait(seconds: min(max(asked, 1), Self.longestPause))
    }

    // MARK: Signed requests

    private var newAccount: String { directory?.newAccount ?? "" }
    private var newOrder: String { directory?.newOrder ?? "" }

    /// Signs and sends; fetches a nonce first where none is left.
    private mutating func send(_ url: String, _ payload: JSONValue?) throws -> Action {
        post = Post(url: url, payload: payload)
        guard let nonce = nonce.take() else {
            guard let directory else { throw ACMERefusal.order }
            nonceWasAwaited = true
            return .send(ACMEHTTPRequest(method: .head, url: directory.newNonce, body: nil))
        }
        let body = try SignedRequest.sign(
            payload: payload, url: url, nonce: nonce, account: account, key: wish.accountKey)
        return .send(ACMEHTTPRequest(method: .post, url: url, body: body))
    }

    private static func location(_ response: ACMEHTTPResponse) throws(ACMERefusal) -> String {
        try JSONValue.object(["location": .string(response.headers["location"] ?? "")]).url("location")
    }

    private static func refusal(_ response: ACMEHTTPResponse) -> ACMERefusal {
        .status(response.status, problem: ACMEServerProblem(try? response.document()).code)
    }
}
