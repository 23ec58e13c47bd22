package import Foundation
import InputBounds

/// One reply on the socket: parameters, or an error.
package struct VarlinkReply<Parameters: Decodable> {
    /// What was asked for, or why not.
    package let result: Result<Parameters, VarlinkError>

    /// Whether more replies to the same call follow.
    package let continues: Bool

    /// Reads a reply.
    package init(parsing message: Data) throws(VarlinkRefusal) {
        do {
            try JSONScan.check(message, limits: Varlink.replyLimits)
            let incoming = try JSONDecoder().decode(Incoming.self, from: message)
            result = incoming.result
            continues = incoming.continues
        } catch {
            throw .notAReply
        }
    }

    // Parameters of an error belong to the error: they are not what was asked for.
    private struct Incoming: Decodable {
        let result: Result<Parameters, VarlinkError>
        let continues: Bool

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            continues = try values.decodeIfPresent(Bool.self, forKey: .continues) ?? false
            if let name = try values.decodeIfPresent(String.self, forKey: .error) {
                result = .failure(VarlinkError(name: name))
            } else {
                result = .success(try values.decode(Parameters.self, forKey: .parameters))
            }
        }
    }

    private enum Key: String, CodingKey {
        case error, continues, parameters
    }
}

/// Bytes of replies, and what calls and replies share.
package enum Varlink {
    /// A reply of the agent's may hold one whole configuration.
    static let replyLimits = InputLimits(bytes: FrameReader.replyLimit, depth: 16, objects: 1_024)

    /// The bytes of a reply, end included.
    package static func reply(_ parameters: some Encodable, continues: Bool = false) -> Data {
        encode(Reply(parameters: parameters, continues: continues ? true : nil, error: nil))
    }

    /// The bytes of an error, end included.
    package static func reply(_ error: VarlinkError) -> Data {
        encode(Reply(parameters: error.parameters, continues: nil, error: error.name))
    }

    /// No parameters.
    package struct Nothing: Codable, Equatable, Sendable {
        /// Makes nothing.
        package init() {}
    }

    static func encode(_ value: some Encodable) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        // Values of this module hold only text, whole numbers and bytes, which JSON can always say.
        guard var data = try? encoder.encode(value) else { preconditionFailure("a message that JSON cannot say") }
        data.append(0)
        return data
    }

    private struct Reply<Parameters: Encodable>: Encodable {
        let parameters: Parameters
        let continues: Bool?
        let error: String?
    }
}
