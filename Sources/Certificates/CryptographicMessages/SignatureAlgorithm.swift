/// How a signature is made, and whether over a message or over its digest.
package struct SignatureAlgorithm: Sendable, Hashable {
    package enum Scheme: String, Sendable, CaseIterable {
        case rsaPKCS1 = "rsa-pkcs1"
        case rsaPSS = "rsa-pss"
        case ecdsa
    }

    package enum Hash: String, Sendable, CaseIterable {
        case sha256, sha384, sha512

        /// Of a digest, in bytes.
        package var size: Int {
            switch self {
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        }
    }

    package enum Form: String, Sendable, CaseIterable {
        case message, digest
    }

    package let scheme: Scheme
    package let hash: Hash
    package let form: Form

    package init(_ scheme: Scheme, _ hash: Hash, _ form: Form) {
        self.scheme = scheme
        self.hash = hash
        self.form = form
    }

    /// Reads a name such as `rsa-pss-sha256-message`.
    package init?(name: String) {
        guard let found = Self.all.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    package var name: String { "\(scheme.rawValue)-\(hash.rawValue)-\(form.rawValue)" }

    /// Every algorithm there is.
    package static let all = Scheme.allCases.flatMap { scheme in
        Hash.allCases.flatMap { hash in Form.allCases.map { SignatureAlgorithm(scheme, hash, $0) } }
    }
}

/// Why a key does not sign.
package enum SigningRefusal: Error, Sendable, Equatable {
    /// The algorithm is not one of the key's family.
    case algorithm
    /// What was given as a digest does not have the digest's length.
    case digestLength
    case library
}
