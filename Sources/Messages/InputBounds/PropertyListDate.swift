import Foundation

/// Dates as property lists write them: `YYYY-MM-DDThh:mm:ssZ`, or seconds since 2001 in the binary form.
///
/// Years outside 0 to 9999 are refused in both forms: the text cannot hold them and calendars misbehave on them.
/// The calendar is Gregorian throughout, as CoreFoundation's; Foundation's `PropertyListDecoder` on Linux reads years
/// before 1583 in the Julian one, two days off at `Date.distantPast`.
enum PropertyListDate {
    static func parse(_ text: Span<UInt8>) throws(InputRefusal) -> Date {
        guard text.count == 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            text[19] == UInt8(ascii: "Z"),
            let year = number(text, 0, 4), let month = number(text, 5, 2), let day = number(text, 8, 2),
            let hour = number(text, 11, 2), let minute = number(text, 14, 2), let second = number(text, 17, 2),
            month >= 1, month <= 12, day >= 1, day <= days(month, year), hour <= 23, minute <= 59,
            second <= 59
        else { throw InputRefusal("a date is not a moment written as YYYY-MM-DDThh:mm:ssZ") }
        let seconds = (daysSince2001(year, month, day) * 24 + hour) * 3600 + minute * 60 + second
        return Date(timeIntervalSinceReferenceDate: Double(seconds))
    }

    static func check(secondsSince2001 seconds: Double) throws(InputRefusal) -> Date {
        guard seconds.isFinite, seconds >= first, seconds < last else {
            throw InputRefusal("a date lies outside the years 0 to 9999")
        }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    /// Writes whole seconds; a date outside the years 0 to 9999 becomes the nearest one inside.
    static func text(_ date: Date) -> [UInt8] {
        let asked = date.timeIntervalSinceReferenceDate
        let whole = Int(min(max(asked.isNaN ? 0 : asked.rounded(.down), first), last - 1))
        let day = Int((Double(whole) / 86_400).rounded(.down))
        let rest = whole - day * 86_400
        let (year, month, dayOfMonth) = civil(daysSince2001: day)
        var text: [UInt8] = []
        text.reserveCapacity(20)
        append(year, 4, to: &text)
        text.append(UInt8(ascii: "-"))
        append(month, 2, to: &text)
        text.append(UInt8(ascii: "-"))
        append(dayOfMonth, 2, to: &text)
        text.append(UInt8(ascii: "T"))
        append(rest / 3600, 2, to: &text)
        text.append(UInt8(ascii: ":"))
        append(rest / 60 % 60, 2, to: &text)
        text.append(UInt8(ascii: ":"))
        append(rest % 60, 2, to: &text)
        text.append(UInt8(ascii: "Z"))
        return text
    }

    private static let first = Double(daysSince2001(0, 1, 1)) * 86_400
    private static let last = Double(daysSince2001(10_000, 1, 1)) * 86_400

    private static func number(_ text: Span<UInt8>, _ start: Int, _ count: Int) -> Int? {
        var value = 0
        for index in start..<(start + count) {
            let digit = text[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }

    private static func append(_ value: Int, _ width: Int, to text: inout [UInt8]) {
        var divisor = width == 4 ? 1000 : 10
        while divisor > 0 {
            text.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }

    private static func days(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days in the proleptic Gregorian calendar, counted in eras of 400 years that begin in March.
    private static func daysSince2001(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 730_791
    }

    private static func civil(daysSince2001 days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 730_791
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}
