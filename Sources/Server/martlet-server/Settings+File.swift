import ArgumentParser
import Configuration
import InputBounds
import Management
import ServiceManager

extension Settings {
    private static let usualFile = "/etc/martlet/server.json"

    /// Each member that a settings file may have: the options in camel case, lists in the plural.
    private static let members: [String: ServiceSettings.Member] = [
        "dataDirectory": .text, "host": .text, "port": .number(0...65_535), "hostnames": .texts("mdm.example.com"),
        "url": .text, "organization": .text,
        "endorsementRoots": .text, "pinEndorsementKeys": .flag, "appleAttestationRoots": .text,
        "enrollmentIdentity": .word(EnrollmentOffer.Means.allCases.map(\.rawValue)),
        "enrollmentLifetime": duration, "identityLifetime": duration, "expiredGrace": duration,
        "signInLifetime": duration,
        "auditDays": daysOfAudit, "statusReportsPerMinute": .number(0...60_000),
        "certificateFile": .text, "keyFile": .text,
        "oidcIssuer": .text, "oidcClient": .text, "oidcSecretFile": .text, "oidcRoles": .text,
        "oidcAuthority": .text, "oidcScopes": .text,
        "webhookNetworks": networks, "webhookPlainHTTP": .flag, "webhookAuthority": .text,
        "pushService": .text, "pushAuthority": .text,
        "metrics": metricsAddress, "logLevel": .logLevel,
        "logFormat": .word(["text", "json"]),
    ]

    private static let duration = ServiceSettings.Member(
        "a number with s, m, h or d in quotes, such as \"90d\"",
        variable: "a number with s, m, h or d, such as 90d",
        takes: { value in value.string.flatMap { LifetimeText(parsing: $0) } != nil },
        advice: { value in (value.string ?? value.int.map { "\($0)" }).flatMap { LifetimeText.question(to: $0) } })

    private static let daysOfAudit = ServiceSettings.Member.number("0 or a whole number from 30 to 36500") { days in
        days == 0 || (30...36_500).contains(days)
    }

    private static let metricsAddress = ServiceSettings.Member(
        "an address, no name, and a port in quotes, such as \"127.0.0.1:9464\"",
        variable: "an address, no name, and a port, such as 127.0.0.1:9464"
    ) { value in
        value.string.flatMap { try? address($0) } != nil
    }

    private static let networks = ServiceSettings.Member(
        "a list of networks, such as [\"10.1.0.0/16\"]",
        variable: "networks with commas between them, such as 10.1.0.0/16", form: .list
    ) { value in
        value.array?.allSatisfy { $0.string.flatMap { NetworkRange(parsing: $0) } != nil } ?? false
    }

    /// The file of settings, after it and the variables were checked; one that is not named may be missing.
    static func file(
        _ named: String?, beside variables: some ConfigProvider
    ) async throws -> FileProvider<JSONSnapshot> {
        let settings = ServiceSettings(named: named, usual: usualFile, members: members)
        do throws(ServiceSettings.Refusal) {
            try settings.check(variables)
            return try await settings.read()
        } catch {
            throw ValidationError(error.sentence)
        }
    }
}
