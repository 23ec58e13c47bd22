import AdminMessages
import ArgumentParser

/// The command `martlet app package …`.
struct HostedPackageCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "package", abstract: "Packages that the server hosts.",
        subcommands: [
            HostedPackageUpload.self, HostedPackageList.self, HostedPackageShow.self, HostedPackageRemove.self,
        ])
}

/// The command `martlet app package list`.
struct HostedPackageList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the packages of an app, the newest first.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var output: Output

    func run() async throws {
        let packages: [Package] = try await Server.inSession { try await $0.list("apps", app, "packages") }
        try output.print(packages, nothing: "No packages yet: martlet app package upload <file>") {
            var table = Table("VERSION", "SIZE", "TEAM", "MINIMUM", "UPLOADED", "BY", "IN USE", "SHA-256")
            for package in packages {
                let minimum = [
                    package.minimumOSVersion.map { "system \($0)" }, package.minimumAgentVersion.map { "agent \($0)" },
                ].compactMap { $0 }
                table.add(
                    package.shortVersion == package.version
                        ? package.version : "\(package.shortVersion) (\(package.version))",
                    Size.text(UInt64(package.size)), package.team,
                    minimum.isEmpty ? nil : minimum.joined(separator: ", "), package.uploaded.shown, package.author,
                    package.unusedSince.map { "not since \($0.shown)" } ?? "yes", package.sha256)
            }
            return table
        }
    }
}

/// The command `martlet app package remove`.
struct HostedPackageRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Stop hosting a package that no source names.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The package's SHA-256, as martlet app package list shows it.")
    var package: String

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { try await $0.delete("apps", app, "packages", package) }
        try output.done(["app": app, "package": package]) { "The server no longer hosts the package." }
    }
}
