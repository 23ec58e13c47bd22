/// An app that may be assigned. `PUT /apps/{bundleIdentifier}`
package struct App: Codable, Hashable, Sendable {
    package var bundleIdentifier: String
    package var name: String
    package var teamIdentifier: String?

    package init(bundleIdentifier: String, name: String, teamIdentifier: String? = nil) {
        self.bundleIdentifier = bundleIdentifier
        self.name = name
        self.teamIdentifier = teamIdentifier
    }
}
