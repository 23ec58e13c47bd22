/// How a signature is made, and whether over a message or over its digest: `rsa-pss-sha256-message`.
package struct SignatureAlgorithm: Hashable, Sendable {
    /// The three ways.
    package enum Scheme: String, CaseIterable, Sendable {
        case rsaPKCS1 = "rsa-pkcs1"
        case rsaPSS = "rsa-pss"
        case ecdsa
    }

    /// What makes the digest.
    package enum Hash: String, CaseIterable, Sendable {
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

    /// What a caller hands over.
    package enum Input: String, CaseIterable, Sendable {
        case message, digest
    }

    package let scheme: Scheme
    package let hash: Hash
    package let input: Input

    /// Says how to sign.
    package init(_ scheme: Scheme, _ hash: Hash, over input: Input) {
        self.scheme = scheme
        self.hash = hash
        self.input = input
    }

    /// Every algorithm there is.
    package static let all = Scheme.allCases.flatMap { scheme in
        Hash.allCases.flatMap { hash in Input.allCases.map { SignatureAlgorithm(scheme, hash, over: $0) } }
    }

    /// The algorithm of this name.
    package init?(name: String) {
        guard let found = Self.all.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// Its name on the wire.
    package var name: String { "\(scheme.rawValue)-\(hash.rawValue)-\(input.rawValue)" }
}

extension SignatureAlgorithm: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let known = SignatureAlgorithm(name: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "an algorithm nobody knows")
        }
        self = known
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
