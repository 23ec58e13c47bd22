package import InputBounds

/// The commands that ask for what a device has of the apps that are managed by command.
package struct AppQuery: Hashable, Sendable {
    /// What is asked for; the raw value is the command's request type.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case list = "ManagedApplicationList"
        case attributes = "ManagedApplicationAttributes"
        case configuration = "ManagedApplicationConfiguration"
        case feedback = "ManagedApplicationFeedback"
        case validate = "ValidateApplications"

        /// Whether the command names the apps that it is about.
        package var needsIdentifiers: Bool {
            switch self {
            case .list, .validate: false
            case .attributes, .configuration, .feedback: true
            }
        }
    }

    package let kind: Kind
    /// The apps that are meant; nothing for all.
    package let identifiers: [String]?
    /// Whether the apps begin anew with their feedback once it is read; only ever of `feedback`.
    package let deletesFeedback: Bool

    package init(_ kind: Kind, identifiers: [String]? = nil, deletesFeedback: Bool = false) {
        self.kind = kind
        self.identifiers = identifiers
        self.deletesFeedback = kind == .feedback && deletesFeedback
    }

    /// Reads the request of a command, whose type says the kind.
    package init(_ request: PropertyListValue) throws(InputRefusal) {
        let fields = try MessageFields(request)
        guard let kind = Kind(rawValue: try fields.string("RequestType", limit: 128)) else {
            throw InputRefusal("the request type is none that asks for managed apps")
        }
        let identifiers = try Self.identifiers(fields)
        guard identifiers != nil || !kind.needsIdentifiers else {
            throw InputRefusal("the key Identifiers is missing")
        }
        let deletes = kind == .feedback ? try fields.boolIfPresent("DeleteFeedback") ?? false : false
        self.init(kind, identifiers: identifiers, deletesFeedback: deletes)
    }

    private static func identifiers(_ fields: MessageFields) throws(InputRefusal) -> [String]? {
        guard let identifiers = try fields.stringsIfPresent("Identifiers") else { return nil }
        guard identifiers.count <= AppCommandBounds.most else {
            throw InputRefusal(
                "the key Identifiers names at most \(AppCommandBounds.most) apps, and this names \(identifiers.count)")
        }
        let lengths = 1...AppCommandBounds.longestIdentifier
        guard identifiers.allSatisfy({ lengths.contains($0.utf8.count) }) else {
            throw InputRefusal("the key Identifiers holds an identifier that has not 1 to 255 bytes")
        }
        return identifiers
    }

    /// The request of the command, its type included.
    package var request: PropertyListValue {
        var entries = MessageEntries()
        entries.set("RequestType", kind.rawValue)
        entries.set("Identifiers", identifiers.map { PropertyListValue.array($0.map { .string($0) }) })
        if deletesFeedback { entries.set("DeleteFeedback", true) }
        return entries.value
    }
}
