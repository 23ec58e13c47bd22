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
        guard let message = try? JSONValue(parsing: message, limits: Varlink.replyLimits), message.object != nil,
            let continues = message.flag("continues")
        else { throw .notAReply }
        self.continues = continues
        // Parameters of an error belong to the error: they are not what was asked for.
        if let error = message["error"], !error.isNull {
            guard let name = error.string else { throw .notAReply }
            // Of all errors one has something to be read.
            let challenge = name == VarlinkError.identification ? message["parameters"]?["challenge"]?.string : nil
            result = .failure(challenge.map(VarlinkError.identificationNeeded) ?? VarlinkError(name: name))
        } else {
            guard let parameters = try? message["parameters"]?.decoded(as: Parameters.self) else { throw .notAReply }
            result = .success(parameters)
        }
    }
}

/// Bytes of replies, and what calls and replies share.
package enum Varlink {
    /// A reply of the agent's may hold one whole configuration.
    static let replyLimits = InputLimits(bytes: FrameReader.replyLimit, depth: 16, objects: 1_024)

    /// The bytes of a reply, end included.
    package static func reply(_ parameters: some Encodable, continues: Bool = false) -> Data {
        var members = ["parameters": value(parameters)]
        if continues { members["continues"] = .boolean(true) }
        return encode(members)
    }

    /// The bytes of an error, end included.
    package static func reply(_ error: VarlinkError) -> Data {
        encode(["error": .string(error.name), "parameters": value(error.parameters)])
    }

    /// No parameters.
    package struct Nothing: Codable, Equatable, Sendable {
        /// Makes nothing.
        package init() {}
    }

    static func value(_ parameters: some Encodable) -> JSONValue {
        // Values of this module hold only text, whole numbers and bytes, which JSON can always say.
        guard let value = try? JSONValue(encoding: parameters) else {
            preconditionFailure("a message that JSON cannot say")
        }
        return value
    }

    static func encode(_ message: [String: JSONValue]) -> Data {
        var bytes: [UInt8] = []
        JSONValue.object(message).append(to: &bytes)
        bytes.append(0)
        return Data(bytes)
    }
}
