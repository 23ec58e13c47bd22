import ACME
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
    /// Where a list goes on.
    let cursor: String

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
    /// Where a list goes on.
    var next: String?
    /// The rule by which a challenge failed, for the log.
    var note: String?
}

/// A key change to a key that another account has: the answer names that account (RFC 8555 §7.3.5).
struct ACMEKeyConflict: Error {
    let problem: ACMEProblem
    /// The URL of the account.
    let account: String
}

/// What an entrance gives certificates for: who may order one, what it says, what becomes of it.
protocol ACMEOffice: Sendable {
    /// Of the orders that are placed here: no others are known here.
    var purpose: ACMEOrder.Purpose { get }
    func order(_ wish: ACMEOrderRequest, account: String) async throws -> Outcome<ACMEOrder, ACMEProblem>
    func verdict(on answer: AttestationAnswer, of order: ACMEOrder) async throws -> AttestationVerdict
    func answer(_ order: ACMEOrder, _ verdict: AttestationVerdict) async throws -> Outcome<ACMEOrder, ACMEProblem>
    /// Ends an order whose authorization its holder gives up.
    func deactivate(_ order: ACMEOrder) async throws -> Outcome<ACMEOrder, ACMEProblem>
    /// Certifies the key of a request that was judged; the certificate is written down before this answers.
    func finalize(
        _ order: ACMEOrder, _ request: ACMECertificateRequest, now: Date
    ) async throws -> Outcome<ACMEOrder, ACMEProblem>
    /// A certificate, and the authority's, in PEM.
    func chain(serial: String) async throws -> String?
    func revoke(_ request: ACMERevocationRequest, account: String?, keyOf: Data?) async throws -> ACMEProblem?
}

/// ACME as an entrance serves it: who may ask, what is answered.
final class ACMEService: Sendable {
    let addresses: ACMEAddresses
    private let management: Management
    private let office: any ACMEOffice
    private let now: @Sendable () -> Date
    private let nonces: Mutex<ReplayNonces>
    /// Requests signed by a key that names itself: anybody can make one.
    private let keySigned: PeerRate
    private let newAccounts: PeerRate
    private let strangers: StrangerBudget
    private let started = ContinuousClock.now

    init(
        management: Management, office: any ACMEOffice, addresses: ACMEAddresses, limits: ServerLimits,
        strangers: StrangerBudget, now: @escaping @Sendable () -> Date
    ) {
        self.management = management
        self.office = office
        self.addresses = addresses
        self.now = now
        self.strangers = strangers
        keySigned = PeerRate(perNetwork: limits.keySignedRequests)
        newAccounts = PeerRate(perNetwork: limits.newACMEAccounts)
        nonces = Mutex(ReplayNonces(key: Management.systemRandom(32)))
    }

    func nonce() -> String {
        let age = started.duration(to: .now)
        return nonces.withLock { $0.make(at: age) }
    }

    /// Reads and checks a request, in the order in which less can be provoked by strangers.
    ///
    /// `url` is what was asked; nothing where that is no URL of a resource as this server writes it.
    func open(
        _ body: Data, url: String?, id: String, cursor: String, peer: ConnectionPeer
    ) async throws -> ACMECall {
        let request = try SignedRequest(parsing: body)
        // Whatever becomes of the request, its nonce was used (RFC 8555 §6.5). This gives strangers nothing: they cannot make
        // another's nonce, and get any number of their own; memory is bounded by the window of `ReplayNonces`.
        try takeNonce(request.nonce)
        try request.requireURL(url)
        let (key, account) = try await signer(of: request, peer)
        if account == nil {
            try await strangers.work.run(for: peer) { try request.verify(by: key) }
        } else {
            try request.verify(by: key)
        }
        return ACMECall(request: request, key: key, account: account, id: id, cursor: cursor)
    }

    private func signer(of request: SignedRequest, _ peer: ConnectionPeer) async throws -> (JSONWebKey, ACMEAccount?) {
        switch request.signer {
        case .key(let key):
            guard keySigned.admits(peer.counted) else {
                throw ACMEProblem(
                    .rateLimited, "Too many requests from one address; try again in a few minutes.",
                    retryAfter: keySigned.secondsLeft)
            }
            return (key, nil)
        case .account(let url):
            guard let id = addresses.accountID(url), let account = try await management.acmeAccount(id: id) else {
                throw ACMEProblem(.accountDoesNotExist, "There is no such account.")
            }
            try account.requireValid()
            return (account.key, account)
        }
    }

    private func takeNonce(_ nonce: String?) throws(ACMEProblem) {
        let age = started.duration(to: .now)
        guard nonces.withLock({ $0.take(nonce ?? "", at: age) }) else {
            throw ACMEProblem(.badNonce, "The nonce is not one that was given out, or was used.")
        }
    }

    // MARK: What a GET reads as well (RFC 8555 §6.3)

    func directory(_ call: ACMECall) throws -> ACMEReply {
        _ = try call.requireAccount()
        try call.request.requireEmpty()
        return ACMEReply(document: addresses.directory.json)
    }

    func newNonce(_ call: ACMECall) throws -> ACMEReply {
        _ = try call.requireAccount()
        try call.request.requireEmpty()
        return ACMEReply(status: 204)
    }

    // MARK: Accounts

    func newAccount(_ call: ACMECall, peer: ConnectionPeer) async throws -> ACMEReply {
        guard case .key(let key) = call.request.signer else {
            throw ACMEProblem(.malformed, "A new account is asked for with its key.")
        }
        let document = try call.request.object()
        // RFC 8555 §7.3.1: a client that has an account gets it as it is, whatever else it says, and makes none.
        if let known = try await management.acmeAccount(key: key) {
            try known.requireValid()
            return ACMEReply(document: known.json(addresses), location: addresses.account(known.id))
        }
        let wish = try ACMEAccountRequest(document)
        guard wish.onlyReturnExisting || newAccounts.admits(peer.counted) else {
            throw ACMEProblem(
                .rateLimited, "Too many accounts from one address; try again in a few minutes.",
                retryAfter: newAccounts.secondsLeft)
        }
        // The key may have got an account meanwhile.
        let opened = try await management.openACMEAccount(wish, key: key).get()
        try opened.account.requireValid()
        return ACMEReply(
            status: opened.isNew ? 201 : 200, document: opened.account.json(addresses),
            location: addresses.account(opened.account.id))
    }

    func account(_ call: ACMECall) async throws -> ACMEReply {
        let account = try named(call)
        guard !call.request.payload.isEmpty, let change = try ACMEAccountRequest.change(call.request.object()) else {
            return ACMEReply(document: account.json(addresses))
        }
        let changed = try await management.changeACMEAccount(id: account.id, change).get()
        return ACMEReply(document: changed.json(addresses))
    }

    func orders(_ call: ACMECall) async throws -> ACMEReply {
        let account = try named(call)
        try call.request.requireEmpty()
        let list = try await management.acmeOrders(
            account: account.id, for: office.purpose, after: call.cursor)
        return ACMEReply(
            document: .object(["orders": .array(list.orders.map { .string(addresses.order($0)) })]),
            next: list.next.map { addresses.orders(account.id, after: $0) })
    }

    /// The account that the path names, which must be the one that signed.
    private func named(_ call: ACMECall) throws(ACMEProblem) -> ACMEAccount {
        let account = try call.requireAccount()
        guard account.id == call.id else { throw ACMEProblem(.unauthorized, "The account is another one.") }
        return account
    }

    func changeKey(_ call: ACMECall) async throws -> ACMEReply {
        let account = try call.requireAccount()
        let key = try ACMEKeyChange.newKey(
            payload: call.request.object(), outerURL: call.request.url, account: addresses.account(account.id),
            oldKey: account.key)
        switch try await management.changeACMEAccount(id: account.id, .key(key)) {
        case .accepted(let changed): return ACMEReply(document: changed.json(addresses))
        case .refused(let problem):
            guard problem == .keyIsTaken, let holder = try await management.acmeAccount(key: key) else { throw problem }
            throw ACMEKeyConflict(problem: problem, account: addresses.account(holder.id))
        }
    }

    // MARK: Orders

    func newOrder(_ call: ACMECall) async throws -> ACMEReply {
        try management.requireCertifying()
        let wish = try ACMEOrderRequest(call.request.object())
        let order = try await office.order(wish, account: call.requireAccount().id).get()
        return ACMEReply(
            status: 201, document: order.json(addresses, now: now()), location: addresses.order(order.id))
    }

    func order(_ call: ACMECall) async throws -> ACMEReply {
        try call.request.requireEmpty()
        return ACMEReply(document: try await order(of: call).json(addresses, now: now()))
    }

    func authorization(_ call: ACMECall) async throws -> ACMEReply {
        var order = try await order(of: call)
        if !call.request.payload.isEmpty {
            try call.request.requireDeactivation()
            order = try await office.deactivate(order).get()
        }
        return ACMEReply(document: order.authorizationJSON(addresses, now: now()))
    }

    func challenge(_ call: ACMECall) async throws -> ACMEReply {
        try management.requireCertifying()
        var order = try await order(of: call)
        // Answered before: the answer to that was lost, and what came of it is what is asked for.
        if !call.request.payload.isEmpty, order.answered == nil {
            let answer = try AttestationAnswer(call.request.object(), order: order, accountKey: call.key)
            order = try await office.answer(order, verdict(on: answer, of: order)).get()
        }
        return ACMEReply(
            document: order.challengeJSON(addresses), up: addresses.authorization(order.id),
            note: order.problem?.detail)
    }

    private func verdict(on answer: AttestationAnswer?, of order: ACMEOrder) async throws -> AttestationVerdict {
        guard let answer else { return .refused("the device could not attest the key") }
        return try await office.verdict(on: answer, of: order)
    }

    func finalize(_ call: ACMECall) async throws -> ACMEReply {
        try management.requireCertifying()
        let account = try call.requireAccount()
        let order = try await order(of: call)
        let moment = now()
        // Before the certificate request is read: that the order is not ready is what a client must hear of it.
        try order.requireReady(now: moment)
        let request = try ACMECertificateRequest(call.request.object())
        try order.judge(request, accountKey: account.key, now: moment)
        // RFC 8555 §11.1: a key that signs for any account is certified for nobody.
        guard try await management.acmeAccount(key: request.key) == nil else {
            throw ACMEProblem(.badCSR, "The key of the certificate request is that of an account.")
        }
        let finished = try await office.finalize(order, request, now: moment).get()
        return ACMEReply(
            document: finished.json(addresses, now: moment), location: addresses.order(order.id))
    }

    func certificate(_ call: ACMECall) async throws -> ACMEReply {
        try call.request.requireEmpty()
        guard let serial = try await order(of: call).certificate,
            let chain = try await office.chain(serial: serial)
        else { throw ACMEProblem(.malformed, "The order has no certificate.", status: 404) }
        return ACMEReply(chain: Data(chain.utf8))
    }

    func revoke(_ call: ACMECall) async throws -> ACMEReply {
        let request = try ACMERevocationRequest(call.request.object())
        let refusal = try await office.revoke(
            request, account: call.account?.id, keyOf: call.account == nil ? call.key.publicKeyInfo : nil)
        if let refusal { throw refusal }
        return ACMEReply()
    }

    private func order(of call: ACMECall) async throws -> ACMEOrder {
        try await management.acmeOrder(id: call.id, account: call.requireAccount().id, for: office.purpose).get()
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
