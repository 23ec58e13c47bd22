package import Foundation
import InputBounds

/// One request on the socket, its parameters still unread.
package struct VarlinkCall: Sendable {
    /// The full name of the method.
    package let method: String

    /// Whether the caller wants a stream of replies.
    package let more: Bool

    /// Whether the caller wants no reply at all.
    package let oneway: Bool

    // A call is small; the most is an app's arguments and environment.
    private static let limits = InputLimits(bytes: FrameReader.callLimit, depth: 16, objects: 4_096)

    private let message: Data

    /// Reads a call; one that cannot be read ends the connection.
    package init(parsing message: Data) throws(VarlinkRefusal) {
        do {
            try JSONScan.check(message, limits: Self.limits)
        } catch {
            throw .notACall
        }
        guard let head = try? JSONDecoder().decode(Head.self, from: message), head.method.utf8.count <= 255,
            head.upgrade != true
        else { throw .notACall }
        method = head.method
        more = head.more ?? false
        oneway = head.oneway ?? false
        self.message = message
    }

    /// Reads the parameters; unknown ones are ignored.
    package func parameters<Parameters: Decodable>(
        _ type: Parameters.Type
    ) throws(VarlinkError) -> Parameters {
        do {
            return try JSONDecoder().decode(Body<Parameters>.self, from: message).parameters
        } catch DecodingError.keyNotFound(let key, _) {
            throw .invalidParameter(key.stringValue)
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context)
        {
            throw .invalidParameter(context.codingPath.dropFirst().first?.stringValue ?? "parameters")
        } catch {
            throw .invalidParameter("parameters")
        }
    }

    /// The bytes of a call, end included.
    package static func encode(
        _ method: String, _ parameters: some Encodable, more: Bool = false, oneway: Bool = false
    ) -> Data {
        Varlink.encode(
            Outgoing(method: method, parameters: parameters, more: more ? true : nil, oneway: oneway ? true : nil))
    }

    private struct Head: Decodable {
        let method: String
        let more: Bool?
        let oneway: Bool?
        let upgrade: Bool?
    }

    private struct Body<Parameters: Decodable>: Decodable {
        let parameters: Parameters
    }

    private struct Outgoing<Parameters: Encodable>: Encodable {
        let method: String
        let parameters: Parameters
        let more: Bool?
        let oneway: Bool?
    }
}

/// Why a message is not a call or a reply.
package enum VarlinkRefusal: Error {
    case notACall
    case notAReply
}
