package import Foundation
package import InputBounds

/// What a server asks a device to do.
package struct Command: Hashable, Sendable {
    package let uuid: String
    package let requestType: String
    /// The inner dictionary, `RequestType` included.
    package let request: PropertyListValue

    /// Makes a command of a request that names its `RequestType`.
    package init(uuid: String, request: PropertyListValue) throws(InputRefusal) {
        guard !uuid.isEmpty, uuid.utf8.count <= 128 else { throw InputRefusal("the command has no usable UUID") }
        self.uuid = uuid
        self.requestType = try MessageFields(request).string("RequestType", limit: 128)
        self.request = request
    }

    /// Reads a command sent by a server.
    package init(parsing data: Data) throws(InputRefusal) {
        let fields = try MessageFields(PropertyListValue(parsing: data, limits: .message))
        guard let request = fields.entries["Command"] else { throw InputRefusal("the key Command is missing") }
        try self.init(uuid: try fields.string("CommandUUID", limit: 128), request: request)
    }

    /// Asks the device to synchronize its declarations; `tokens` saves it one question.
    package static func declarativeManagement(uuid: String, tokens: TokensResponse? = nil) -> Command {
        var entries = MessageEntries()
        entries.set("RequestType", "DeclarativeManagement")
        entries.set("Data", tokens?.encoded())
        return Command(uuid: uuid, requestType: "DeclarativeManagement", request: entries.value)
    }

    private init(uuid: String, requestType: String, request: PropertyListValue) {
        self.uuid = uuid
        self.requestType = requestType
        self.request = request
    }

    /// The command as an XML property list.
    package func encoded() -> Data {
        PropertyListValue.dictionary(["CommandUUID": .string(uuid), "Command": request]).xml()
    }
}
