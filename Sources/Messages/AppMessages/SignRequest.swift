package import Foundation

/// Asks for a signature by the key of an identity.
package struct SignRequest: Codable, Equatable, Sendable {
    /// The most that one call may bring: a handshake or a token has far less, and more can be hashed first.
    package static let mostData = 65_536

    static let longestReference = 256

    /// The identity's.
    package let identifier: String

    /// The very key, as `GetIdentity` named it; after a renewal it names nothing.
    package let reference: String
    package let algorithm: SignatureAlgorithm

    /// A message or a digest, as the algorithm says; base64 on the wire.
    package let data: Data

    /// Asks for a signature.
    package init(identifier: String, reference: String, algorithm: SignatureAlgorithm, data: Data) {
        self.identifier = identifier
        self.reference = reference
        self.algorithm = algorithm
        self.data = data
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        identifier = try values.decode(String.self, forKey: .identifier)
        reference = try values.decode(String.self, forKey: .reference)
        algorithm = try values.decode(SignatureAlgorithm.self, forKey: .algorithm)
        data = try values.decode(Data.self, forKey: .data)
        guard algorithm.takes(data.count) else {
            throw DecodingError.dataCorruptedError(
                forKey: .data, in: values, debugDescription: "a message of at most 64 KiB, or a digest of its length")
        }
    }
}

/// How to sign, and what is signed: `rsa-pss-sha256-message`.
package struct SignatureAlgorithm: Hashable, Sendable {
    /// The three ways.
    package enum Scheme: String, CaseIterable, Sendable {
        case rsaPKCS1 = "rsa-pkcs1"
        case rsaPSS = "rsa-pss"
        case ecdsa
    }

    /// The digest, by its length.
    package enum Digest: String, CaseIterable, Sendable {
        case sha256, sha384, sha512

        /// In bytes.
        package var count: Int {
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
    package let digest: Digest
    package let input: Input

    /// Says how to sign.
    package init(_ scheme: Scheme, _ digest: Digest, over input: Input) {
        self.scheme = scheme
        self.digest = digest
        self.input = input
    }

    /// Every algorithm there is.
    package static let all = Scheme.allCases.flatMap { scheme in
        Digest.allCases.flatMap { digest in Input.allCases.map { SignatureAlgorithm(scheme, digest, over: $0) } }
    }

    /// The algorithm of this name.
    package init?(name: String) {
        guard let found = Self.all.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// Its name on the wire.
    package var name: String { "\(scheme.rawValue)-\(digest.rawValue)-\(input.rawValue)" }

    /// Whether data of this length can be what is signed.
    package func takes(_ count: Int) -> Bool {
        input == .digest ? count == digest.count : count <= SignRequest.mostData
    }
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
