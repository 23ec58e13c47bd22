import Foundation

/// A moment as RFC 3339 writes it: `2026-01-31T12:00:00Z`, with a fraction or another offset if need be.
struct Moment: Sendable {
    let date: Date

    init?(_ text: String) {
        let form =
            /([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})/
        guard text.utf8.count <= 64, let parts = text.wholeMatch(of: form)?.output else { return nil }
        guard let hours = Int(parts.4), let minutes = Int(parts.5), let seconds = Int(parts.6), hours < 24,
            minutes < 60, seconds <= 60, let days = Self.days(parts.1, parts.2, parts.3),
            let offset = Self.offset(parts.8)
        else { return nil }
        let fraction = parts.7.flatMap { Double("0\($0)") } ?? 0
        // A leap second is the first one after it, as POSIX counts.
        let whole = days * 86_400 + hours * 3_600 + minutes * 60 + seconds - offset
        date = Date(timeIntervalSince1970: Double(whole) + fraction)
    }

    /// Days since 1970-01-01 in the Gregorian calendar, however early.
    private static func days(_ year: Substring, _ month: Substring, _ day: Substring) -> Int? {
        guard let year = Int(year), let month = Int(month), let day = Int(day), (1...12).contains(month) else {
            return nil
        }
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...lengths[month - 1]).contains(day) else { return nil }
        // Counted from a March the first, so that the day that comes and goes is the last one of its year.
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let ofEra = shifted - era * 400
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    }

    /// Seconds east of Greenwich.
    private static func offset(_ text: Substring) -> Int? {
        guard let sign = text.first, sign == "+" || sign == "-" else { return 0 }
        guard let hours = Int(text.dropFirst().prefix(2)), let minutes = Int(text.suffix(2)), hours < 24, minutes < 60
        else { return nil }
        return (sign == "-" ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }
}
