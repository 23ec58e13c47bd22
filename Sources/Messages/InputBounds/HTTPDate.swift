package import Foundation

/// The one form of dates that HTTP writes (RFC 9110 §5.6.7): `Sat, 31 Jan 2026 12:00:07 GMT`.
///
/// This does not read the two obsolete forms: a header with one of them counts as missing.
package enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    package static func text(_ date: Date) -> String {
        let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
        let (day, month) = (days[((parts.weekday ?? 1) - 1) % 7], months[((parts.month ?? 1) - 1) % 12])
        let time = [parts.hour, parts.minute, parts.second].map { padded($0 ?? 0, 2) }.joined(separator: ":")
        return "\(day), \(padded(parts.day ?? 0, 2)) \(month) \(padded(parts.year ?? 0, 4)) \(time) GMT"
    }

    package static func date(_ text: String) -> Date? {
        guard text.utf8.count == 29 else { return nil }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].last == ",", days.contains(String(parts[0].dropLast())), parts[5] == "GMT",
            let month = months.firstIndex(of: String(parts[2])), let day = number(parts[1], 2),
            let year = number(parts[3], 4)
        else { return nil }
        let time = parts[4].split(separator: ":", omittingEmptySubsequences: false).map { number($0, 2) }
        guard time.count == 3, let hour = time[0], let minute = time[1], let second = time[2], (1...31).contains(day),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return calendar.date(
            from: DateComponents(
                year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second))
    }

    private static var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }

    private static func number(_ digits: Substring, _ count: Int) -> Int? {
        guard digits.utf8.count == count, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(digits)
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
