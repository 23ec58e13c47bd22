import AdminMessages
import ArgumentParser

/// The command `martlet administrator create`.
struct AdministratorCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Add an administrator, with a one-time password that is shown only once.")

    @Argument(help: "The name to log in with.")
    var name: String

    @OptionGroup var rights: RightsOptions
    @OptionGroup var output: Output

    func run() async throws {
        let wish = rights.request
        let request = AdministratorRequest(name: name, role: wish.role, apps: wish.apps, groups: wish.groups)
        let made: AdministratorPassword = try await Server.inSession { try await $0.post(request, "administrators") }
        try output.print(made) { AdministratorText.password(made) }
    }
}

/// The command `martlet administrator set`.
struct AdministratorSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change what an administrator may do, at once and in open sessions, too.",
        discussion: """
            What is not given here stays as it was. Apps and groups are an app-owner's: with any other role they go.
            """)

    @Argument(help: "The administrator's name.")
    var name: String

    @OptionGroup var rights: RightsChange
    @OptionGroup var condition: IfSame
    @OptionGroup var output: Output

    func run() async throws {
        let changed: Administrator = try await Server.inSession { server in
            try await server.change(["administrators", name], condition) { (present: Administrator) in
                rights.request(changing: present)
            }.decoded()
        }
        try output.print(changed) {
            "\(Printable.line(changed.name)) is \(changed.role)"
                + (AdministratorText.limits(changed).map { " of " + Printable.line($0) } ?? "") + "."
        }
    }
}

/// The command `martlet administrator list`.
struct AdministratorList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the administrators.")

    @OptionGroup var output: Output

    func run() async throws {
        let all: [Administrator] = try await Server.inSession { try await $0.list("administrators") }
        try output.print(all, nothing: "There is no administrator.") {
            var table = Table("NAME", "ROLE", "LIMITED TO", "SINCE")
            for administrator in all {
                table.add(
                    administrator.name, administrator.role.rawValue, AdministratorText.limits(administrator),
                    administrator.created.shown)
            }
            return table
        }
    }
}

/// The command `martlet administrator reset-password`.
struct AdministratorResetPassword: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-password", abstract: "Give an administrator a one-time password and end their sessions.")

    @Argument(help: "The administrator's name.")
    var name: String

    @OptionGroup var output: Output

    func run() async throws {
        let made: AdministratorPassword = try await Server.inSession {
            try await $0.send(.post, ["administrators", name, "password"]).decoded()
        }
        try output.print(made) { AdministratorText.password(made) }
    }
}

/// The command `martlet administrator remove`.
struct AdministratorRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an administrator and end their sessions.",
        discussion: "What they did stays in the audit log. The last one who may do everything cannot be removed.")

    @Argument(help: "The administrator's name.")
    var name: String

    @OptionGroup var condition: IfSame

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { server in
            let place = ["administrators", name]
            _ = try await server.send(.delete, place, headers: server.headers(condition, place, as: Administrator.self))
        }
        try output.done(["name": name]) { "\(Printable.line(name)) is no administrator any more." }
    }
}
