import ArgumentParser
import Configuration
import Foundation
import InputBounds

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
        let path = named ?? usualFile
        if named != nil || FileManager.default.fileExists(atPath: path) {
            let file = SettingsFile(at: path, known: members)
            if let refusal = file.refusal(of: FileManager.default.contents(atPath: path)) {
                throw ValidationError(refusal)
            }
        }
        let place = InMemoryProvider(values: [
            "filePath": .init(stringLiteral: path), "allowMissing": .init(booleanLiteral: named == nil),
        ])
        do {
            return try await FileProvider<JSONSnapshot>(config: ConfigReader(provider: place))
        } catch {
            throw ValidationError(
                "The settings file \(path) has a value that is no text, number, true, false or list of one of these.")
        }
    }
}
