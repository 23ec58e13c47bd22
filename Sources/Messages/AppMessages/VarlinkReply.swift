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
            let head = try JSONDecoder().decode(Head.self, from: message)
            continues = head.continues ?? false
            if let name = head.error {
                result = .failure(VarlinkError(name: name))
            } else {
                result = .success(try JSONDecoder().decode(Body.self, from: message).parameters)
            }
        } catch {
            throw .notAReply
        }
    }

    private struct Head: Decodable {
        let error: String?
        let continues: Bool?
    }

    private struct Body: Decodable {
        let parameters: Parameters
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
