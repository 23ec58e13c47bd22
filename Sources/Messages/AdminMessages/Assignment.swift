/// An app given to a group, with a configuration or without. `GET /assignments`
package struct Assignment: Codable, Hashable, Sendable {
    package var group: String
    package var app: String
    package var configuration: String?
    /// The app's configurations that its extensions get, by their bundle identifiers; nothing where none gets one.
    package var extensions: [String: String]?
    /// How far a device must trust the app before it gives it a secret: `launched`, `verified` or `shared`.
    package var lowestTrust: String?
    /// Whether devices must have the app, `required`, or their users may, `optional`; nothing leaves it to the app's source.
    package var install: String?
    /// Where several groups of a device assign the app, the highest counts; nothing is 0.
    package var priority: Int?
    /// As what the app gets its configuration, a word of `Delivery`; nothing where it is by the framework.
    package var delivery: String?
    /// What there is to say about it; said when it is made.
    package var warnings: [String]?
    /// Which of these members are others than before; said when one that was there is patched.
    package var changed: [String]?

    package init(
        group: String, app: String, configuration: String? = nil, extensions: [String: String]? = nil,
        lowestTrust: String? = nil, install: String? = nil, priority: Int? = nil, delivery: String? = nil,
        warnings: [String]? = nil, changed: [String]? = nil
    ) {
        self.group = group
        self.app = app
        self.configuration = configuration
        self.extensions = extensions
        self.lowestTrust = lowestTrust
        self.install = install
        self.priority = priority
        self.delivery = delivery
        self.warnings = warnings
        self.changed = changed
    }
}

/// Says with which configuration a group gets an app. `PUT /assignments/{group}/{app}`
package struct AssignmentRequest: Codable, Hashable, Sendable {
    package var configuration: String?
    /// The app's configurations that its extensions get, by their bundle identifiers.
    package var extensions: [String: String]?
    /// `launched` if left out.
    package var lowestTrust: String?
    /// `required` or `optional`; what the app's source says if left out.
    package var install: String?
    /// 0 if left out.
    package var priority: Int?
    /// A word of `Delivery`; `framework` if left out.
    package var delivery: String?

    package init(
        configuration: String? = nil, extensions: [String: String]? = nil, lowestTrust: String? = nil,
        install: String? = nil, priority: Int? = nil, delivery: String? = nil
    ) {
        self.configuration = configuration
        self.extensions = extensions
        self.lowestTrust = lowestTrust
        self.install = install
        self.priority = priority
        self.delivery = delivery
    }
}
