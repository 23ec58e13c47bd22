package import Foundation
package import InputBounds

/// An order as the server keeps it (RFC 8555 §7.1.3), with its one authorization and that one's one challenge.
///
/// Each change is decided here as a value and kept by a store in the transaction that read it.
package struct ACMEOrder: Sendable, Equatable {
    package enum Status: String, Sendable, CaseIterable {
        /// The challenge is not answered.
        case pending
        /// The challenge was answered well: a certificate request may come.
        case ready
        /// The certificate was issued.
        case valid
        case invalid
    }

    /// An order is a matter of seconds; a device that lost its network on the way has an hour.
    package static let lifetime: TimeInterval = 3_600

    /// What an order's certificate is for; each has its own entrance, and accounts are the same at all of them.
    package enum Purpose: Sendable, Equatable {
        /// A device's own identity.
        case enrollment
        /// An identity of an app.
        case identity
    }

    package let id: String
    package let account: String
    package let identifier: ACMEIdentifier
    package let terms: ACMEGrant.Terms
    /// Random: what an attestation must be fresh for.
    package let token: String
    package let expires: Date
    package private(set) var status: Status
    /// The public key (SubjectPublicKeyInfo) that was attested.
    package private(set) var attestedKey: Data?
    package private(set) var answered: Date?
    package private(set) var problem: ACMEProblem?
    /// The serial number of the certificate, in hexadecimal.
    package private(set) var certificate: String?

    package init(
        id: String, account: String, identifier: ACMEIdentifier, terms: ACMEGrant.Terms, token: String, now: Date
    ) {
        self.init(
            id: id, account: account, identifier: identifier, terms: terms, token: token, expires: now + Self.lifetime,
            status: .pending, attestedKey: nil, answered: nil, problem: nil, certificate: nil)
    }

    /// An order that was kept.
    package init(
        id: String, account: String, identifier: ACMEIdentifier, terms: ACMEGrant.Terms, token: String, expires: Date,
        status: Status, attestedKey: Data?, answered: Date?, problem: ACMEProblem?, certificate: String?
    ) {
        self.id = id
        self.account = account
        self.identifier = identifier
        self.terms = terms
        self.token = token
        self.expires = expires
        self.status = status
        self.attestedKey = attestedKey
        self.answered = answered
        self.problem = problem
        self.certificate = certificate
    }

    /// What a device's own certificate says is the authority's to decide: its order has no profile.
    package var purpose: Purpose { terms.profile.isEmpty ? .enrollment : .identity }

    /// The status at a moment: what is not finished in time is invalid.
    package func status(at now: Date) -> Status {
        status == .valid || now < expires ? status : .invalid
    }

    // MARK: Changes

    /// What happens to an order.
    package enum Change: Sendable, Equatable {
        /// The challenge was answered, and the answer judged.
        case answer(AttestationVerdict)
        /// A certificate was made for the request that finalizes the order.
        case certificate(serial: String)
        /// The holder gives the authorization up, and with it the order (RFC 8555 §7.5.2).
        case deactivation
    }

    package mutating func apply(_ change: Change, now: Date) throws(ACMEProblem) {
        switch change {
        case .answer(let verdict): try answer(verdict, now: now)
        case .certificate(let serial):
            try requireReady(now: now)
            status = .valid
            certificate = serial
        case .deactivation:
            guard [.pending, .ready].contains(status(at: now)) else {
                throw ACMEProblem(.malformed, "An authorization is deactivated before its order has ended.")
            }
            status = .invalid
        }
    }

    private mutating func answer(_ verdict: AttestationVerdict, now: Date) throws(ACMEProblem) {
        guard status(at: now) == .pending else {
            throw ACMEProblem(.malformed, "The challenge was answered before, or its time has passed.")
        }
        answered = now
        switch verdict {
        case .attested(let key):
            attestedKey = key
            status = .ready
        case .unattested where !terms.attest:
            status = .ready
        case .unattested:
            fail("The key must be attested, and the answer holds no attestation.")
        case .refused(let rule):
            fail(rule)
        }
    }

    private mutating func fail(_ rule: String) {
        status = .invalid
        problem = ACMEProblem(.badAttestationStatement, rule)
    }

    package func requireReady(now: Date) throws(ACMEProblem) {
        guard status(at: now) == .ready else {
            throw ACMEProblem(.orderNotReady, "The order is not ready: its status is \(status(at: now).rawValue).")
        }
    }

    // MARK: Judging a certificate request

    /// Says whether a request may finalize the order; `accountKey` must not be the certificate's (RFC 8555 §11.1).
    package func judge(
        _ request: ACMECertificateRequest, accountKey: JSONWebKey, now: Date
    ) throws(ACMEProblem) {
        try requireReady(now: now)
        guard request.publicKeyInfo != accountKey.publicKeyInfo else {
            throw ACMEProblem(.badCSR, "The key of the certificate request is that of the account.")
        }
        if let attestedKey, request.publicKeyInfo != attestedKey {
            throw ACMEProblem(.badCSR, "The key of the certificate request is not the one that was attested.")
        }
        guard request.permanentIdentifiers.allSatisfy({ $0 == identifier.value }) else {
            throw ACMEProblem(.badCSR, "The certificate request names another identifier than the order.")
        }
    }
}

/// What was found out about the answer to a `device-attest-01` challenge.
package enum AttestationVerdict: Sendable, Equatable {
    /// The statement proves that this public key (SubjectPublicKeyInfo) is bound to the hardware, now.
    case attested(publicKeyInfo: Data)
    /// The answer holds no statement.
    case unattested
    /// The statement proves nothing; the text names the rule.
    case refused(String)
}

/// The answer to a challenge, before it is judged.
package struct AttestationAnswer: Sendable, Equatable {
    /// What the device sent: CBOR with a format and a statement.
    package let object: Data
    /// The challenge's token.
    package let token: String
    /// The token and the thumbprint of the account's key (RFC 8555 §8.1).
    package let keyAuthorization: String

    package init(object: Data, token: String, keyAuthorization: String) {
        self.object = object
        self.token = token
        self.keyAuthorization = keyAuthorization
    }

    /// Reads the payload of a challenge's URL; nothing where the device says that it could not attest.
    package init?(_ document: JSONValue, order: ACMEOrder, accountKey: JSONWebKey) throws(ACMEProblem) {
        if document["attObj"] == nil, document["error"] != nil { return nil }
        guard let text = document["attObj"]?.string, let object = Base64URL.decode(text) else {
            throw ACMEProblem(.malformed, "The answer to a challenge has attObj in Base64 for URLs.")
        }
        self.init(
            object: object, token: order.token, keyAuthorization: "\(order.token).\(accountKey.thumbprint)")
    }
}
