import Foundation

/// The time that a signer says, as CMS writes it (RFC 5652 §11.3): UTCTime up to 2049, GeneralizedTime beyond.
enum SigningTime {
    /// Reads `YYMMDDHHMMSSZ` or `YYYYMMDDHHMMSSZ`; nothing for a time in any other form.
    static func date(tag: UInt8, _ content: ArraySlice<UInt8>) -> Date? {
        let yearDigits = tag == DERTag.utcTime ? 2 : 4
        guard content.count == yearDigits + 11, content.last == UInt8(ascii: "Z"),
            content.dropLast().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        let digits = content.dropLast().map { Int($0 - UInt8(ascii: "0")) }
        let number = digits.prefix(yearDigits).reduce(0) { $0 * 10 + $1 }
        let year = yearDigits == 4 ? number : number < 50 ? 2_000 + number : 1_900 + number
        let rest = stride(from: yearDigits, to: digits.count, by: 2).map { digits[$0] * 10 + digits[$0 + 1] }
        guard year > 0, (1...12).contains(rest[0]), (1...31).contains(rest[1]), rest[2] < 24, rest[3] < 60, rest[4] < 60
        else { return nil }
        let seconds = (rest[2] * 60 + rest[3]) * 60 + rest[4]
        return Date(timeIntervalSince1970: TimeInterval(days(year, rest[0], rest[1]) * 86_400 + seconds))
    }

    /// A time as it stands in the attribute; fractions of a second are dropped.
    static func element(of date: Date) -> (tag: UInt8, content: [UInt8]) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        let year = parts.year ?? 0
        let isShort = (1_950...2_049).contains(year)
        let rest = [parts.month, parts.day, parts.hour, parts.minute, parts.second].map { two($0 ?? 0) }
        let text = (isShort ? "" : two(year / 100)) + two(year % 100) + rest.joined() + "Z"
        return (isShort ? DERTag.utcTime : DERTag.generalizedTime, Array(text.utf8))
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Days since 1970 of a date of the Gregorian calendar, counted from March on, so that the day of a leap year is the last.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let ofYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + ofYear - 719_468
    }
}
