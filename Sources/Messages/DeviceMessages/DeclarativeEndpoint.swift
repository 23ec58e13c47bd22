package import InputBounds

/// The four kinds of declarations; the third part of every type says which.
package enum DeclarationKind: String, Hashable, Sendable, Codable, CaseIterable {
    case activation
    case asset
    case configuration
    case management

    /// The kind of a type such as `com.apple.configuration.app.managed`.
    package init?(type: String) {
        let parts = type.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, !parts[3].isEmpty, let kind = DeclarationKind(rawValue: String(parts[2])) else {
            return nil
        }
        self = kind
    }
}

/// What a device asks for, or sends, in a `DeclarativeManagement` message.
package enum DeclarativeEndpoint: Hashable, Sendable {
    case tokens
    case declarationItems
    case status
    case declaration(DeclarationKind, identifier: String)

    /// Reads `tokens`, `declaration-items`, `status` or `declaration/<kind>/<identifier>`.
    package init(parsing text: String) throws(InputRefusal) {
        switch text {
        case "tokens": self = .tokens
        case "declaration-items": self = .declarationItems
        case "status": self = .status
        default:
            guard text.utf8.count <= 128 else { throw InputRefusal("the endpoint is too long") }
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0] == "declaration", let kind = DeclarationKind(rawValue: String(parts[1]))
            else {
                throw InputRefusal("the endpoint is unknown")
            }
            let identifier = String(parts[2])
            try Declaration.checkIdentifier(identifier)
            self = .declaration(kind, identifier: identifier)
        }
    }

    /// The endpoint as it is sent.
    package var text: String {
        switch self {
        case .tokens: "tokens"
        case .declarationItems: "declaration-items"
        case .status: "status"
        case .declaration(let kind, let identifier): "declaration/\(kind.rawValue)/\(identifier)"
        }
    }
}
