import AppPackages
import ArgumentParser
import Foundation

/// The command `martlet app verify`.
struct AppVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Read a package to its end and say who signed it.",
        discussion: """
            --trust names certificates of teams, or of authorities that issue those. An authority whose subject names a \
            team vouches for that team alone.

              martlet app verify landmarks.tar.zst --trust team-ca.pem

            Exit status: 0 the package holds and a trusted team signed it, 3 there is no such file, 4 it is refused, \
            with the rule; 1 it could not be read, 64 wrong usage.
            """)

    @Argument(help: "The package.", completion: .file())
    var package: String

    @Option(help: ArgumentHelp("Certificates that are trusted, as PEM or DER; may be repeated.", valueName: "file"))
    var trust: [String]

    @Option(help: ArgumentHelp("Demand that this team signed it.", valueName: "identifier"))
    var team: String?

    @Option(help: ArgumentHelp("Judge as of another moment, such as 2026-01-31; now if left out.", valueName: "moment"))
    var at: Moment?

    @OptionGroup(title: "Output") var form: Output

    func validate() throws {
        guard !trust.isEmpty else { throw ValidationError("give --trust: a signature of anybody says nothing") }
    }

    func run() async throws {
        let trusted = try CertificateFile.trust(trust)
        let summary = try await PackageWork.named("Verifying", of: package) { progress in
            let verified = try VerifiedPackage.verify(
                try PackageFile(path: package) { progress.reach($0) }, trust: trusted, now: at?.date ?? Date())
            return PackageSummary(path: package, verified)
        }
        if let team, summary.team != team {
            throw Failure(.refused, "the package is signed by another team than the one demanded")
        }
        try form.print(summary) { summary.sentence }
    }
}
