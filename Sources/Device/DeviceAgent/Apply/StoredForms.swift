import DeviceMessages
import Foundation
import InputBounds

// How values of the wire are kept in a generation: in the form in which they came.

extension Declaration: Codable {
    package init(from decoder: any Decoder) throws {
        try self.init(parsing: decoder.singleValueContainer().decode(Data.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(encoded())
    }
}

extension StatusReason: Codable {
    private enum Key: String, CodingKey { case code, description, details }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            code: try container.decode(String.self, forKey: .code),
            description: try container.decodeIfPresent(String.self, forKey: .description),
            details: try container.decodeIfPresent(JSONValue.self, forKey: .details))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(code, forKey: .code)
        try container.encodeIfPresent(description, forKey: .description)
        try container.encodeIfPresent(details, forKey: .details)
    }
}

// What a generation of an earlier agent does not say yet has its value of that time.

extension Applied {
    private enum Key: String, CodingKey {
        case generation, apps, verdicts, assets, secrets, subscriptions, isComplete
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init()
        generation = try container.decode(Int.self, forKey: .generation)
        apps = try container.decode([String: AppliedApp].self, forKey: .apps)
        verdicts = try container.decode([String: Verdict].self, forKey: .verdicts)
        assets = try container.decode([String: AppliedAsset].self, forKey: .assets)
        secrets = try container.decodeIfPresent([String: ProvisionedSecret].self, forKey: .secrets) ?? [:]
        subscriptions = try container.decode([String].self, forKey: .subscriptions)
        isComplete = try container.decode(Bool.self, forKey: .isComplete)
    }
}

extension AppliedApp {
    private enum Key: String, CodingKey {
        case composedIdentifier, declarationIdentifier, configuration, extensions, secrets, absences, extensionSecrets
        case reasons
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            composedIdentifier: try container.decode(String.self, forKey: .composedIdentifier),
            declarationIdentifier: try container.decode(String.self, forKey: .declarationIdentifier),
            configuration: try container.decodeIfPresent(String.self, forKey: .configuration),
            reasons: try container.decode([StatusReason].self, forKey: .reasons))
        extensions = try container.decode([String: String].self, forKey: .extensions)
        secrets = try container.decodeIfPresent([AppSecrets.Entry].self, forKey: .secrets) ?? []
        absences = try container.decodeIfPresent([AppSecrets.Absence].self, forKey: .absences) ?? []
        extensionSecrets =
            try container.decodeIfPresent([String: [AppSecrets.Entry]].self, forKey: .extensionSecrets) ?? [:]
    }
}
