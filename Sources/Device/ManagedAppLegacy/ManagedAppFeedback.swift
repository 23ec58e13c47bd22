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

    private static func changed(
        _ known: [String: Any]?, by change: (inout [String: Any]) throws -> Void
    ) throws -> ParsedDictionary {
        var dictionary = known ?? [:]
        try change(&dictionary)
        return try ParsedDictionary(checking: dictionary)
    }
}
