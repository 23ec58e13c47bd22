import AdminMessages
import ArgumentParser

/// The command `martlet app source set`.
struct AppSourceSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Say where devices of a platform get an app.",
        discussion: """
            Setting again changes what is mentioned of the same platform and origin; everything else stays as it was.

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

    @Flag(help: "The installed app has the app's own name and team.")
    var noComposedIdentifier = false

    @Option(help: ArgumentHelp("To which the App Store licenses the app: device or user.", valueName: "license"))
    var license: String?

    @Option(
        help: ArgumentHelp(
            "required, as a new source is, or optional: nothing happens until the user asks.", valueName: "install"))
    var install: String?

    @Option(
        help: ArgumentHelp(
            "Whether devices look for updates by themselves: always, never or store-settings.", valueName: "updates"))
    var updates: String?

    @Flag(help: "The device decides whether it looks for updates.")
    var noUpdates = false

    @Option(help: ArgumentHelp("The oldest version of the system that gets it.", valueName: "version"))
    var minimumOS: String?

    @Flag(help: "Every version of the system gets it.")
    var noMinimumOS = false

    @Option(help: ArgumentHelp("The oldest version of Martlet's agent that gets it.", valueName: "version"))
    var minimumAgent: String?

    @Flag(help: "Every version of Martlet's agent gets it.")
    var noMinimumAgent = false

    @OptionGroup var condition: IfSameOrNone

    @OptionGroup(title: "Output") var form: Output

    func validate() throws {
        try OneOption.exactly([
            "--package": package != nil, "--manifest": manifest != nil, "--app-store": appStore != nil,
            "--installed": installed,
        ])
        guard installed || (composedIdentifier == nil && !noComposedIdentifier) else {
            throw ValidationError("--composed-identifier goes with --installed")
        }
        try OneOption.atMost([
            "--composed-identifier": composedIdentifier != nil, "--no-composed-identifier": noComposedIdentifier,
        ])
        try OneOption.atMost(["--updates": updates != nil, "--no-updates": noUpdates])
        try OneOption.atMost(["--minimum-os": minimumOS != nil, "--no-minimum-os": noMinimumOS])
        try OneOption.atMost(["--minimum-agent": minimumAgent != nil, "--no-minimum-agent": noMinimumAgent])
    }

    func run() async throws {
        let source: AppSource = try await Server.inSession { server in
            let path = ["apps", app, "sources", platform, place.origin]
            return try await server.change(path, condition) { (present: AppSource?) in
                request(changing: present)
            }.decoded()
        }
        try form.print(source) {
            """
            Devices with \(AppSourceText.platform(platform)) get \(Printable.line(app)) by \
            \(AppSourceText.origin(source)).
            """
        }
    }

    private func request(changing present: AppSource?) -> AppSourceRequest {
        AppSourceRequest(
            location: noComposedIdentifier ? nil : place.location ?? present?.location,
            license: license ?? present?.license, install: install ?? present?.install,
            updates: noUpdates ? nil : updates ?? present?.updates,
            minimumOSVersion: noMinimumOS ? nil : minimumOS ?? present?.minimumOSVersion,
            minimumAgentVersion: noMinimumAgent ? nil : minimumAgent ?? present?.minimumAgentVersion)
    }

    private var place: (origin: String, location: String?) {
        if let package { return ("package", package) }
        if let manifest { return ("manifest", manifest) }
        if let appStore { return ("app-store", appStore) }
        return ("installed", composedIdentifier)
    }
}

/// Sources as people read them.
package enum AppSourceText {
    /// A platform as people write it; the word of one that is not known stays as it is.
    package static func platform(_ word: String) -> String {
        switch word {
        case "linux": "Linux"
        case "macos": "macOS"
        case "ios": "iOS"
        case "visionos": "visionOS"
        default: Printable.line(word)
        }
    }

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
