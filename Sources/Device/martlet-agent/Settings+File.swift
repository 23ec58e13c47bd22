import ArgumentParser
import Configuration
import DeviceAgent
import Foundation
import ServiceManager

extension Settings {
    private static let usualFile = "/etc/martlet/agent.json"

    /// Each member that a settings file may have.
    private static let members: [String: ServiceSettings.Member] = [
        "directory": .text, "apps": .texts("/opt/martlet/apps"),
        "appUsers": .word(["own", "shared"]), "appIsolation": .word(["asked", "always"]), "appGroups": .texts("render"),
        "appProcesses": .number(16...1_000_000), "appMemory": .number(64...1_073_741_824),
        "appOpenFiles": .number(64...1_000_000), "appFileSize": .number(1...1_073_741_824),
        "desktopEntries": .text, "loginMessages": .text, "tpm": chip, "power": .word(["logind", "none"]),
        "serialNumber": number, "pollInterval": .number(1...86_400),
        "log.level": .logLevel,
    ]

    private static let chip = ServiceSettings.Member.ruledText(
        "auto, none, or a place that begins with device:, swtpm: or tabrmd:", such: "device:/dev/tpm0"
    ) { isTPM($0) }

    private static let number = ServiceSettings.Member.ruledText(
        "1 to 64 printable ASCII characters without a space at the ends", such: "LAB-0001"
    ) { DeviceFacts.isSerialNumber($0) }

    /// Variables with our prefix that are no settings: where the settings file is, and what apps find.
    private static let otherVariables: Set<String> = ["CONFIG", "FD", "SOCKET"]

    /// The file of settings, and variables that are not known; both after file, variables and options were checked.
    ///
    /// A file that is not named may be missing.
    static func file(
        _ named: String?, beside variables: some ConfigProvider, and options: [ServiceSettings.GivenOption]
    ) async throws -> (file: FileProvider<JSONSnapshot>, unknownVariables: [String]) {
        let settings = ServiceSettings(named: named, usual: usualFile, members: members)
        do throws(ServiceSettings.Refusal) {
            let unknown = try settings.checkNames(
                ProcessInfo.processInfo.environment.keys, readBy: variables, prefix: "MARTLET_AGENT_",
                further: otherVariables)
            try settings.check(options)
            try settings.check(variables)
            let file = try await settings.read()
            return (file, unknown)
        } catch {
            throw ValidationError(error.sentence)
        }
    }
}
