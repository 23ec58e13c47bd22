package import AdminMessages
import ArgumentParser
import Synchronization

/// The command `martlet group rule preview`.
struct GroupRulePreview: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview", abstract: "Show which devices a rule would have in a group; nothing is changed.")

    @Argument(help: "The rule.")
    var rule: String

    @Option(help: ArgumentHelp("The group that would have it: who would join, and who would leave.", valueName: "name"))
    var group: String?

    @Option(help: ArgumentHelp("How many devices to name of each kind, up to 100.", valueName: "number"))
    var limit: Int?

    @OptionGroup var output: Output

    func run() async throws {
        let request = GroupPreviewRequest(rule: rule, group: group, limit: limit)
        let judged = Mutex(0)
        let preview = try await Server.inSession { server in
            try await Progress.during("judging devices", detail: { "\(judged.withLock { $0 })" }) {
                try await GroupPreview.whole(of: request) { part in
                    let preview: GroupPreview = try await server.post(part, "groups", "preview")
                    judged.withLock { $0 += preview.judged }
                    return preview
                }
            }
        }
        try output.print(preview) {
            GroupPreviewText.text(of: preview, bold: Terminal.mayStyle, within: Terminal.columns)
        }
    }
}

/// A preview as people read it.
package enum GroupPreviewText {
    package static func text(of preview: GroupPreview, bold: Bool = false, within columns: Int? = nil) -> String {
        var facts = Facts()
        facts.add("rule", preview.rule)
        facts.add("judged", "\(preview.judged)")
        facts.add("devices in it", "\(preview.members.count)")
        facts.add("would join", "\(preview.joining.count)")
        facts.add("would leave", "\(preview.leaving.count)")
        var table = Table("DEVICE", "NAME", "SERIAL NUMBER", "WOULD")
        let joining = Set(preview.joining.devices.map(\.id))
        func add(_ devices: [GroupPreview.Device], _ word: String) {
            for device in devices { table.add(device.id, device.name, device.serialNumber, word) }
        }
        add(preview.joining.devices, "join")
        add(preview.leaving.devices, "leave")
        add(preview.members.devices.filter { !joining.contains($0.id) }, "stay")
        return facts.text + (table.isEmpty ? "" : "\n\n" + table.text(bold: bold, within: columns))
    }
}
