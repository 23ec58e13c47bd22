import AdminMessages
import ArgumentParser

/// The command `martlet app package show`.
struct HostedPackageShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a package.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The package's SHA-256, as martlet app package list shows it.")
    var package: String

    @OptionGroup var output: Output

    func run() async throws {
        let found: Package = try await Server.inSession { try await $0.get("apps", app, "packages", package) }
        try output.print(found) {
            var facts = Facts()
            facts.add("app", found.app)
            facts.add("title", found.title)
            facts.add("version", "\(found.shortVersion) (\(found.version))")
            facts.add("size", Size.text(UInt64(found.size)))
            facts.add("team", found.team)
            facts.add("oldest system", found.minimumOSVersion)
            facts.add("oldest agent", found.minimumAgentVersion)
            facts.add("uploaded", "\(found.uploaded.shown) by \(found.author)")
            facts.add("not used since", found.unusedSince?.shown)
            facts.add("manifest", found.manifestURL)
            facts.add("SHA-256", found.sha256)
            return facts.text
        }
    }
}
