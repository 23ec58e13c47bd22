import ArgumentParser
import Configuration
import ServiceManager

extension Settings {
    private static let usualFile = "/etc/martlet/server.json"

    /// Each member that a settings file may have: the options in camel case, lists in the plural.
    private static let members: Set<String> = [
        "dataDirectory", "host", "port", "hostnames", "url", "organization",
        "endorsementRoots", "pinEndorsementKeys", "appleAttestationRoots",
        "enrollmentIdentity", "enrollmentLifetime", "identityLifetime", "expiredGrace", "signInLifetime",
        "auditDays", "statusReportsPerMinute", "certificateFile", "keyFile",
        "oidcIssuer", "oidcClient", "oidcSecretFile", "oidcRoles", "oidcAuthority", "oidcScopes",
        "webhookNetworks", "webhookPlainHTTP", "webhookAuthority", "pushService", "pushAuthority",
        "metrics", "logLevel", "logFormat",
    ]

    /// The file of settings; one that nobody named may be missing.
    static func file(_ named: String?) async throws -> FileProvider<JSONSnapshot> {
        let settings = ServiceSettings(named: named, usual: usualFile, known: members)
        do throws(ServiceSettings.Refusal) {
            return try await settings.read()
        } catch {
            throw ValidationError(error.sentence)
        }
    }
}
