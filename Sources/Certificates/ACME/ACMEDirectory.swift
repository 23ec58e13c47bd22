package import InputBounds

/// Where a server's resources are (RFC 8555 §7.1.1).
package struct ACMEDirectory: Sendable, Hashable {
    package let newNonce: String
    package let newAccount: String
    package let newOrder: String
    package let revokeCert: String
    package let keyChange: String

    package init(newNonce: String, newAccount: String, newOrder: String, revokeCert: String, keyChange: String) {
        self.newNonce = newNonce
        self.newAccount = newAccount
        self.newOrder = newOrder
        self.revokeCert = revokeCert
        self.keyChange = keyChange
    }

    package init(_ document: JSONValue) throws(ACMERefusal) {
        newNonce = try document.url("newNonce")
        newAccount = try document.url("newAccount")
        newOrder = try document.url("newOrder")
        revokeCert = try document.url("revokeCert")
        keyChange = try document.url("keyChange")
    }

    package var json: JSONValue {
        .object([
            "newNonce": .string(newNonce), "newAccount": .string(newAccount), "newOrder": .string(newOrder),
            "revokeCert": .string(revokeCert), "keyChange": .string(keyChange), "meta": .object([:]),
        ])
    }
}

extension JSONValue {
    /// A URL that a document holds; where it leads to is for the sender of requests to judge.
    func url(_ member: String) throws(ACMERefusal) -> String {
        guard let text = self[member]?.string, (8...2_048).contains(text.utf8.count), text.hasPrefix("https://") else {
            throw .document
        }
        return text
    }
}
