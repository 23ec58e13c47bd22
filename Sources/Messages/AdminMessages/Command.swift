package import Foundation

/// Puts a command into a device's queue. `POST /devices/{id}/commands`
///
/// `parameters` is an object whose members stand beside `RequestType` in the command; JSON null has no place in it.
package struct CommandRequest: Codable, Hashable, Sendable {
    package var requestType: String
    package var parameters: JSON?

    package init(requestType: String, parameters: JSON? = nil) {
        self.requestType = requestType
        self.parameters = parameters
    }
}

/// A command in a device's queue. `GET /devices/{id}/commands`
package struct CommandSummary: Codable, Hashable, Sendable {
    package var uuid: String
    package var requestType: String
    package var state: CommandState
    package var queued: Date
    package var updated: Date?
    /// What there is to say of it, only in the answer to who sent it; nothing where there is nothing.
    package var warnings: [String]?

    package init(
        uuid: String, requestType: String, state: CommandState, queued: Date, updated: Date? = nil,
        warnings: [String]? = nil
    ) {
        self.uuid = uuid
        self.requestType = requestType
        self.state = state
        self.queued = queued
        self.updated = updated
        self.warnings = warnings
    }
}

/// A command with what the device answered. `GET /devices/{id}/commands/{uuid}`
package struct CommandDetail: Codable, Hashable, Sendable {
    package var uuid: String
    package var requestType: String
    package var state: CommandState
    package var queued: Date
    package var updated: Date?
    /// The answer without the protocol's own keys; dates are ISO 8601 texts and data is Base64 text.
    package var answer: JSON?
    package var errorChain: [CommandError]
    /// Places of the answer that could be read only in part, the first of them; nothing where it is as it should be.
    package var oddities: [CommandOddity]?

    package init(
        uuid: String, requestType: String, state: CommandState, queued: Date, updated: Date? = nil,
        answer: JSON? = nil, errorChain: [CommandError] = [], oddities: [CommandOddity]? = nil
    ) {
        self.uuid = uuid
        self.requestType = requestType
        self.state = state
        self.queued = queued
        self.updated = updated
        self.answer = answer
        self.errorChain = errorChain
        self.oddities = oddities
    }
}

/// A place of an answer that is not as the protocol has it, and how it was read.
package struct CommandOddity: Codable, Hashable, Sendable {
    /// The keys and numbers that lead there, such as `QueryResponses.Date`; empty for the whole answer.
    package var place: String
    package var rule: String

    package init(place: String, rule: String) {
        self.place = place
        self.rule = rule
    }
}

/// One link of the chain of errors with which a device explains a failed command.
package struct CommandError: Codable, Hashable, Sendable {
    package var domain: String
    package var code: Int
    package var description: String?

    package init(domain: String, code: Int, description: String? = nil) {
        self.domain = domain
        self.code = code
        self.description = description
    }
}
