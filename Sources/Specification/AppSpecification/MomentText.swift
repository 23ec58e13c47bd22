import Foundation
import InputBounds

/// A moment as programs write it into JSON: by RFC 3339, which `date-time` of JSON Schema means.
///
/// JavaScript adds thousandths of a second, other languages the distance from UTC.
enum MomentText {
    /// The moment; nothing if the text is none, or has a fraction of a second, for which property lists have no form.
    static func date(_ text: String) -> Date? {
        guard let parts = parts(text), parts.fraction.allSatisfy({ $0 == "0" }),
            let local = PropertyListValue.date(parsing: parts.local), let distance = seconds(parts.zone)
        else { return nil }
        let date = local - distance
        // Near the first and the last year the distance may lead out of what property lists can hold.
        return PropertyListValue.date(parsing: PropertyListValue.text(of: date)) == date ? date : nil
    }

    /// Whether the text is a moment with a fraction of a second that is not zero.
    static func hasFraction(_ text: String) -> Bool {
        guard let parts = parts(text), parts.fraction.contains(where: { $0 != "0" }) else { return false }
        return PropertyListValue.date(parsing: parts.local) != nil && seconds(parts.zone) != nil
    }

    private static func parts(_ text: String) -> (local: String, fraction: Substring, zone: Substring)? {
        let form = /(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)/
        guard text.utf8.count <= 64, let match = text.wholeMatch(of: form) else { return nil }
        return (match.1.uppercased() + "Z", match.2 ?? "", match.3)
    }

    /// How far a zone is ahead of UTC.
    private static func seconds(_ zone: Substring) -> TimeInterval? {
        if zone.uppercased() == "Z" { return 0 }
        guard let hours = Int(zone.dropFirst().prefix(2)), let minutes = Int(zone.suffix(2)), hours <= 23, minutes <= 59
        else { return nil }
        let distance = TimeInterval(hours * 3_600 + minutes * 60)
        return zone.hasPrefix("-") ? -distance : distance
    }
}
