import ArgumentParser
import Configuration
import Foundation
import Management

/// A lifetime as an operator writes it: `90d`, `12h`, `30m`, `20s`, or a plain number of seconds.
struct LifetimeText: ExpressibleByArgument, Sendable {
    let seconds: TimeInterval

    init?(argument: String) {
        let factors: [Substring: Double] = ["": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400]
        let digits = argument.prefix { ("0"..."9").contains($0) }
        guard let count = Double(digits), digits.count <= 9, let factor = factors[argument.dropFirst(digits.count)]
        else {
            return nil
        }
        seconds = count * factor
    }
}

extension Settings {
    /// How long certificates live; one that cannot be read must stop the start, not become the default.
    static func lifetimes(_ options: SettingOptions, _ reader: ConfigReader) throws -> CertificateLifetimes {
        func lifetime(
            _ option: LifetimeText?, _ key: ConfigKey, _ standard: TimeInterval
        ) throws -> TimeInterval { try Self.lifetime(option, key, reader) ?? standard }
        let lifetimes = CertificateLifetimes(
            enrollment: try lifetime(options.enrollmentLifetime, "enrollmentLifetime", CertificateLifetimes.enrollment),
            identity: try lifetime(options.identityLifetime, "identityLifetime", CertificateLifetimes.identity),
            grace: try lifetime(options.expiredGrace, "expiredGrace", CertificateLifetimes.grace))
        guard lifetimes.isWithinBounds else {
            let days = Int(CertificateLifetimes.longest / 86_400)
            throw ValidationError("A lifetime is from 1s to \(days)d, and the grace after it from 0s to \(days)d.")
        }
        return lifetimes
    }

    /// For how long people who enrolled by account stay signed in; nothing is forever.
    static func signInLifetime(_ options: SettingOptions, _ reader: ConfigReader) throws -> TimeInterval? {
        let lifetime = try lifetime(options.signInLifetime, "signInLifetime", reader)
        guard lifetime.map((1...CertificateLifetimes.longest).contains) ?? true else {
            throw ValidationError("A sign-in lasts from 1s to \(Int(CertificateLifetimes.longest / 86_400))d.")
        }
        return lifetime
    }

    private static func lifetime(
        _ option: LifetimeText?, _ key: ConfigKey, _ reader: ConfigReader
    ) throws -> TimeInterval? {
        if let option { return option.seconds }
        guard let text = reader.string(forKey: key) else { return nil }
        guard let read = LifetimeText(argument: text) else {
            throw ValidationError("A lifetime is a number with s, m, h or d, such as 90d.")
        }
        return read.seconds
    }
}
