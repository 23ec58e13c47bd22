import AppPackages
import ArgumentParser
import Foundation

/// The command `martlet app inspect`.
struct AppInspect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Show what is in a package: its signer, the largest files, and waste.",
        discussion: """
            It reads the whole package and checks it against its own list. It judges the signer only with --trust; \
            without, it shows the certificate as it is.
            """)

    @Argument(help: "The package.", completion: .file())
    var package: String

    @Option(help: ArgumentHelp("Certificates that are trusted, as PEM or DER; may be repeated.", valueName: "file"))
    var trust: [String] = []

    @Flag(help: "List all files, not only the twenty largest.")
    var all = false

    @OptionGroup(title: "Output") var form: Output

    func run() async throws {
        let trusted = trust.isEmpty ? nil : try CertificateFile.trust(trust)
        let report = try await PackageWork.named("Reading", of: package) { progress in
            try PackageReport(
                packageAt: package, source: try PackageFile(path: package) { progress.reach($0) }, trust: trusted,
                now: Date())
        }
        try form.print(report) { report.text(all: all) }
    }
}
