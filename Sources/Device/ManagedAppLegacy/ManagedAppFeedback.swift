import Foundation

/// The app's feedback, under the key `com.apple.feedback.managed` of the standard user defaults.
///
/// Apps that come from iOS read the dictionary there, change it and set it. That works here, too, and is exact for changes
/// that take less than 250 milliseconds. A change made by `update` is exact whatever it takes.
public enum ManagedAppFeedback {
    private static let updates = DispatchSemaphore(value: 1)

    /// Changes the feedback; no change is lost or counted twice when the administrator's server takes it meanwhile.
    ///
    /// One update runs at a time; do not call it within `change`.
    ///
    /// - Throws: What `change` throws, or ``ManagedAppFeedbackError`` if the dictionary is over 16,384 bytes, nested more than
    ///   8 deep or no property list. The feedback then stays as it was.
    public static func update(_ change: (inout [String: Any]) throws -> Void) throws {
        updates.wait()
        defer { updates.signal() }
        guard let link = ManagedDefaults.present, link.keepsFeedback else {
            // Without an agent, Foundation keeps the feedback, within the same bounds.
            let defaults = UserDefaults.standard
            let value = try changed(defaults.dictionary(forKey: DefaultsKeys.feedback), by: change)
            defaults.set(value.dictionary, forKey: DefaultsKeys.feedback)
            return
        }
        link.hold()
        defer { link.release() }
        let known = link.readFeedback()?.dictionary ?? UserDefaults.standard.dictionary(forKey: DefaultsKeys.feedback)
        if link.write(try changed(known, by: change)) { link.replaceFoundations() }
    }

    /// Waits until the device's agent has all changes so far on its disk; it blocks the calling thread.
    ///
    /// From then on the changes reach the administrator's server exactly once, even if a process is killed. An app that
    /// does not wait loses at most its changes since, and only when the app itself is killed, or ends while no agent
    /// runs. The agent takes an app's feedback five times a second: change several things, then wait. Two processes of
    /// an app that change feedback at the same moment overwrite each other's changes, as with user defaults.
    ///
    /// Feedback that the app wrote at a time without an agent stays in Foundation's user defaults while the agent has
    /// newer feedback, which can last until the server has taken that. Until then the result is false.
    ///
    /// - Parameter limit: The longest wait.
    /// - Returns: Whether the agent has all changes; without an agent, whether Foundation wrote its user defaults.
    public static func isKept(within limit: Duration) -> Bool {
        guard let link = ManagedDefaults.present, link.keepsFeedback else {
            return UserDefaults.standard.synchronize()
        }
        return link.isKept(within: limit)
    }

    private static func changed(
        _ known: [String: Any]?, by change: (inout [String: Any]) throws -> Void
    ) throws -> ParsedDictionary {
        var dictionary = known ?? [:]
        try change(&dictionary)
        return try ParsedDictionary(checking: dictionary)
    }
}
