package import AppSpecification
import ArgumentParser

/// The command `martlet spec diff`.
struct SpecificationDiff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Say what changed between two versions of a specification, and what that breaks.",
        discussion: """
            A fleet runs several versions of an app with one configuration. A change may break configurations that \
            are in use, if the new app refuses them, or apps that are in use, if they refuse a new configuration. Ends \
            with status 4 if it can break either; --allow names what may break.

              martlet spec diff specification-1.json specification-2.json --allow configurations
            """)

    package enum Breakage: String, ExpressibleByArgument, CaseIterable {
        case configurations, apps
    }

    @Argument(help: "The older specification.", completion: .file())
    var old: String

    @Argument(help: "The newer specification.", completion: .file())
    var new: String

    @Option(help: "Let changes pass that break old configurations or old apps; may be repeated.")
    var allow: [Breakage] = []

    @OptionGroup(title: "Output") var form: Output

    private struct Change: Encodable {
        let path, message: String
        let breaksOldConfigurations, breaksOldApps: Bool
    }

    func run() async throws {
        let (older, newer) = (try SpecificationFile.read(old), try SpecificationFile.read(new))
        if let warning = DifferenceText.warning(older, newer) { Terminal.complain(warning) }
        let changes = newer.changes(since: older)
        let rows = changes.map {
            Change(
                path: $0.path, message: $0.message, breaksOldConfigurations: $0.breaksOldConfigurations,
                breaksOldApps: $0.breaksOldApps)
        }
        try form.print(rows, nothing: "Nothing changed that a configuration would notice.") {
            var table = Table("KEY", "CHANGE", "OLD CONFIGURATIONS", "OLD APPS")
            for row in rows {
                table.add(
                    row.path, row.message, row.breaksOldConfigurations ? "may break" : "do",
                    row.breaksOldApps ? "may break" : "do")
            }
            return table
        }
        let configurations = changes.count { $0.breaksOldConfigurations }
        let apps = changes.count { $0.breaksOldApps }
        guard configurations == 0 || allow.contains(.configurations), apps == 0 || allow.contains(.apps) else {
            throw Failure(
                .refused, "\(Count.text(configurations, "change")) may break old configurations, \(apps) old apps",
                advice: "If that is intended: --allow configurations, --allow apps.")
        }
    }
}

/// Warnings about two specifications, before their difference.
package enum DifferenceText {
    /// The warning that they belong to different apps; nil for two versions of one app.
    package static func warning(_ older: AppSpecification, _ newer: AppSpecification) -> String? {
        let (before, after) = (older.app.bundleIdentifier, newer.app.bundleIdentifier)
        guard before != after else { return nil }
        return "warning: these are specifications of two different apps, "
            + "\(Printable.line(before)) and \(Printable.line(after))"
    }
}
