package import InputBounds

/// `com.apple.activation.simple`: puts configurations into effect while its predicate holds.
package struct SimpleActivation: DeclarationPayload {
    package static let type = "com.apple.activation.simple"
    package static let keys: Set = ["StandardConfigurations", "Predicate"]

    package var standardConfigurations: [String]
    package var predicate: String?

    package init(standardConfigurations: [String], predicate: String? = nil) {
        self.standardConfigurations = standardConfigurations
        self.predicate = predicate
    }

    package init(payload: JSONValue) throws(InputRefusal) {
        let fields = try JSONFields(payload)
        guard let names = try fields.stringsIfPresent("StandardConfigurations") else {
            throw InputRefusal("the key StandardConfigurations is missing")
        }
        standardConfigurations = names
        predicate = try fields.stringIfPresent("Predicate", limit: 16_384)
    }

    package var payload: JSONValue {
        var entries = ["StandardConfigurations": JSONValue.array(standardConfigurations.map(JSONValue.string))]
        if let predicate { entries["Predicate"] = .string(predicate) }
        return .object(entries)
    }
}

/// `com.apple.configuration.management.status-subscriptions`: what the device shall report when it changes.
package struct StatusSubscriptions: DeclarationPayload {
    package static let type = "com.apple.configuration.management.status-subscriptions"
    package static let keys: Set = ["StatusItems"]

    /// Dotted names of status items.
    package var names: [String]

    package init(names: [String]) {
        self.names = names
    }

    package init(payload: JSONValue) throws(InputRefusal) {
        names = []
        for item in try JSONFields(payload).array("StatusItems") {
            names.append(try JSONFields(item).string("Name", limit: 256))
        }
    }

    package var payload: JSONValue {
        .object(["StatusItems": .array(names.map { .object(["Name": .string($0)]) })])
    }
}

/// `com.apple.management.server-capabilities`: what the server understands.
package struct ServerCapabilities: DeclarationPayload {
    package static let type = "com.apple.management.server-capabilities"
    package static let keys: Set = ["Version", "SupportedFeatures"]

    package var version: String
    package var supportedFeatures: [String: JSONValue]

    package init(version: String = "1.0.0", supportedFeatures: [String: JSONValue] = [:]) {
        self.version = version
        self.supportedFeatures = supportedFeatures
    }

    package init(payload: JSONValue) throws(InputRefusal) {
        let fields = try JSONFields(payload)
        version = try fields.string("Version", limit: 64)
        supportedFeatures = try fields.objectIfPresent("SupportedFeatures") ?? [:]
    }

    package var payload: JSONValue {
        .object(["Version": .string(version), "SupportedFeatures": .object(supportedFeatures)])
    }
}

/// `com.apple.management.organization-info`: whose device this is.
package struct OrganizationInfo: DeclarationPayload {
    package static let type = "com.apple.management.organization-info"
    package static let keys: Set = ["Name", "Email", "URL", "Proof"]

    package var name: String
    package var email: String?
    package var url: String?

    package init(name: String, email: String? = nil, url: String? = nil) {
        self.name = name
        self.email = email
        self.url = url
    }

    package init(payload: JSONValue) throws(InputRefusal) {
        let fields = try JSONFields(payload)
        name = try fields.string("Name", limit: 1024)
        email = try fields.stringIfPresent("Email", limit: 1024)
        url = try fields.stringIfPresent("URL")
    }

    package var payload: JSONValue {
        var entries = ["Name": JSONValue.string(name)]
        if let email { entries["Email"] = .string(email) }
        if let url { entries["URL"] = .string(url) }
        return .object(entries)
    }
}
