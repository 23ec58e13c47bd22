package import AdminMessages
import ArgumentParser
import Foundation

/// The command `martlet app refusals`.
struct AppRefusals: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refusals",
        abstract: "Show which configurations an app refuses on devices, why, and what to do about it.",
        discussion: """
            What an error means and what to do is what the app publishes for the version that refuses, or for the version \
            nearest to it. What a single device says shows martlet device show.
            """)

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var output: Output

    @OptionGroup var watch: Watching

    func run() async throws {
        try await watch.list(
            { try await $0.list("apps", app, "refusals") as [ConfigurationRefusal] }, id: RefusalText.name, show: show)
    }

    private func show(_ refusals: [ConfigurationRefusal]) throws {
        try output.print(refusals) {
            refusals.isEmpty
                ? "No device says that \(Printable.line(app)) refuses a configuration."
                : refusals.map { RefusalText.text($0, of: app) }.joined(separator: "\n\n")
        }
    }
}

/// A refusal as people read it.
package enum RefusalText {
    /// A refusal that stands on devices.
    package static func text(_ refusal: ConfigurationRefusal, of app: String) -> String {
        var facts = Facts()
        facts.add("refused by", (refusal.extension ?? app) + (refusal.appVersion.map { ", version \($0)" } ?? ""))
        facts.add("code", refusal.code.map { "\($0)" })
        facts.add("message", refusal.message)
        facts.add(
            "key path",
            refusal.keyPath.map { $0 + (refusal.keyPathSupplied == true ? " (where decoding stopped)" : "") })
        add(refusal, to: &facts)
        return facts.text
    }

    /// By what a refusal is the same though other devices have it.
    static func name(_ refusal: ConfigurationRefusal) -> String {
        [
            refusal.extension, refusal.appVersion, refusal.code.map { "\($0)" }, refusal.message, refusal.keyPath,
            refusal.configurationName, refusal.configurationVersion.map { "\($0)" },
        ].map { $0 ?? "" }.joined(separator: "\n")
    }

    /// What the server adds to the app's own words.
    static func add(_ refusal: ConfigurationRefusal, to facts: inout Facts, indent: String = "") {
        if let explanation = refusal.explanation { add(explanation, to: &facts, indent: indent) }
        facts.add(indent + "configuration", configuration(refusal))
        facts.add(indent + "given to", refusal.groups.isEmpty ? nil : refusal.groups.joined(separator: ", "))
        facts.add(indent + "devices", "\(refusal.devices)")
        let latest = refusal.latest.flatMap { $0 == refusal.since ? nil : ", on the last of them since \($0.shown)" }
        facts.add(indent + "since", refusal.since.shown + (latest ?? ""))
    }

    /// What the app publishes about a code.
    static func add(_ explanation: RefusalExplanation, to facts: inout Facts, indent: String = "") {
        facts.add(indent + "meaning", (explanation.name.map { "\($0): " } ?? "") + explanation.meaning)
        facts.add(indent + "remedy", explanation.remedy)
        facts.add(indent + "says", source(explanation))
    }

    private static func configuration(_ refusal: ConfigurationRefusal) -> String? {
        refusal.configurationName.map { $0 + (refusal.configurationVersion.map { ", version \($0)" } ?? "") }
    }

    private static func source(_ explanation: RefusalExplanation) -> String {
        guard let version = explanation.specification else { return "Martlet, of every app" }
        return "the app's specification of version \(version)"
            + (explanation.isNearest == true ? ", the nearest that was published" : "")
    }
}
