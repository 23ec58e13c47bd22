import AdminMessages
import ArgumentParser

/// The command `martlet app specification …`.
struct AppSpecificationCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "specification",
        abstract: "What an app publishes, by version: the server checks configurations against it.",
        discussion: """
            A configuration that the newest version would refuse, or one on devices that have it, is not set, unless that \
            is forced; what another version would refuse is warned of. What a specification is says martlet spec.
            """,
        subcommands: [
            AppSpecificationSet.self, AppSpecificationList.self, AppSpecificationShow.self,
            AppSpecificationRemove.self,
        ])
}

/// Which version of an app a command is about.
struct AppVersion: ParsableArguments {
    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The app's version, such as 3.1.")
    var version: String

    /// The path of its specification below `/api/v1`.
    var path: [String] { ["apps", app, "specifications", version] }

    var text: String { "\(Printable.line(app)) \(Printable.line(version))" }
}

/// The command `martlet app specification list`.
struct AppSpecificationList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the versions of an app whose specifications are kept, the newest first.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var output: Output

    func run() async throws {
        let all: [SpecificationSummary] = try await Server.inSession {
            try await $0.list("apps", app, "specifications")
        }
        try output.print(all, nothing: "The app has published none: martlet app specification set") {
            var table = Table("VERSION", "SIZE", "ADDED", "BY", "CAME", "SHA-256")
            for one in all {
                table.add(
                    one.version, "\(one.size)", one.added.shown, one.author,
                    one.package == nil ? "by hand" : "with a package", one.sha256)
            }
            return table
        }
    }
}

/// The command `martlet app specification show`.
struct AppSpecificationShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Write the specification of a version, for martlet spec.")

    @OptionGroup var version: AppVersion

    func run() async throws {
        let answer = try await Server.inSession { try await $0.send(.get, version.path) }
        Terminal.write(answer.body)
    }
}

/// The command `martlet app specification remove`.
struct AppSpecificationRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget the specification of a version.")

    @OptionGroup var version: AppVersion

    @OptionGroup var condition: IfSame

    @OptionGroup var output: Output

    func run() async throws {
        _ = try await Server.inSession { server in
            try await server.send(
                .delete, version.path, headers: server.headers(condition, ofDocumentAt: version.path))
        }
        try output.done(["app": version.app, "version": version.version]) {
            "The specification of \(version.text) is forgotten."
        }
    }
}
