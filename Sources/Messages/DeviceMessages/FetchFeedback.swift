package import InputBounds

/// The command that has apps hand their feedback over now.
///
/// Apple's protocol has none like it: it is sent only to agents that announce `AppFeedbackStatus.feature` in their
/// `management.client-capabilities`. What was handed over comes with the next status report.
package struct FetchFeedback: Hashable, Sendable {
    package static let requestType = "dev.martlet.FetchFeedback"

    /// The app that is meant; nothing for all.
    package let app: String?

    package init(app: String? = nil) {
        self.app = app
    }

    /// Reads the request of a command.
    package init(_ request: PropertyListValue) throws(InputRefusal) {
        app = try MessageFields(request).stringIfPresent("BundleIdentifier", limit: 255)
    }

    /// The request of the command, its type included.
    package var request: PropertyListValue {
        var entries = MessageEntries()
        entries.set("RequestType", Self.requestType)
        entries.set("BundleIdentifier", app)
        return entries.value
    }
}
