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

    private let parameters: JSONValue?

    /// Reads a call; one that cannot be read ends the connection.
    package init(parsing bytes: Data) throws(VarlinkRefusal) {
        guard let message = try? JSONValue(parsing: bytes, limits: Self.limits),
            let method = message["method"]?.string, method.utf8.count <= 255, let more = message.flag("more"),
            let oneway = message.flag("oneway"), message.flag("upgrade") == false
        else { throw .notACall }
        (self.method, self.more, self.oneway) = (method, more, oneway)
        parameters = message["parameters"]
    }

    /// Reads the parameters; unknown ones are ignored.
    package func parameters<Parameters: Decodable>(
        _ type: Parameters.Type
    ) throws(VarlinkError) -> Parameters {
        guard let parameters else { throw .invalidParameter("parameters") }
        do {
            return try parameters.decoded(as: type)
        } catch DecodingError.keyNotFound(let key, _) {
            throw .invalidParameter(key.stringValue)
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context)
        {
            throw .invalidParameter(context.codingPath.first?.stringValue ?? "parameters")
        } catch {
            throw .invalidParameter("parameters")
        }
    }

    /// Reads the parameters of a method that can do without.
    func parametersIfPresent<Parameters: Decodable>(
        _ type: Parameters.Type
    ) throws(VarlinkError) -> Parameters? {
        guard let parameters, !parameters.isNull else { return nil }
        return try self.parameters(type)
    }

    /// The bytes of a call, end included.
    package static func encode(
        _ method: String, _ parameters: some Encodable, more: Bool = false, oneway: Bool = false
    ) -> Data {
        var members = ["method": JSONValue.string(method), "parameters": Varlink.value(parameters)]
        if more { members["more"] = .boolean(true) }
        if oneway { members["oneway"] = .boolean(true) }
        return Varlink.encode(members)
    }
}

extension JSONValue {
    /// A member that says yes or no; what is not there says no, and nil means that it says something else.
    func flag(_ name: String) -> Bool? {
        guard let member = self[name], !member.isNull else { return false }
        return member.bool
    }
}

/// Why a message is not a call or a reply.
package enum VarlinkRefusal: Error {
    case notACall
    case notAReply
}
