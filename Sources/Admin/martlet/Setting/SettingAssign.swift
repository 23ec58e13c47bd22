import AdminMessages
import ArgumentParser

/// The command `martlet setting assign`.
struct SettingAssign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign", abstract: "Give a group a setting; its devices get it at once.",
        discussion: """
            A device gets the settings of all its groups. Of a kind of which only one counts it is the one with the \
            highest --priority, and of several with the same the one assigned last: martlet device explain says which.

            If the group has the setting already, the priority stays unless another one is given.
            """)

    @OptionGroup var place: SettingPlace

    @Option(help: ArgumentHelp("From -1000 to 1000; 0 for a new one.", valueName: "number"))
    var priority: Int?

    @OptionGroup var condition: IfSameOrNone

    @OptionGroup var output: Output

    func run() async throws {
        let assignment: SettingAssignment = try await Server.inSession { server in
            try await server.change(place.path, condition) {
                (present: SettingAssignment?) -> SettingAssignmentRequest in
                SettingAssignmentRequest(priority: priority ?? present?.priority)
            }.decoded()
        }
        try output.print(assignment) {
            "\(Printable.line(place.group)) gets \(place.setting.text), priority \(assignment.priority)."
        }
    }
}

/// The command `martlet setting unassign`.
struct SettingUnassign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unassign", abstract: "Take a setting from a group.",
        discussion: "It leaves every device that has it only through this group.")

    @OptionGroup var place: SettingPlace

    @OptionGroup var condition: IfSame

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { server in
            _ = try await server.send(
                .delete, place.path, headers: server.headers(condition, place.path, as: SettingAssignment.self))
        }
        let names = ["group": place.group, "kind": place.setting.kind, "setting": place.setting.name]
        try output.done(names) { "\(Printable.line(place.group)) no longer gets \(place.setting.text)." }
    }
}

/// The command `martlet setting assignments`.
struct SettingAssignments: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assignments", abstract: "List which groups have which settings.")

    @Option(help: ArgumentHelp("Only this group's.", valueName: "name"))
    var group: String?

    @Option(help: ArgumentHelp("Only settings of this kind.", valueName: "kind"))
    var kind: String?

    @Option(help: ArgumentHelp("Only settings of this name.", valueName: "name"))
    var name: String?

    @OptionGroup var output: Output

    func run() async throws {
        let query = [("group", group), ("kind", kind), ("name", name)].compactMap { key, value in
            value.map { (key, $0) }
        }
        let assignments: [SettingAssignment] = try await Server.inSession {
            try await $0.list("setting-assignments", query: query)
        }
        try output.print(assignments, nothing: "No such assignments: martlet setting assign <group> <kind> <name>") {
            var table = Table("GROUP", "KIND", "SETTING", "PRIORITY", "ASSIGNED")
            for item in assignments {
                table.add(item.group, item.kind, item.setting, "\(item.priority)", item.assigned.shown)
            }
            return table
        }
    }
}

/// Which setting of which group a command is about.
struct SettingPlace: ParsableArguments {
    @Argument(help: "The group's name.")
    var group: String

    @OptionGroup var setting: SettingName

    /// The path of the assignment below `/api/v1`.
    var path: [String] { ["setting-assignments", group, setting.kind, setting.name] }
}
