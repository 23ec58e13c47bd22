import ArgumentParser
import Configuration
import Foundation
import InputBounds
import Management
import OpenIDConnect
import ServiceManager

extension Settings {
    private static let usualFile = "/etc/martlet/server.json"

    /// Each member that a settings file may have: the options in camel case, lists in the plural.
    private static let members: [String: ServiceSettings.Member] = [
        "dataDirectory": .text, "host": .text, "port": .number(0...65_535), "hostnames": .texts("mdm.example.com"),
        "url": address(of: "https://mdm.example.com"), "organization": organizationName,
        "endorsementRoots": .text, "pinEndorsementKeys": .flag, "appleAttestationRoots": .text,
        "enrollmentIdentity": .word(EnrollmentOffer.Means.allCases.map(\.rawValue)),
        "enrollmentLifetime": lifetime(from: 1), "identityLifetime": lifetime(from: 1),
        "expiredGrace": lifetime(from: 0), "signInLifetime": lifetime(from: 1),
        "auditDays": daysOfAudit, "statusReportsPerMinute": .number(0...60_000),
        "certificateFile": .text, "keyFile": .text,
        "oidcIssuer": issuer, "oidcClient": clientName, "oidcSecretFile": .text, "oidcRoles": .text,
        "oidcAuthority": .text, "oidcScopes": scopes,
        "webhookNetworks": networks, "webhookPlainHTTP": .flag, "webhookAuthority": .text,
        "pushService": address(of: "https://api.push.apple.com"), "pushAuthority": .text,
        "metrics": metricsAddress, "logLevel": .logLevel,
        "logFormat": .word(["text", "json"]),
    ]

    /// Variables with our prefix that are no settings: where the settings file and the master key are, what the
    /// administrator's tool and apps read, and the version that builds of packages and of images have.
    private static let otherVariables: Set<String> = [
        "CONFIG", "MASTER_KEY", "MASTER_KEY_FILE", "SESSION", "SIGNING_PASSWORD", "SPECIFICATION", "FILES", "VERSION",
    ]
    private static let foreignVariables = ["MARTLET_AGENT_", "MARTLET_SECRET_"]

    private static func lifetime(from least: TimeInterval) -> ServiceSettings.Member {
        let bounds = least...CertificateLifetimes.longest
        let rule = "from \(Int(least))s to \(Int(CertificateLifetimes.longest / 86_400))d"
        return ServiceSettings.Member(
            "a number with s, m, h or d in quotes, such as \"90d\", \(rule)",
            variable: "a number with s, m, h or d, such as 90d, \(rule)",
            takes: { value in
                value.string.flatMap { LifetimeText(parsing: $0) }.map { bounds.contains($0.seconds) } ?? false
            },
            advice: { value in (value.string ?? value.int.map { "\($0)" }).flatMap { LifetimeText.question(to: $0) } })
    }

    private static func address(of example: String) -> ServiceSettings.Member {
        .ruledText("https:// with a name and at most a port, without a path", such: example) { text in
            guard let parts = URLComponents(string: text), parts.scheme == "https", parts.host?.isEmpty == false
            else { return false }
            return parts.query == nil && parts.fragment == nil && (parts.path.isEmpty || parts.path == "/")
        }
    }

    private static let organizationName = ServiceSettings.Member.ruledText(
        "text of 1 to 128 bytes", such: "Example"
    ) { (1...128).contains($0.utf8.count) }

    private static let issuer = ServiceSettings.Member.ruledText(
        "an https URL without query and fragment", such: "https://login.example.com"
    ) { OpenIDProvider.isIssuer($0) }

    private static let clientName = ServiceSettings.Member.ruledText(
        "text of 1 to 255 bytes", such: "martlet"
    ) { (1...255).contains($0.utf8.count) }

    private static let scopes = ServiceSettings.Member.ruledText(
        "at most 32 words with spaces between them, one of them openid", such: "openid email profile"
    ) { text in
        let words = text.split(separator: " ")
        return words.contains("openid") && words.count <= 32
    }

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
        variable: "networks with commas between them, such as 10.1.0.0/16", option: "a network, such as 10.1.0.0/16",
        form: .list
    ) { value in
        value.array?.allSatisfy { $0.string.flatMap { NetworkRange(parsing: $0) } != nil } ?? false
    }

    /// The file of settings, and variables that are not known; both after file, variables and options were checked.
    ///
    /// A file that is not named may be missing.
    static func file(
        _ named: String?, beside variables: some ConfigProvider, and options: [ServiceSettings.GivenOption]
    ) async throws -> (file: FileProvider<JSONSnapshot>, unknownVariables: [String]) {
        let settings = ServiceSettings(named: named, usual: usualFile, members: members)
        do throws(ServiceSettings.Refusal) {
            let unknown = try settings.checkNames(
                ProcessInfo.processInfo.environment.keys, readBy: variables, prefix: "MARTLET_",
                further: otherVariables, foreign: foreignVariables)
            try settings.check(options)
            try settings.check(variables)
            let file = try await settings.read()
            return (file, unknown)
        } catch {
            throw ValidationError(error.sentence)
        }
    }
}
