import AppPackages
import ArgumentParser
import Foundation

/// The command `martlet app sign`.
struct AppSign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Sign a package with the key and certificate of a developer's team.",
        discussion: """
            The certificate is for code signing and names the team: an organizational unit (OU) of ten capital letters \
            and digits. Certificates that vouch for it may follow it in the same file; they travel with the package.

              martlet app sign landmarks.tar.zst --certificate team.pem --key team.key
              martlet app sign landmarks.tar.zst --pkcs12 team.p12

            The password of a PKCS #12 file is asked for, or comes by --password-stdin, --password-fd, or the \
            environment's MARTLET_SIGNING_PASSWORD. It is never an argument: those stand in the list of processes.
            """)

    @Argument(help: "The package.", completion: .file())
    var package: String

    @OptionGroup var identity: SigningOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The signed package; it takes the place of the given one if left out.", valueName: "file"))
    var output: String?

    @Flag(help: "Replace a signature that is there already, and the file of --output.")
    var replace = false

    @OptionGroup(title: "Output") var form: Output

    func run() async throws {
        if let output, output != package { try WrittenFile.requireFree(output, replacing: replace) }
        let (certificates, key) = try identity.load()
        let summary = try await PackageWork.named("Signing") { progress in
            let path = output ?? package
            let file = try OutputFile(path: path)
            let signed = try PackageBuilder.sign(
                packageAt: package, certificates: certificates, key: key, now: Date(), replacing: replace, to: file
            ) { progress.reach($0) }
            try file.commit()
            return PackageSummary(path: path, signed)
        }
        try form.print(summary) { summary.sentence }
    }
}
