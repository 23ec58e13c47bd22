import Foundation

/// The app's feedback, under the key `com.apple.feedback.managed` of the standard user defaults.
///
/// Apps that come from iOS read the dictionary there, change it and set it. That works here, too, and is exact for changes
/// that take less than 250 milliseconds. A change made by `update` is exact whatever it takes.
public enum ManagedAppFeedback {
    private static let updates = DispatchSemaphore(value: 1)

    /// Changes the feedback: no change is lost or counted twice when the administrator's server takes it meanwhile.
    ///
    /// One update runs at a time; do not call it within `change`.
    ///
    /// - Throws: What `change` throws, or ``ManagedAppFeedbackError`` if the dictionary is over 16,384 bytes, nested more than
    ///   8 deep or no property list. The feedback then stays as it was.
    public static func update(_ change: (inout [String: Any]) throws -> Void) throws {
        updates.wait()
        defer { updates.signal() }
        guard let link = ManagedDefaults.present, link.keepsFeedback else {
            // Nobody takes it: it is Foundation's, within the same bounds.
            let defaults = UserDefaults.standard
            let value = try changed(defaults.dictionary(forKey: DefaultsKeys.feedback), by: change)
            defaults.set(value.dictionary, forKey: DefaultsKeys.feedback)
            return
        }
        link.hold()
        defer { link.release() }
        let known = link.readFeedback()?.dictionary ?? UserDefaults.standard.dictionary(forKey: DefaultsKeys.feedback)
        if link.write(try changed(known, by: change)) { ManagedDefaults.removeFoundationsFeedback() }
    }

    /// Waits until the device's agent has what was changed so far on its disk; it blocks the calling thread.
    ///
    /// From then on that reaches the administrator's server once, whichever process is killed. An app that does not wait loses at most
    /// what it changed since, and only when the app itself is killed, or ends while no agent runs. The agent takes an app's
    /// feedback five times a second: change several things, then wait. Two processes of an app that change feedback at one
    /// moment replace each other's, as with user defaults.
    ///
    /// - Parameter limit: The longest wait.
    /// - Returns: Whether it is there; without an agent, whether Foundation has written its user defaults.
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
