package import Foundation
package import InputBounds

/// One declaration: a document that a device fetches by name and holds until the server's list drops it.
package struct Declaration: Hashable, Sendable {
    /// Longest identifier and server token, in octets.
    package static let longestIdentifier = 64

    package let type: String
    package let identifier: String
    /// Changes whenever anything in the declaration changes.
    package let serverToken: String
    package let payload: JSONValue
    /// Told by the type.
    package let kind: DeclarationKind

    /// Makes a declaration of our own; identifier and token must fit the protocol.
    package init(type: String, identifier: String, serverToken: String, payload: JSONValue) {
        guard let kind = DeclarationKind(type: type), Self.isIdentifier(identifier),
            (1...Self.longestIdentifier).contains(serverToken.utf8.count)
        else { preconditionFailure("a declaration that no device could read") }
        self.type = type
        self.identifier = identifier
        self.serverToken = serverToken
        self.payload = payload
        self.kind = kind
    }

    /// Makes a declaration of a typed payload.
    package init(identifier: String, serverToken: String, _ payload: some DeclarationPayload) {
        let type = Swift.type(of: payload).type
        self.init(type: type, identifier: identifier, serverToken: serverToken, payload: payload.payload)
    }

    /// Reads a declaration sent by a server.
    ///
    /// Types need not be known, only their kind.
    package init(parsing data: Data) throws(InputRefusal) {
        let fields = try JSONFields(JSONValue(parsing: data, limits: .message))
        type = try fields.string("Type", limit: 256)
        guard let kind = DeclarationKind(type: type) else { throw InputRefusal("the declaration's kind is unknown") }
        self.kind = kind
        identifier = try fields.string("Identifier", limit: Self.longestIdentifier)
        try Self.checkIdentifier(identifier)
        serverToken = try fields.string("ServerToken", limit: Self.longestIdentifier)
        payload = try fields.value("Payload")
        guard payload.object != nil else { throw InputRefusal("the key Payload is not an object") }
    }

    /// The declaration as JSON: equal declarations give equal bytes.
    package func encoded() -> Data {
        JSONValue.object([
            "Type": .string(type), "Identifier": .string(identifier), "ServerToken": .string(serverToken),
            "Payload": payload,
        ]).encoded()
    }

    /// The payload read as one of its type.
    package func read<Payload: DeclarationPayload>(_: Payload.Type) throws(InputRefusal) -> Payload {
        guard type == Payload.type else { throw InputRefusal("the declaration has another type") }
        return try Payload(payload: payload)
    }

    /// Tells whether a text can name a declaration: 1 to 64 octets, nothing that a path or a log line would mangle.
    package static func isIdentifier(_ text: String) -> Bool {
        (1...longestIdentifier).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
    }

    static func checkIdentifier(_ text: String) throws(InputRefusal) {
        guard isIdentifier(text) else { throw InputRefusal("an identifier has no allowed length or form") }
    }
}

/// The payload of one type of declaration.
///
/// Keys that a type does not know are kept in the declaration; `unknownKeys` names them for the report to the server.
package protocol DeclarationPayload: Hashable, Sendable {
    static var type: String { get }
    /// The keys on the payload's top level that the type knows.
    static var keys: Set<String> { get }
    init(payload: JSONValue) throws(InputRefusal)
    var payload: JSONValue { get }
    /// The keys of a payload that have no effect, as key paths, sorted.
    static func unknownKeys(in payload: JSONValue) -> [String]
}

extension DeclarationPayload {
    /// The keys of a payload that this type does not know, sorted.
    package static func unknownKeys(in payload: JSONValue) -> [String] {
        (payload.object ?? [:]).keys.filter { !keys.contains($0) }.sorted()
    }
}
