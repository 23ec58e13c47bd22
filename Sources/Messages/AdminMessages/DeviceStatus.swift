package import Foundation

/// Why something on a device is as it is: the protocol's code, a sentence, and what the device adds.
///
/// A configuration that an app refused has `details` with `Code`, `Message` and `KeyPath`, the app's own words.
package struct Reason: Codable, Hashable, Sendable {
    package var code: String
    package var description: String?
    package var details: JSON?

    package init(code: String, description: String? = nil, details: JSON? = nil) {
        self.code = code
        self.description = description
        self.details = details
    }
}

/// By what an app on a device is managed.
package enum ManagedBy: String, Codable, Hashable, Sendable, CaseIterable {
    /// A declaration, which follows from an assignment.
    case declaration
    /// Commands to the device alone: InstallApplication, Settings, RemoveApplication.
    case command
}

/// One managed app on a device, as the device reported it, beside what was assigned.
package struct DeviceApp: Codable, Hashable, Sendable {
    package var identifier: String
    package var name: String?
    package var version: String?
    /// The protocol's word (`managed`, `not-present`, `failed`, …); nothing as long as the device has not reported.
    package var state: String?
    /// `available`, `updating` or `failed`, only while there is an update.
    package var updateState: String?
    /// `valid`, `invalid` or `unknown`: whether the app could decode its configuration.
    package var configState: String?
    /// Whether the device reported that it holds the configuration that is assigned now.
    ///
    /// Otherwise `configState` may be about an older one. Nil for an app without a declaration, and from older servers.
    package var isCurrent: Bool?
    /// The app's standing, by which the server counts devices; nil for an app that is managed by command alone.
    package var standing: AppStanding?
    package var reasons: [Reason]
    package var configurationName: String?
    package var configurationVersion: Int?
    /// As what it gets its configuration, a word of `Delivery`; nothing where it is by the framework.
    ///
    /// Of one that is delivered as its defaults dictionary alone an app says nothing: it has no `configState`.
    package var delivery: String?
    /// Its extensions that have a configuration, or are to have one; nothing where there are none.
    package var extensions: [DeviceExtension]?
    /// The configurations that the app and its extensions refuse, with what the app publishes about each reason; nothing
    /// where they refuse none.
    package var refusals: [ConfigurationRefusal]?
    /// A word of `ManagedBy`; servers before it managed by declaration alone.
    package var managedBy: String?
    /// Of an app that is managed by command: whether a command has given it a configuration.
    package var hasConfiguration: Bool?
    /// The same of feedback that waits on the device to be asked for.
    package var hasFeedback: Bool?

    package init(
        identifier: String, name: String? = nil, version: String? = nil, state: String? = nil,
        updateState: String? = nil, configState: String? = nil, isCurrent: Bool? = nil, reasons: [Reason] = [],
        configurationName: String? = nil, configurationVersion: Int? = nil, delivery: String? = nil,
        extensions: [DeviceExtension]? = nil, refusals: [ConfigurationRefusal]? = nil, managedBy: String? = nil,
        hasConfiguration: Bool? = nil, hasFeedback: Bool? = nil, standing: AppStanding? = nil
    ) {
        self.identifier = identifier
        self.name = name
        self.version = version
        self.state = state
        self.updateState = updateState
        self.configState = configState
        self.isCurrent = isCurrent
        self.reasons = reasons
        self.configurationName = configurationName
        self.configurationVersion = configurationVersion
        self.delivery = delivery
        self.extensions = extensions
        self.refusals = refusals
        self.managedBy = managedBy
        self.hasConfiguration = hasConfiguration
        self.hasFeedback = hasFeedback
        self.standing = standing
    }

    /// How its configuration came to an app that says nothing about it: `fetched` by the app over HTTP, or `written` to
    /// files for it; nothing of others.
    package var handOver: String? {
        guard let reason = reasons.first(where: { $0.code == "Info.ConfigurationHandedOver" }) else { return nil }
        return reason.details?["Way"]?.text == "http" ? "fetched" : "written"
    }

    /// It is managed by commands to this device, and by no assignment yet.
    package var isManagedByCommand: Bool { managedBy == ManagedBy.command.rawValue }
}

/// One extension of an app on a device; it is managed as its app is.
package struct DeviceExtension: Codable, Hashable, Sendable {
    package var identifier: String
    /// `valid`, `invalid` or `unknown`; nothing as long as the device has not reported.
    package var configState: String?
    package var configurationName: String?
    package var configurationVersion: Int?

    package init(
        identifier: String, configState: String? = nil, configurationName: String? = nil,
        configurationVersion: Int? = nil
    ) {
        self.identifier = identifier
        self.configState = configState
        self.configurationName = configurationName
        self.configurationVersion = configurationVersion
    }
}

/// One declaration as the device reported it.
package struct DeclarationState: Codable, Hashable, Sendable {
    package var identifier: String
    package var serverToken: String
    package var active: Bool
    /// `valid`, `invalid` or `unknown`.
    package var valid: String
    package var reasons: [Reason]
    /// Whose secret the declaration carries, where it is a secret's and the device is to have it.
    package var secret: DeclaredSecret?

    package init(
        identifier: String, serverToken: String, active: Bool, valid: String, reasons: [Reason] = [],
        secret: DeclaredSecret? = nil
    ) {
        self.identifier = identifier
        self.serverToken = serverToken
        self.active = active
        self.valid = valid
        self.reasons = reasons
        self.secret = secret
    }
}

/// A secret as an app knows it: the identifiers of declarations say nothing to people.
package struct DeclaredSecret: Codable, Hashable, Sendable {
    package var app: String
    package var `extension`: String?
    package var kind: AppSecretKind
    package var identifier: String

    package init(app: String, extension: String? = nil, kind: AppSecretKind, identifier: String) {
        self.app = app
        self.extension = `extension`
        self.kind = kind
        self.identifier = identifier
    }
}

/// The newest value of one status item, by its protocol name such as `device.operating-system.version`.
/// `GET /devices/{id}/status`
package struct StatusItem: Codable, Hashable, Sendable {
    package var name: String
    /// `null` where the value is left out of the list: then `size` says how large it is.
    package var value: JSON
    /// The bytes of a value that is left out; it is shown when the item is asked for by its name.
    package var size: Int?
    package var reported: Date

    package init(name: String, value: JSON, size: Int? = nil, reported: Date) {
        self.name = name
        self.value = value
        self.size = size
        self.reported = reported
    }
}
