import AppPackages
import ArgumentParser

/// The command `martlet app build`.
struct AppBuild: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build", abstract: "Make a package of a directory; sign it afterwards.",
        discussion: """
            The directory holds the app's Info.plist, its executable and whatever else it needs. The same files give \
            the same package. There are no links in packages: ship a library under the name by which it is loaded.

              martlet app build Landmarks.app --output landmarks.tar.zst
            """)

    @Argument(help: "The app's directory.", completion: .directory)
    var directory: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The package; <bundle identifier>-<version>.tar.zst if left out.",
            valueName: "file"))
    var output: String?

    @Option(help: ArgumentHelp("What the app may do: a property list with a dictionary.", valueName: "file"))
    var entitlements: String?

    @Option(
        help: ArgumentHelp(
            "What the developer publishes about the app's configuration: martlet spec.", valueName: "file"))
    var specification: String?

    @OptionGroup var target: WrittenFile

    @OptionGroup(title: "Output") var form: Output

    func run() async throws {
        let (summary, empty) = try await PackageWork.named("Packing", of: directory) { progress in
            let tree = try SourceTree(directory: directory, entitlements: entitlements, specification: specification)
            if let specification {
                try SpecificationFile.check(specification, isOf: PackageWork.information(of: tree).bundleIdentifier)
            }
            let path = try output ?? PackageWork.defaultName(of: tree)
            try target.requireFree(path)
            let file = try OutputFile(path: path)
            let description = try PackageBuilder.build(tree, to: file) { progress.reach($0) }
            try file.commit()
            return (PackageSummary(path: path, description), tree.emptyDirectories)
        }
        if let first = empty.first {
            Terminal.complain(
                "martlet: a package holds no empty directories; \(empty.count) left out, such as "
                    + Printable.line(first))
        }
        try form.print(summary) { summary.sentence + "\nIt is not signed yet: martlet app sign" }
    }
}
