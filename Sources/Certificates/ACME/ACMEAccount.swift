package import Foundation
package import InputBounds

/// An account as the server keeps it (RFC 8555 §7.1.2): a key, and what may be done with it.
package struct ACMEAccount: Sendable, Equatable {
    package enum Status: String, Sendable, CaseIterable {
        case valid
        case deactivated
    }

    package let id: String
    package private(set) var key: JSONWebKey
    package private(set) var contacts: [String]
    package private(set) var status: Status
    package let created: Date

    package init(id: String, key: JSONWebKey, contacts: [String], status: Status = .valid, created: Date) {
        self.id = id
        self.key = key
        self.contacts = contacts
        self.status = status
        self.created = created
    }

    /// What the holder of an account may change.
    package enum Change: Sendable, Equatable {
        case contacts([String])
        case deactivation
        case key(JSONWebKey)
    }

    package mutating func apply(_ change: Change) throws(ACMEProblem) {
        try requireValid()
        switch change {
        case .contacts(let contacts): self.contacts = contacts
        case .deactivation: status = .deactivated
        case .key(let key): self.key = key
        }
    }

    package func requireValid() throws(ACMEProblem) {
        guard status == .valid else {
            throw ACMEProblem(.unauthorized, "The account was deactivated.", status: 401)
        }
    }
}

/// What a request for a new account says.
package struct ACMEAccountRequest: Sendable, Equatable {
    package let contacts: [String]
    package let onlyReturnExisting: Bool

    package init(_ document: JSONValue) throws(ACMEProblem) {
        contacts = try ACMEContacts.read(document["contact"])
        if let value = document["onlyReturnExisting"] {
            guard let flag = value.bool else {
                throw ACMEProblem(.malformed, "onlyReturnExisting is true or false.")
            }
            onlyReturnExisting = flag
        } else {
            onlyReturnExisting = false
        }
    }

    /// Reads what is posted to an account; nothing asked for changes nothing.
    ///
    /// Any other status, `orders` and members that are not known are ignored (RFC 8555 §7.3.2): a client may send back the
    /// whole account that it read.
    package static func change(_ document: JSONValue) throws(ACMEProblem) -> ACMEAccount.Change? {
        if document["status"]?.string == ACMEAccount.Status.deactivated.rawValue { return .deactivation }
        return document["contact"] == nil ? nil : .contacts(try ACMEContacts.read(document["contact"]))
    }
}

extension ACMEProblem {
    /// The answer to a key change says in `Location` whose key it is (RFC 8555 §7.3.5).
    package static let keyIsTaken = ACMEProblem(
        .malformed, "The new key is that of an account already; make another key.", status: 409)
}

/// What the two signatures of a key change say (RFC 8555 §7.3.5), once both are checked.
package enum ACMEKeyChange {
    /// The new key: it signed the inner request, which names the account and the key it has.
    package static func newKey(
        payload: JSONValue, outerURL: String, account: String, oldKey: JSONWebKey
    ) throws(ACMEProblem) -> JSONWebKey {
        let inner = try SignedRequest(payload)
        guard case .key(let newKey) = inner.signer, inner.nonce == nil else {
            throw ACMEProblem(.malformed, "The inner signature of a key change has a jwk and no nonce.")
        }
        try inner.verify(by: newKey)
        guard inner.url == outerURL else {
            throw ACMEProblem(.malformed, "The inner signature of a key change is for another URL.")
        }
        let document = try inner.object()
        guard document["account"]?.string == account, let old = document["oldKey"],
            let named = try? JSONWebKey(old), named == oldKey
        else {
            throw ACMEProblem(.malformed, "A key change names the account and the key it has now.")
        }
        return newKey
    }
}
