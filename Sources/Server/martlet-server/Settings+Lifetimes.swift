import ArgumentParser
import Configuration
import Foundation
import Management

/// A lifetime as an operator writes it, in an option, a variable or the settings file: `90d`, `12h`, `30m` or `20s`.
///
/// `0` needs no unit: it is the same in each.
struct LifetimeText: Sendable {
    let seconds: TimeInterval
    /// As it was written.
    let text: String

    init?(parsing text: String) {
        self.text = text
        if text == "0" {
            seconds = 0
            return
        }
        let factors: [Substring: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        let digits = Self.digits(of: text)
        guard let count = Double(digits), digits.count <= 9, let factor = factors[text.dropFirst(digits.count)]
        else {
            return nil
        }
        seconds = count * factor
    }

    /// Reads an option's value; throws what to write instead.
    static func option(_ text: String) throws -> LifetimeText {
        guard let read = LifetimeText(parsing: text) else {
            throw ValidationError(question(to: text) ?? "A lifetime is a number with s, m, h or d, such as 90d.")
        }
        return read
    }

    /// What to ask where a number has no unit, which could be days as well as seconds.
    static func question(to text: String) -> String? {
        guard !text.isEmpty, digits(of: text).count == text.count else { return nil }
        let number = text.prefix(9)
        return "\(number) of what? Write \(number)d for days, or \(number)h, \(number)m or \(number)s"
    }

    private static func digits(of text: String) -> Substring { text.prefix { ("0"..."9").contains($0) } }
}

extension Settings {
    /// How long certificates live.
    static func lifetimes(_ options: SettingOptions, _ reader: ConfigReader) -> CertificateLifetimes {
        func lifetime(_ option: LifetimeText?, _ key: ConfigKey, _ standard: TimeInterval) -> TimeInterval {
            Self.lifetime(option, key, reader) ?? standard
        }
        return CertificateLifetimes(
            enrollment: lifetime(options.enrollmentLifetime, "enrollmentLifetime", CertificateLifetimes.enrollment),
            identity: lifetime(options.identityLifetime, "identityLifetime", CertificateLifetimes.identity),
            grace: lifetime(options.expiredGrace, "expiredGrace", CertificateLifetimes.grace))
    }

    /// For how long people who enrolled by account stay signed in; nothing is forever.
    static func signInLifetime(_ options: SettingOptions, _ reader: ConfigReader) -> TimeInterval? {
        lifetime(options.signInLifetime, "signInLifetime", reader)
    }

    /// What options, variables and file say was checked: it can be read, and is within its bounds.
    private static func lifetime(_ option: LifetimeText?, _ key: ConfigKey, _ reader: ConfigReader) -> TimeInterval? {
        let lifetime = option ?? reader.string(forKey: key).flatMap { LifetimeText(parsing: $0) }
        return lifetime?.seconds
    }
}
