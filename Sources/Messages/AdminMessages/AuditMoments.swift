package import Foundation

extension AuditEntry {
    /// The details that are moments, wherever in an entry they stand.
    package static let moments: Set<String> = ["expired", "expires", "made", "previousUntil"]

    private static let seconds = 0...Int64(253_402_300_799)

    /// The moment that a detail says, or nothing if it says something else.
    ///
    /// The log has moments in seconds since 1970, and people read dates. Later ones than the year 9999 are no moments.
    package static func moment(_ value: JSON, of name: String) -> Date? {
        guard moments.contains(name), case .integer(let number) = value, seconds.contains(number) else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(number))
    }
}
