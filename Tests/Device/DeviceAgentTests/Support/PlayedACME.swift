import ACME
import CertificateAuthority
import Foundation
import InputBounds
import Synchronization

/// The played server's certificate authority, over ACME: made of the real server's rules.
final class PlayedACME: Sendable {
    fileprivate struct Contents {
        var nonces = ReplayNonces(key: Data(repeating: 1, count: 32))
        var key: JSONWebKey?
        var order: ACMEOrder?
        var request: Data?
        var answers: [Data] = []
        var userAgents: Set<String> = []
        var chain = ""
    }

    typealias Judge = @Sendable (AttestationAnswer) -> AttestationVerdict

    /// Given out once for each document; any other is refused.
    static let identifier = "one-time-client-identifier"

    private let contents = Mutex(Contents())
    private let attest: Bool
    private let addresses: ACMEAddresses

    /// Judges what a device answers to the challenge.
    private let judge: Judge

    init(
        _ url: String, attest: Bool = false, judge: @escaping Judge = { _ in .unattested }
    ) {
        addresses = ACMEAddresses(base: url + "/acme")
        self.attest = attest
        self.judge = judge
    }

    /// The last certificate request.
    var request: Data? { contents.withLock { $0.request } }

    /// What was answered to challenges.
    var answers: [Data] { contents.withLock { $0.answers } }

    /// Which programs said that they ask; "none" where one did not say.
    var userAgents: Set<String> { contents.withLock { $0.userAgents } }

    func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Answer {
        contents.withLock { contents in
            contents.userAgents.insert(request.userAgent ?? "none")
            let url = addresses.directoryURL.dropLast("/acme/directory".count) + request.path
            if url == addresses.directoryURL { return contents.reply(200, addresses.directory.json) }
            guard !request.body.isEmpty else { return contents.reply(200, nil) }
            do throws(ACMEProblem) {
                return try answer(SignedRequest(parsing: request.body), at: String(url), &contents)
            } catch {
                return contents.reply(error.status, error.json)
            }
        }
    }

    private func answer(
        _ request: SignedRequest, at url: String, _ contents: inout Contents
    ) throws(ACMEProblem) -> ScriptedServer.Answer {
        try request.requireURL(url)
        guard contents.nonces.take(request.nonce ?? "", at: .zero) else {
            throw ACMEProblem(.badNonce, "no")
        }
        if url == addresses.directory.newAccount, case .key(let key) = request.signer {
            try request.verify(by: key)
            contents.key = key
            return contents.reply(201, .object([:]), location: addresses.account("1"))
        }
        guard case .account = request.signer, let key = contents.key else {
            throw ACMEProblem(.accountDoesNotExist, "no")
        }
        try request.verify(by: key)
        if url == addresses.directory.newOrder {
            let wish = try ACMEOrderRequest(request.object())
            guard wish.identifier.value == Self.identifier else { throw .unknownIdentifier }
            let terms = ACMEGrant.Terms(attest: attest, profile: Data())
            let order = ACMEOrder(
                id: "7", account: "1", identifier: wish.identifier, terms: terms, token: "token", now: Date())
            contents.order = order
            return contents.reply(201, order.json(addresses, now: Date()), location: addresses.order("7"))
        }
        guard var order = contents.order else { throw ACMEProblem(.malformed, "no") }
        defer { contents.order = order }
        return try answer(request, at: url, by: key, &order, &contents)
    }

    private func answer(
        _ request: SignedRequest, at url: String, by key: JSONWebKey, _ order: inout ACMEOrder,
        _ contents: inout Contents
    ) throws(ACMEProblem) -> ScriptedServer.Answer {
        let now = Date()
        switch url {
        case addresses.authorization("7"): return contents.reply(200, order.authorizationJSON(addresses, now: now))
        case addresses.challenge("7"):
            let answer = try AttestationAnswer(request.object(), order: order, accountKey: key)
            if let answer { contents.answers.append(answer.object) }
            try order.apply(.answer(answer.map(judge) ?? .refused("no")), now: now)
            return contents.reply(200, order.challengeJSON(addresses))
        case addresses.finalize("7"):
            let wanted = try ACMECertificateRequest(request.object())
            try order.judge(wanted, accountKey: key, now: now)
            contents.request = wanted.der
            guard let authority = try? ScriptedServer.authority.get(),
                let der = try? authority.issueIdentity(
                    publicKeyDER: wanted.publicKeyInfo, profile: IdentityProfile(subject: [.init("CN", "device")]),
                    now: now)
            else { throw ACMEProblem(.serverInternal, "no") }
            contents.chain = Self.pem(der) + authority.certificatePEM + "\n"
            try order.apply(.certificate(serial: "01"), now: now)
        case addresses.certificate("7"): return contents.reply(200, body: Data(contents.chain.utf8))
        default: break
        }
        return contents.reply(200, order.json(addresses, now: now))
    }

    private static func pem(_ der: Data) -> String {
        "-----BEGIN CERTIFICATE-----\n" + der.base64EncodedString(options: .lineLength64Characters)
            + "\n-----END CERTIFICATE-----\n"
    }
}

extension PlayedACME.Contents {
    fileprivate mutating func reply(
        _ status: Int, _ document: JSONValue? = nil, body: Data = Data(), location: String? = nil
    ) -> ScriptedServer.Answer {
        var headers = ["replay-nonce": nonces.make(at: .zero), "retry-after": "1"]
        headers["location"] = location
        return .reply(status, headers: headers, body: document?.encoded() ?? body)
    }
}
