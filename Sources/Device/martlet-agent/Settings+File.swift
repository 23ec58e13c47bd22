import ArgumentParser
import Configuration
import ServiceManager

extension Settings {
    private static let usualFile = "/etc/martlet/agent.json"

    /// Each member that a settings file may have.
    private static let members: Set<String> = [
        "directory", "apps", "appUsers", "appIsolation", "appProcesses", "appMemory", "appOpenFiles",
        "appFileSize", "desktopEntries", "loginMessages", "tpm", "power", "serialNumber", "pollInterval",
        "log.level",
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
