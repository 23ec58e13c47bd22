import AdminMessages
import ArgumentParser

/// The command `martlet administrator …`.
struct AdministratorCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "administrator", abstract: "The accounts that use this server, and what each may do.",
        discussion: """
            Roles: a reader looks; the help-desk has devices and people come and helps them; an app-owner configures \
            some apps and gives them to some groups; an auditor looks, and at who did what; an administrator may do \
            everything.
            """,
        subcommands: [
            AdministratorCreate.self, AdministratorSet.self, AdministratorList.self, AdministratorShow.self,
            AdministratorResetPassword.self,
            AdministratorRemove.self,
        ])
}

/// What an administrator may do, as options say it.
struct RightsOptions: ParsableArguments {
    @Option(
        help: "reader, help-desk, app-owner, auditor or administrator.",
        completion: .list(["reader", "help-desk", "app-owner", "auditor", "administrator"]))
    var role: String

    @Option(name: .customLong("app"), parsing: .singleValue, help: "Of an app-owner: an app; may be repeated.")
    var apps: [String] = []

    @Option(
        name: .customLong("group"), parsing: .singleValue,
        help: "Of an app-owner: a group to which they may give their apps; may be repeated.")
    var groups: [String] = []

    var request: RightsRequest {
        RightsRequest(
            role: AdministratorRole(rawValue: role), apps: apps.isEmpty ? nil : apps,
            groups: groups.isEmpty ? nil : groups)
    }
}

/// Administrators as people read them.
enum AdministratorText {
    static func password(_ made: AdministratorPassword) -> String {
        var facts = Facts()
        facts.add("administrator", made.administrator.name)
        facts.add("role", made.administrator.role.rawValue)
        facts.add("one-time password", made.oneTimePassword)
        if let expires = made.expires { facts.add("use it until", expires.shown) }
        return facts.text + "\n\nThe password is shown only once, and must be replaced at the first martlet login."
    }

    static func limits(_ administrator: Administrator) -> String? {
        guard administrator.role == .appOwner else { return nil }
        let (apps, groups) = (administrator.apps ?? [], administrator.groups ?? [])
        return "\(apps.joined(separator: ", ")) for \(groups.isEmpty ? "no group" : groups.joined(separator: ", "))"
    }
}
