import ArgumentParser
import Configuration
import ServiceManager

extension Settings {
    private static let usualFile = "/etc/martlet/agent.json"

    /// Each member that a settings file may have.
    private static let members: [String: ServiceSettings.Member] = [
        "directory": .text, "apps": .texts("/opt/martlet/apps"),
        "appUsers": .word(["own", "shared"]), "appIsolation": .word(["asked", "always"]), "appGroups": .texts("render"),
        "appProcesses": .number(16...1_000_000), "appMemory": .number(64...1_073_741_824),
        "appOpenFiles": .number(64...1_000_000), "appFileSize": .number(1...1_073_741_824),
        "desktopEntries": .text, "loginMessages": .text, "tpm": .text, "power": .word(["logind", "none"]),
        "serialNumber": .text, "pollInterval": .number(1...86_400),
        "log.level": .logLevel,
    ]

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
