package import AdminMessages
package import ArgumentParser

/// What an administrator may do from now on, as options: what none of them mentions stays as it is.
package struct RightsChange: ParsableArguments {
    @Option(
        help: "reader, help-desk, app-owner, auditor or administrator.",
        completion: .list(["reader", "help-desk", "app-owner", "auditor", "administrator"]))
    package var role: String?

    @Option(
        name: .customLong("app"), parsing: .singleValue,
        help: "Of an app-owner: an app; may be repeated, and takes the place of those before.")
    package var apps: [String] = []

    @Option(
        name: .customLong("group"), parsing: .singleValue,
        help: """
            Of an app-owner: a group to which they may give their apps; may be repeated, and takes the place of those \
            before.
            """)
    package var groups: [String] = []

    @Flag(name: .customLong("no-groups"), help: "Of an app-owner: they may give their apps to no group.")
    package var isWithoutGroups = false

    package init() {}

    package func validate() throws {
        guard role != nil || !apps.isEmpty || !groups.isEmpty || isWithoutGroups else {
            throw ValidationError("say what to change: --role, --app, --group or --no-groups")
        }
        try OneOption.atMost(["--group": !groups.isEmpty, "--no-groups": isWithoutGroups])
    }

    /// The whole of what they may do then, as the server takes it.
    package func request(changing present: Administrator) -> RightsRequest {
        let role = role.map { AdministratorRole(rawValue: $0) } ?? present.role
        func names(_ said: [String], _ before: [String]?) -> [String]? {
            guard said.isEmpty else { return said }
            return role == .appOwner ? before : nil
        }
        return RightsRequest(
            role: role, apps: names(apps, present.apps),
            groups: isWithoutGroups ? nil : names(groups, present.groups))
    }
}
