import Foundation

/// What the app reports to its management: counts, not a log, so that it stays small also where no server reads it.
enum Feedback {
    static let key = "com.apple.feedback.managed"

    enum Count: String, CaseIterable {
        case success = "successCount"
        case failure = "failureCount"
        case configurationError = "configurationErrorCount"
    }

    /// Why the last page could not be loaded.
    static let lastError = "lastError"

    /// What waits for the server; nothing after the server has read it.
    static var waiting: [String: Any] { UserDefaults.standard.dictionary(forKey: key) ?? [:] }

    static func number(_ count: Count) -> Int { waiting[count.rawValue] as? Int ?? 0 }

    /// Counts one more; what other parts of the app have written stays.
    static func add(_ count: Count, error: String? = nil) {
        var feedback = waiting
        feedback[count.rawValue] = (feedback[count.rawValue] as? Int ?? 0) + 1
        if let error { feedback[lastError] = String(error.prefix(200)) }
        UserDefaults.standard.set(feedback, forKey: key)
    }
}
