package import Foundation
package import Signatures

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

extension SignatureAlgorithm {
    /// Whether data of this length can be what is signed.
    package func takes(_ count: Int) -> Bool {
        input == .digest ? count == hash.size : count <= SignRequest.mostData
    }
}
