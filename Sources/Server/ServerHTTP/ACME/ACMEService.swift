import ACME
import CertificateAuthority
import Crypto
import Foundation
import InputBounds
import Management
import Synchronization

/// A signed request whose signer, URL and nonce were checked.
struct ACMECall: Sendable {
    let request: SignedRequest
    let key: JSONWebKey
    /// Nothing where the request is signed by a key that names itself.
    let account: ACMEAccount?
    /// The last variable part of the path.
    let id: String

    func requireAccount() throws(ACMEProblem) -> ACMEAccount {
        guard let account else {
            throw ACMEProblem(.malformed, "This request is signed with the key of an account, named by its kid.")
        }
        return account
    }
}

/// What is answered, beside the headers that every answer has.
struct ACMEReply: Sendable {
    var status = 200
    var document: JSONValue?
    var location: String?
    /// What a challenge belongs to.
    var up: String?
    /// PEM instead of a document.
    var chain: Data?
    /// The rule by which a challenge failed, for the log.
    var note: String?
}

/// The authority as ACME sees it: who may ask, what is answered.
final class ACMEService: Sendable {
    let addresses: ACMEAddresses
    private let management: Management
    private let authority: Authority
    private let judge: AttestationJudge
    private let now: @Sendable () -> Date
    private let nonces: Mutex<ReplayNonces>
    private let newAccounts: Mutex<RateBound>

    init(
        management: Management, authority: Authority, addresses: ACMEAddresses, judge: AttestationJudge,
        newAccounts: Int, now: @escaping @Sendable () -> Date
    ) {
        self.management = management
        self.authority = authority
        self.addresses = addresses
        self.judge = judge
        self.now = now
        self.newAccounts = Mutex(RateBound(perWindow: newAccounts, window: 600))
        nonces = Mutex(ReplayNonces(key: Management.systemRandom(32)))
    }

    func nonce() -> String {
        let moment = now()
        let random = UInt64.random(in: .min ... .max)
        return nonces.withLock { $0.make(now: moment, random: random) }
    }

    /// Reads and checks a request, in the order in which less can be provoked by strangers.
    func open(_ body: Data, url: String, id: String) async throws -> ACMECall {
        let request = try SignedRequest(parsing: body)
        try request.requireURL(url)
        let (key, account) = try await signer(of: request)
        try request.verify(by: key)
        try takeNonce(request.nonce)
        return ACMECall(request: request, key: key, account: account, id: id)
    }

    private func signer(of request: SignedRequest) async throws -> (JSONWebKey, ACMEAccount?) {
        switch request.signer {
        case .key(let key): return (key, nil)
        case .account(let url):
            guard let id = addresses.accountID(url), let account = try await management.acmeAccount(id: id) else {
                throw ACMEProblem(.accountDoesNotExist, "There is no such account.")
            }
            try account.requireValid()
            return (account.key, account)
        }
    }

    private func takeNonce(_ nonce: String?) throws(ACMEProblem) {
        let moment = now()
        switch nonces.withLock({ $0.take(nonce ?? "", now: moment) }) {
        case .taken: return
        case .refused: throw ACMEProblem(.badNonce, "The nonce is not one that was given out, or was used.")
        case .full: throw ACMEProblem(.rateLimited, "Too many requests; try again in a few minutes.")
        }
    }

    // MARK: Accounts

    func newAccount(_ call: ACMECall, peer: String?) async throws -> ACMEReply {
        guard case .key(let key) = call.request.signer else {
            throw ACMEProblem(.malformed, "A new account is asked for with its key.")
        }
        let wish = try ACMEAccountRequest(call.request.object())
        let moment = now()
        // Who has an account and asks for it again makes none.
        let isKnown = try await management.hasACMEAccount(key: key)
        guard isKnown || wish.onlyReturnExisting || newAccounts.withLock({ $0.admits(peer ?? "", now: moment) }) else {
            throw ACMEProblem(.rateLimited, "Too many accounts from one address; try again in a few minutes.")
        }
        let opened = try await management.openACMEAccount(wish, key: key).get()
        try opened.account.requireValid()
        return ACMEReply(
            status: opened.isNew ? 201 : 200, document: opened.account.json(),
            location: addresses.account(opened.account.id))
    }

    func account(_ call: ACMECall) async throws -> ACMEReply {
        let account = try call.requireAccount()
        guard account.id == call.id else { throw ACMEProblem(.unauthorized, "The account is another one.") }
        guard !call.request.payload.isEmpty, let change = try ACMEAccountRequest.change(call.request.object()) else {
            return ACMEReply(document: account.json())
        }
        return ACMEReply(document: try await management.changeACMEAccount(id: account.id, change).get().json())
    }

    func changeKey(_ call: ACMECall) async throws -> ACMEReply {
        let account = try call.requireAccount()
        let key = try ACMEKeyChange.newKey(
            payload: call.request.object(), outerURL: call.request.url, account: addresses.account(account.id),
            oldKey: account.key)
        return ACMEReply(document: try await management.changeACMEAccount(id: account.id, .key(key)).get().json())
    }

    // MARK: Orders

    func newOrder(_ call: ACMECall) async throws -> ACMEReply {
        let wish = try ACMEOrderRequest(call.request.object())
        let order = try await management.orderCertificate(wish, account: call.requireAccount().id).get()
        return ACMEReply(
            status: 201, document: order.json(addresses, now: now()), location: addresses.order(order.id))
    }

    func order(_ call: ACMECall) async throws -> ACMEReply {
        try call.request.requireEmpty()
        return ACMEReply(document: try await order(of: call).json(addresses, now: now()))
    }

    func authorization(_ call: ACMECall) async throws -> ACMEReply {
        let order = try await order(of: call)
        // What may be posted here is a deactivation; an order that is not finished in an hour ends by itself.
        try call.request.requireEmpty()
        return ACMEReply(document: order.authorizationJSON(addresses, now: now()))
    }

    func challenge(_ call: ACMECall) async throws -> ACMEReply {
        var order = try await order(of: call)
        // Answered before: the answer to that was lost, and what came of it is what is asked for.
        if !call.request.payload.isEmpty, order.answered == nil {
            let answer = try AttestationAnswer(call.request.object(), order: order, accountKey: call.key)
            order = try await management.answerChallenge(of: order.id, verdict(on: answer, of: order)).get()
        }
        return ACMEReply(
            document: order.challengeJSON(addresses, now: now()), up: addresses.authorization(order.id),
            note: order.problem?.detail)
    }

    private func verdict(on answer: AttestationAnswer?, of order: ACMEOrder) async throws -> AttestationVerdict {
        guard let answer else { return .refused("the device could not attest the key") }
        return judge.judge(answer, of: try await management.device(ofOrder: order.id))
    }

    func finalize(_ call: ACMECall) async throws -> ACMEReply {
        let account = try call.requireAccount()
        let order = try await order(of: call)
        let request = try ACMECertificateRequest(call.request.object())
        let moment = now()
        try order.judge(request, accountKey: account.key, now: moment)
        let certificate = try issue(request, for: order, now: moment)
        let finished = try await management.finalize(order: order.id, certificate: certificate).get()
        return ACMEReply(
            document: finished.json(addresses, now: moment), location: addresses.order(order.id))
    }

    func certificate(_ call: ACMECall) async throws -> ACMEReply {
        try call.request.requireEmpty()
        guard let serial = try await order(of: call).certificate,
            let certificate = try await management.identityCertificate(serial: serial)
        else { throw ACMEProblem(.orderNotReady, "The order has no certificate.") }
        let leaf = PEMText.certificate(certificate.issued.der)
        return ACMEReply(chain: Data((leaf + authority.certificatePEM + "\n").utf8))
    }

    func revoke(_ call: ACMECall) async throws -> ACMEReply {
        let request = try ACMERevocationRequest(call.request.object())
        let refusal = try await management.revoke(
            request, account: call.account?.id, keyOf: call.account == nil ? call.key.publicKeyInfo : nil)
        if let refusal { throw refusal }
        return ACMEReply()
    }

    private func order(of call: ACMECall) async throws -> ACMEOrder {
        try await management.acmeOrder(id: call.id, account: call.requireAccount().id).get()
    }

    private func issue(
        _ request: ACMECertificateRequest, for order: ACMEOrder, now moment: Date
    ) throws -> IssuedIdentity {
        var profile = try JSONDecoder().decode(IdentityProfile.self, from: order.terms.profile)
        profile.permanentIdentifier = order.identifier.value
        do {
            return try authority.issue(
                publicKeyInfo: request.publicKeyInfo, profile: profile, lifetime: management.lifetimes.identity,
                now: moment)
        } catch is IssuanceRefusal {
            throw ACMEProblem(.badCSR, "The key of the certificate request is not of the kind and size demanded.")
        }
    }
}

extension Outcome where Refusal: Error {
    /// The value; a refusal is thrown for the route to answer.
    fileprivate func get() throws(Refusal) -> Value {
        switch self {
        case .accepted(let value): return value
        case .refused(let refusal): throw refusal
        }
    }
}

/// Certificates as text.
enum PEMText {
    static func certificate(_ der: Data) -> String {
        "-----BEGIN CERTIFICATE-----\n"
            + der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            + "\n-----END CERTIFICATE-----\n"
    }
}
