package import InputBounds

/// `com.apple.asset.credential.…`: where the document of a secret is, and of which kind it is.
package struct CredentialAsset: Hashable, Sendable {
    /// The five kinds, by the type of their declaration.
    package enum Kind: String, CaseIterable, Sendable {
        case userNameAndPassword = "com.apple.asset.credential.userpassword"
        case certificate = "com.apple.asset.credential.certificate"
        case identity = "com.apple.asset.credential.identity"
        case scep = "com.apple.asset.credential.scep"
        case acme = "com.apple.asset.credential.acme"

        /// What its document may be served as, the one to serve it as first.
        package var mediaTypes: [String] {
            switch self {
            case .certificate: ["application/pkcs1", "application/pem"]
            case .userNameAndPassword, .identity, .scep, .acme: [MediaType.json]
            }
        }

        /// Whether a private key belongs to it.
        package var isIdentity: Bool {
            switch self {
            case .identity, .scep, .acme: true
            case .userNameAndPassword, .certificate: false
            }
        }

        /// The keys on the payload's top level that the type knows.
        package var keys: Set<String> {
            isIdentity ? DataAsset.keys.union(["Accessible"]) : DataAsset.keys
        }
    }

    /// When the secret may be used.
    package enum Accessible: String, Hashable, Sendable {
        /// As strictly as all its users allow; what is meant when the declaration does not say.
        case `default` = "Default"
        case afterFirstUnlock = "AfterFirstUnlock"
    }

    package var kind: Kind
    package var document: DataAsset
    /// Only identities say so.
    package var accessible: Accessible?

    package init(_ kind: Kind, document: DataAsset, accessible: Accessible? = nil) {
        precondition(accessible == nil || kind.isIdentity, "only identities say when they may be used")
        self.kind = kind
        self.document = document
        self.accessible = accessible
    }

    /// Reads the asset in a declaration.
    package init(_ declaration: Declaration) throws(InputRefusal) {
        guard let kind = Kind(rawValue: declaration.type) else {
            throw InputRefusal("the declaration has another type")
        }
        self.kind = kind
        document = try DataAsset(payload: declaration.payload)
        guard kind.isIdentity else { return }
        if let text = try JSONFields(declaration.payload).stringIfPresent("Accessible", limit: 64) {
            guard let accessible = Accessible(rawValue: text) else {
                throw InputRefusal("the key Accessible has an unknown value")
            }
            self.accessible = accessible
        }
    }

    package var payload: JSONValue {
        guard let accessible, var entries = document.payload.object else { return document.payload }
        entries["Accessible"] = .string(accessible.rawValue)
        return .object(entries)
    }

    /// The declaration of this asset.
    package func declaration(identifier: String, serverToken: String) -> Declaration {
        Declaration(type: kind.rawValue, identifier: identifier, serverToken: serverToken, payload: payload)
    }

    /// The keys of a payload that this kind does not know, sorted.
    package static func unknownKeys(of kind: Kind, in payload: JSONValue) -> [String] {
        (payload.object ?? [:]).keys.filter { !kind.keys.contains($0) }.sorted()
    }
}
