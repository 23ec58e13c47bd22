import AdminMessages
import ArgumentParser
import NIOHTTP1

/// The command `martlet group rule …`.
struct GroupRuleCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rule", abstract: "Which devices are in a group by what they report.",
        discussion: """
            A rule is made of conditions, “and”, “or”, “not” and parentheses:

              os = linux and (os-version >= 13 or model begins "ThinkPad X1") and not supervised
              app com.example.editor < 2.1
              person.department = Sales and shard 5% of editor-2

            Conditions are about model, os (linux, macos, ios, visionos), os-version, agent-version, app with a bundle \
            identifier (the version on the device), variables such as person.department or device.serialNumber, status \
            with an item, kind (device, user), arrival (code, account, expected), ownership (organization, personal), \
            key-holder (tpm, file), supervised and attested. They compare by =, begins, ends, contains, and versions by \
            <, <=, > and >=; alone they ask whether the device has it. What a device has not said is not met. A shard is \
            always the same part of all devices; with more percent it has these and others.
            """,
        subcommands: [GroupRulePreview.self, GroupRuleSet.self, GroupRuleRemove.self])
}

/// The command `martlet group rule set`.
struct GroupRuleSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Say which devices are in a group.",
        discussion: """
            From now on devices cannot be added or removed by hand. Look first: martlet group rule preview. Another rule \
            that the group has is replaced only with --replace or --if-rule.
            """)

    @Argument(help: "The group's name.")
    var name: String

    @Argument(help: "The rule.")
    var rule: String

    @Flag(help: "Replace another rule.")
    var replace = false

    @Option(
        help: ArgumentHelp(
            "Only if the group has this rule now, as it was last shown; empty for none.", valueName: "rule"))
    var ifRule: String?

    @OptionGroup var output: Output

    func run() async throws {
        let group: Group = try await Server.inSession { server in
            _ = try await server.send(
                .put, place, body: .init(json: GroupRuleRequest(rule: rule)), headers: headers(server))
            return try await server.get("groups", name)
        }
        try output.print(group) {
            "The group \(Printable.line(name)) has the rule \(Printable.line(group.rule ?? "")). "
                + GroupText.devices(in: group)
        }
    }

    private var place: [String] { ["groups", name, "rule"] }

    /// What must be there for the rule to take its place; another one is not replaced unless somebody says so.
    private func headers(_ server: Server) async throws -> [(String, String)] {
        guard ifRule == nil else { return try await server.headers(ifRule: ifRule, of: name) }
        guard !replace else { return [] }
        let present = try await server.present(at: place)
        let there = try present?.decoded(GroupRuleDetail.self)
        if let there, there.rule != rule, try await kept(by: server) != there.rule {
            throw Failure(
                .refused, "the group has another rule: \(Printable.line(there.rule)); nothing was changed",
                advice: "martlet group rule preview shows what a new one changes; --replace replaces it.")
        }
        return server.headers(onTopOf: present)
    }

    /// The rule as the server would keep it: spaces and parentheses make no other one.
    private func kept(by server: Server) async throws -> String {
        let detail: GroupRuleDetail = try await server.send(
            .put, place, query: [("dryRun", "true")], body: .init(json: GroupRuleRequest(rule: rule))
        ).decoded()
        return detail.rule
    }
}

extension Server {
    /// Holds a change to the rule that was seen: to its tag, so that nobody comes in between.
    fileprivate func headers(ifRule: String?, of group: String) async throws -> [(String, String)] {
        guard let ifRule else { return [] }
        guard !ifRule.isEmpty else { return [("If-None-Match", "*")] }
        let present = try await send(.get, ["groups", group, "rule"])
        let detail: GroupRuleDetail = try present.decoded()
        guard detail.rule == ifRule else {
            throw Failure(
                .refused, "the group has another rule now: \(Printable.line(detail.rule))",
                advice: "Nothing was changed. Say --if-rule with this one to replace or remove it.")
        }
        return present.headers.first(name: "ETag").map { [("If-Match", $0)] } ?? []
    }
}

/// The command `martlet group rule remove`.
struct GroupRuleRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take the rule from a group.",
        discussion: "Who is in the group stays there, until taken out by hand.")

    @Argument(help: "The group's name.")
    var name: String

    @Option(help: ArgumentHelp("Only if the group has this rule now, as it was last shown.", valueName: "rule"))
    var ifRule: String?

    @OptionGroup var output: Output

    func validate() throws {
        guard ifRule?.isEmpty != true else { throw ValidationError("a rule that is removed has a text") }
    }

    func run() async throws {
        try await Server.inSession { server in
            _ = try await server.send(
                .delete, ["groups", name, "rule"], headers: server.headers(ifRule: ifRule, of: name))
        }
        try output.done(["group": name]) { "The group \(Printable.line(name)) is filled by hand now." }
    }
}
