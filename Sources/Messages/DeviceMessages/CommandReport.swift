package import Foundation
package import InputBounds

/// How a device fared with a command.
package enum CommandStatus: String, Hashable, Sendable, Codable {
    /// Nothing to report; the device asks for work.
    case idle = "Idle"
    case acknowledged = "Acknowledged"
    case error = "Error"
    case commandFormatError = "CommandFormatError"
    /// Not possible at present; the device has forgotten the command.
    case notNow = "NotNow"
}

/// One link of why a command failed; the first is the outermost.
///
/// For people, not for decisions.
package struct ErrorChainItem: Hashable, Sendable, Codable {
    package var code: Int
    package var domain: String
    package var localizedDescription: String
    package var englishDescription: String?

    package init(code: Int, domain: String, localizedDescription: String, englishDescription: String? = nil) {
        self.code = code
        self.domain = domain
        self.localizedDescription = localizedDescription
        self.englishDescription = englishDescription
    }
}

/// What a device sends to the command URL: the result of the last command, and the request for the next.
package struct CommandReport: Hashable, Sendable {
    package var identifier: EnrollmentIdentifier
    package var status: CommandStatus
    package var commandUUID: String?
    package var errorChain: [ErrorChainItem]
    /// The keys that belong to the command alone, as a dictionary.
    package var contents: PropertyListValue

    package init(
        identifier: EnrollmentIdentifier, status: CommandStatus, commandUUID: String? = nil,
        errorChain: [ErrorChainItem] = [], contents: PropertyListValue = .dictionary([:])
    ) {
        self.identifier = identifier
        self.status = status
        self.commandUUID = commandUUID
        self.errorChain = errorChain
        self.contents = contents
    }

    /// Reads an XML or binary property list sent by a device.
    package init(parsing data: Data) throws(InputRefusal) {
        let fields = try MessageFields(PropertyListValue(parsing: data, limits: .message))
        identifier = try EnrollmentIdentifier(in: fields)
        guard let status = CommandStatus(rawValue: try fields.string("Status", limit: 64)) else {
            throw InputRefusal("the status of the command is unknown")
        }
        self.status = status
        commandUUID = try fields.stringIfPresent("CommandUUID", limit: 128)
        guard status == .idle || commandUUID != nil || status == .commandFormatError else {
            throw InputRefusal("a result names no command")
        }
        errorChain = try Self.errorChain(fields)
        contents = .dictionary(fields.entries.filter { !Self.envelope.contains($0.key) })
    }

    /// The report as an XML property list.
    package func encoded() -> Data {
        var entries = MessageEntries()
        identifier.write(to: &entries)
        entries.set("Status", status.rawValue)
        entries.set("CommandUUID", commandUUID)
        if !errorChain.isEmpty { entries.set("ErrorChain", .array(errorChain.map(Self.value))) }
        entries.add(contents.dictionary ?? [:])
        return entries.value.xml()
    }

    private static let envelope: Set = [
        "UDID", "EnrollmentID", "EnrollmentUserID", "UserID", "UserShortName", "UserLongName", "NotOnConsole", "Status",
        "CommandUUID", "ErrorChain",
    ]

    /// Descriptions are shortened rather than refused: they are only shown.
    private static func errorChain(_ fields: MessageFields) throws(InputRefusal) -> [ErrorChainItem] {
        var chain: [ErrorChainItem] = []
        for item in (try fields.arrayIfPresent("ErrorChain") ?? []).prefix(16) {
            let link = try MessageFields(item)
            let english = link.entries["USEnglishDescription"]?.string
            chain.append(
                ErrorChainItem(
                    code: try link.intIfPresent("ErrorCode") ?? 0,
                    domain: String((try link.stringIfPresent("ErrorDomain") ?? "").prefix(256)),
                    localizedDescription: String((link.entries["LocalizedDescription"]?.string ?? "").prefix(2048)),
                    englishDescription: english.map { String($0.prefix(2048)) }))
        }
        return chain
    }

    private static func value(_ item: ErrorChainItem) -> PropertyListValue {
        var entries = MessageEntries()
        entries.set("ErrorCode", item.code)
        entries.set("ErrorDomain", item.domain)
        entries.set("LocalizedDescription", item.localizedDescription)
        entries.set("USEnglishDescription", item.englishDescription)
        return entries.value
    }
}
