package import AdminMessages
import ArgumentParser

/// The command `martlet group show`.
struct GroupShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a group and its rule.")

    @Argument(help: "The group's name.")
    var name: String

    @OptionGroup var output: Output

    func run() async throws {
        let group: Group = try await Server.inSession { try await $0.get("groups", name) }
        try output.print(group) { GroupText.text(of: group) }
    }
}

/// A group as people read it.
package enum GroupText {
    package static func text(of group: Group) -> String {
        var facts = Facts()
        facts.add("group", group.name)
        facts.add("devices", group.deviceCount.map(String.init))
        facts.add("filled", group.rule == nil ? "by hand" : "by its rule")
        facts.add("rule", group.rule)
        if group.judging == true { facts.add("judging", "not all devices are judged by the rule yet") }
        return facts.text
    }

    /// How many devices are in a group with a rule.
    static func devices(in group: Group) -> String {
        let count = group.deviceCount ?? 0
        let devices = count == 1 ? "1 device is" : "\(count) devices are"
        return devices + " in it" + (group.judging == true ? " so far; the others are being judged." : ".")
    }
}
