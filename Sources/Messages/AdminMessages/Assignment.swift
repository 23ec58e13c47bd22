/// An app given to a group, with a configuration or without. `GET /assignments`
package struct Assignment: Codable, Hashable, Sendable {
    package var group: String
    package var app: String
    package var configuration: String?

    package init(group: String, app: String, configuration: String? = nil) {
        self.group = group
        self.app = app
        self.configuration = configuration
    }
}

/// Says with which configuration a group gets an app. `PUT /assignments/{group}/{app}`
package struct AssignmentRequest: Codable, Hashable, Sendable {
    package var configuration: String?

    package init(configuration: String? = nil) { self.configuration = configuration }
}
