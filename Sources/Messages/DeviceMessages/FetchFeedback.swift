package import InputBounds

/// The command that has apps hand their feedback over now.
///
/// Apple's protocol has none like it: it is sent only to agents that announce `AppFeedbackStatus.feature` in their
/// `management.client-capabilities`. The next status report carries the feedback; without feedback there is none.
package struct FetchFeedback: Hashable, Sendable {
    package static let requestType = "dev.martlet.FetchFeedback"
    /// The key of the answer for the bundle identifiers of the apps that have something to hand over.
    ///
    /// Older agents answer without it.
    package static let apps = "Apps"

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
