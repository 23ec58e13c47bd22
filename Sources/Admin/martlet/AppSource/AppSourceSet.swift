import AdminMessages
import ArgumentParser

/// The command `martlet app source set`.
struct AppSourceSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Say where devices of a platform get an app.",
        discussion: """
            Setting again replaces what was said of the same platform and origin.

              martlet app source set org.swift.landmarks --platform linux --manifest https://example.org/landmarks.plist
              martlet app source set org.swift.landmarks --platform ios --app-store 1234567890 --license user
              martlet app source set org.swift.landmarks --platform linux --installed
            """)

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Option(help: ArgumentHelp("linux, macos, ios (iPhones and iPads) or visionos.", valueName: "platform"))
    var platform: String

    @Option(help: ArgumentHelp("The digest of a package that the server hosts.", valueName: "sha256"))
    var package: String?

    @Option(help: ArgumentHelp("The HTTPS address of an enterprise manifest.", valueName: "url"))
    var manifest: String?

    @Option(help: ArgumentHelp("The number of the app in the App Store.", valueName: "number"))
    var appStore: String?

    @Flag(help: "The app is on the device, or comes there by other ways.")
    var installed = false

    @Option(
        help: ArgumentHelp("The installed app, where it is not the app's own name and team.", valueName: "identifier"))
    var composedIdentifier: String?

    @Option(help: ArgumentHelp("Whose license of the App Store: device or user.", valueName: "license"))
    var license: String?

    @Option(help: ArgumentHelp("required, or optional: nothing happens until the user asks.", valueName: "install"))
    var install: String = "required"

    @Option(
        help: ArgumentHelp(
            "Whether devices look for updates by themselves: always, never or store-settings.", valueName: "updates"))
    var updates: String?

    @Option(help: ArgumentHelp("The oldest version of the system that gets it.", valueName: "version"))
    var minimumOS: String?

    @Option(help: ArgumentHelp("The oldest version of Martlet's agent that gets it.", valueName: "version"))
    var minimumAgent: String?

    @OptionGroup var condition: IfSameOrNone

    @OptionGroup(title: "Output") var form: Output

    func validate() throws {
        let origins = [package != nil, manifest != nil, appStore != nil, installed].filter { $0 }
        guard origins.count == 1 else {
            throw ValidationError("give one of --package, --manifest, --app-store and --installed")
        }
        guard composedIdentifier == nil || installed else {
            throw ValidationError("--composed-identifier goes with --installed")
        }
    }

    func run() async throws {
        let (origin, location) = place
        let wish = AppSourceRequest(
            location: location, license: license, install: install, updates: updates, minimumOSVersion: minimumOS,
            minimumAgentVersion: minimumAgent)
        let source: AppSource = try await Server.inSession { server in
            let path = ["apps", app, "sources", platform, origin]
            return try await server.send(
                .put, path, body: .init(json: wish),
                headers: server.headers(condition, path, as: AppSource.self)
            ).decoded()
        }
        try form.print(source) {
            "Devices with \(Printable.line(platform)) get \(Printable.line(app)) by \(AppSourceText.origin(source))."
        }
    }

    private var place: (origin: String, location: String?) {
        if let package { return ("package", package) }
        if let manifest { return ("manifest", manifest) }
        if let appStore { return ("app-store", appStore) }
        return ("installed", composedIdentifier)
    }
}

/// Sources as people read them.
enum AppSourceText {
    static func origin(_ source: AppSource) -> String {
        switch source.origin {
        case "package": "a hosted package"
        case "manifest": "a manifest"
        case "app-store": "the App Store"
        default: "taking over what is installed"
        }
    }

    static func table(_ sources: [AppSource]) -> Table {
        var table = Table("PLATFORM", "ORIGIN", "LOCATION", "INSTALL", "UPDATES", "MINIMUM")
        for source in sources {
            let minimum = [
                source.minimumOSVersion.map { "system \($0)" }, source.minimumAgentVersion.map { "agent \($0)" },
            ].compactMap { $0 }
            table.add(
                source.platform, source.origin, source.location, source.install, source.updates,
                minimum.isEmpty ? nil : minimum.joined(separator: ", "))
        }
        return table
    }
}
