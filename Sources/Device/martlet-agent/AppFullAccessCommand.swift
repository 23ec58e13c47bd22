import ArgumentParser
import DeviceAgent

/// `martlet-agent app full-access`: lets a restricted extension have what is meant for it, or takes that back.
struct AppFullAccessCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "full-access", abstract: "Grant full access to a restricted extension, or revoke it.",
        discussion: """
            Keyboards, and other extensions whose developer says so, are given neither configuration nor secrets before \
            somebody at the device grants it. What is revoked is gone from the running extension at once.
            """)

    enum Access: String, ExpressibleByArgument, CaseIterable {
        case on, off
    }

    @Argument(help: "The extension's bundle identifier.")
    var bundleIdentifier: String

    @Argument(help: "on or off.")
    var access: Access

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let settings = try await Settings(options)
        try settings.ask(.setFullAccess(bundleIdentifier: bundleIdentifier, isGranted: access == .on))
        print("\(bundleIdentifier) has \(access == .on ? "full access" : "no full access")")
    }
}

extension ListedExtension {
    /// On one line for a person.
    var line: String {
        let access = isRestricted ? hasFullAccess ? "full access" : "no full access" : nil
        return [bundleIdentifier, kind, configState.map { "configuration \($0)" }, access].compactMap { $0 }
            .joined(separator: "  ")
    }
}
