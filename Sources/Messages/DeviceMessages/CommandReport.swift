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
    /// Where the message could be read only in part.
    package private(set) var oddities = Oddities()
    /// The message as it came, where it could be read only in part.
    private var original: Data?

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

    /// Reads an XML or binary property list sent by a device, as far as it can be read.
    ///
    /// A device repeats what is refused, and its other commands wait: only who speaks, and of which command, has to be
    /// readable. An answer whose status is no known one counts as an error.
    package init(parsing data: Data) throws(InputRefusal) {
        let list = try PropertyListValue.reading(data, limits: .message)
        var said = SaidFields(try MessageFields(list.value), list.oddities)
        identifier = try EnrollmentIdentifier(in: said.fields)
        commandUUID = try said.fields.stringIfPresent("CommandUUID", limit: 128)
        status = try Self.status(&said, isResult: commandUUID != nil)
        guard status == .idle || commandUUID != nil || status == .commandFormatError else {
            throw InputRefusal("a result names no command")
        }
        errorChain = Self.errorChain(&said)
        contents = .dictionary(said.entries.filter { !Self.envelope.contains($0.key) })
        oddities = said.oddities
        if !oddities.isEmpty { original = data }
    }

    private static func status(
        _ said: inout SaidFields<PropertyListValue>, isResult: Bool
    ) throws(InputRefusal) -> CommandStatus {
        do throws(InputRefusal) {
            guard let status = CommandStatus(rawValue: try said.fields.string("Status", limit: 64)) else {
                throw InputRefusal("the status of the command is unknown")
            }
            return status
        } catch {
            guard isResult else { throw error }
            said.note(at: "Status", error.rule)
            return .error
        }
    }

    /// The report as an XML property list, or as it came where it could be read only in part.
    package func encoded() -> Data {
        if let original { return original }
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
    private static func errorChain(_ said: inout SaidFields<PropertyListValue>) -> [ErrorChainItem] {
        var chain: [ErrorChainItem] = []
        for (index, item) in said.items("ErrorChain").prefix(16).enumerated() {
            let place = "ErrorChain[\(index)]"
            guard let fields = try? MessageFields(item) else {
                said.note(at: place, PropertyListValue.notEntries.rule)
                continue
            }
            var link = SaidFields(fields)
            let english = fields.entries["USEnglishDescription"]?.string
            chain.append(
                ErrorChainItem(
                    code: link.int("ErrorCode") ?? 0,
                    domain: String((link.text("ErrorDomain", limit: 4096) ?? "").prefix(256)),
                    localizedDescription: String((fields.entries["LocalizedDescription"]?.string ?? "").prefix(2048)),
                    englishDescription: english.map { String($0.prefix(2048)) }))
            said.add(link.oddities, under: place)
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
