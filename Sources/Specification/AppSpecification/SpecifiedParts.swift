package import InputBounds

/// Which app a specification is about: `x-app`, and the schema's own `title` and `description`.
package struct SpecifiedApp: Hashable, Sendable {
    package var bundleIdentifier: String
    /// The app's version that reads such configurations, as people see it.
    package var version: String?
    /// What people call the app.
    package var title: String?
    package var description: String?
    /// The systems that it runs on, each with its lowest version if there is one.
    package var platforms: [String: String?]
    /// Where the developer publishes this for everybody: an `https` URL.
    package var website: String?

    package init(
        bundleIdentifier: String, version: String? = nil, title: String? = nil, description: String? = nil,
        platforms: [String: String?] = [:], website: String? = nil
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.version = version
        self.title = title
        self.description = description
        self.platforms = platforms
        self.website = website
    }
}

/// A secret that the app asks for: `x-secrets`.
package struct SpecifiedSecret: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case password, certificate, identity
    }

    package var kind: Kind
    /// The identifier it asks by, or what all those begin with.
    package var identifier: String
    package var isPrefix: Bool
    /// What the app uses it for.
    package var purpose: String?
    /// Whether the app does not work without.
    package var isRequired: Bool

    package init(
        kind: Kind, identifier: String, isPrefix: Bool = false, purpose: String? = nil, isRequired: Bool = false
    ) {
        self.kind = kind
        self.identifier = identifier
        self.isPrefix = isPrefix
        self.purpose = purpose
        self.isRequired = isRequired
    }

    /// Whether a secret of such an identifier is this one.
    package func names(_ identifier: String) -> Bool {
        isPrefix ? identifier.hasPrefix(self.identifier) : identifier == self.identifier
    }
}

/// An error with which the app refuses a configuration: `x-errors`.
package struct SpecifiedError: Hashable, Sendable {
    package var code: Int
    /// What the developer calls it.
    package var name: String?
    package var meaning: String
    /// What an administrator does about it.
    package var remedy: String?

    package init(code: Int, name: String? = nil, meaning: String, remedy: String? = nil) {
        self.code = code
        self.name = name
        self.meaning = meaning
        self.remedy = remedy
    }
}

/// What the app hands over of what it counts, one key of it: `x-feedback`.
package struct SpecifiedFeedback: Hashable, Sendable {
    /// Of the outermost dictionary.
    package var key: String
    /// What people are shown for the key.
    package var title: String?
    package var description: String?
    /// Why it is collected.
    package var purpose: String?
    /// For how long, in the developer's words.
    package var retention: String?

    package init(
        key: String, title: String? = nil, description: String? = nil, purpose: String? = nil, retention: String? = nil
    ) {
        self.key = key
        self.title = title
        self.description = description
        self.purpose = purpose
        self.retention = retention
    }
}

/// A configuration that shows how the app is configured: `x-samples`.
package struct SpecifiedSample: Hashable, Sendable {
    package var title: String
    package var description: String?
    /// In JSON; dates and data are texts.
    package var configuration: JSONValue

    package init(title: String, description: String? = nil, configuration: JSONValue) {
        self.title = title
        self.description = description
        self.configuration = configuration
    }
}
