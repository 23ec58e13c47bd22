package import AppSpecification
package import Foundation

/// A refusal that stands: an app, or an extension of it, on one device or many, does not take its configuration.
///
/// Refusals are the same where app version, configuration and its version, code and key path are.
package struct ConfigurationRefusal: Sendable, Equatable {
    package let app: String
    /// The bundle identifier of the extension; nothing for the app itself.
    package let `extension`: String?
    /// The app's version as people see it; nothing where the device does not say.
    package let appVersion: String?
    /// What was refused; nothing where it is none of the server's any more.
    package let configuration: String?
    package let configurationVersion: Int?
    package let code: Int?
    package let keyPath: String?
    /// The path is where decoding stopped, not what the error named.
    package let isKeyPathSupplied: Bool
    /// The app's own words; of many devices those of the one that refused last.
    package let message: String?
    /// On how many devices it stands.
    package let devices: Int
    /// Since when it stands on the device, or on the first of them.
    package let first: Date
    /// Since when on the last of them.
    package let last: Date

    package init(
        app: String, extension: String?, appVersion: String?, configuration: String?, configurationVersion: Int?,
        code: Int?, keyPath: String?, isKeyPathSupplied: Bool, message: String?, devices: Int, first: Date, last: Date
    ) {
        self.app = app
        self.extension = `extension`
        self.appVersion = appVersion
        self.configuration = configuration
        self.configurationVersion = configurationVersion
        self.code = code
        self.keyPath = keyPath
        self.isKeyPathSupplied = isKeyPathSupplied
        self.message = message
        self.devices = devices
        self.first = first
        self.last = last
    }
}

/// What the app publishes about a refusal's code.
package struct RefusalExplanation: Sendable, Equatable {
    /// Where it stands.
    package enum Source: Sendable, Equatable {
        /// In what was published for the version that refuses.
        case specification(version: String)
        /// In what was published for the version nearest to it.
        case nearest(version: String)
        /// Nowhere: it is one of those codes that mean the same for every app.
        case standard
    }

    package let error: SpecifiedError
    package let source: Source

    package init(error: SpecifiedError, source: Source) {
        self.error = error
        self.source = source
    }
}

/// A refusal with what there is to say about it.
package struct ExplainedRefusal: Sendable, Equatable {
    package let refusal: ConfigurationRefusal
    package let explanation: RefusalExplanation?
    /// The groups that are given the configuration now: whose assignments it is.
    package let groups: [String]
}
