import AppPackages
import ArgumentParser
import DeviceMessages
import Foundation

/// The command `martlet app manifest`.
struct AppManifestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manifest", abstract: "Write the manifest of a package that lies on another web server.",
        discussion: """
            The manifest tells devices where the package is, and the digests by which they check each piece as it comes. \
            Packages that Martlet's server hosts have one already.

              martlet app manifest landmarks.tar.zst --url https://example.org/landmarks.tar.zst -o manifest.plist
              martlet app source set com.example.landmarks --platform linux --manifest https://example.org/manifest.plist
            """)

    @Argument(help: "The signed package.", completion: .file())
    var package: String

    @Option(help: ArgumentHelp("Where devices get the package, by HTTPS.", valueName: "address"))
    var url: String

    @Option(name: .shortAndLong, help: ArgumentHelp("The manifest.", valueName: "file"))
    var output = "manifest.plist"

    @OptionGroup var target: WrittenFile

    @OptionGroup(title: "Output") var form: Output

    func validate() throws {
        guard url.lowercased().hasPrefix("https://"), URL(string: url)?.host?.isEmpty == false else {
            throw ValidationError("--url is an address that begins with https://")
        }
    }

    func run() async throws {
        try target.requireFree(output)
        let written = try await PackageWork.named("Reading", of: package) { progress in
            let manifest = try Self.manifest(of: PackageFile(path: package) { progress.reach($0) }, at: url)
            let file = try OutputFile(path: output)
            try file.write([UInt8](manifest.encoded()))
            try file.commit()
            return Written(
                manifest: output, bundleIdentifier: manifest.bundleIdentifier, version: manifest.bundleVersion ?? "",
                url: url)
        }
        try form.print(written) {
            Printable.line("\(output): \(written.bundleIdentifier) \(written.version), to be had at \(url).")
        }
    }

    private struct Written: Encodable, Sendable {
        let manifest: String
        let bundleIdentifier: String
        let version: String
        let url: String
    }

    /// The manifest of a package, checked against the package's own list; devices judge the signer.
    private static func manifest(of file: PackageFile, at url: String) throws(PackageRefusal) -> AppManifest {
        let source = DigestingSource(file)
        let reader = try PackageReader(source)
        // No device installs it.
        guard reader.signature != nil else { throw PackageRefusal(.unsigned) }
        var inventory = try PackageInventory(PackageList(parsing: reader.list))
        let information = try reader.describe(through: &inventory).information
        _ = try source.finish()
        return AppManifest(
            bundleIdentifier: information.bundleIdentifier, bundleVersion: information.version, title: information.name,
            url: url, check: .pieces(size: DigestingSource.pieceBytes, source.pieces), size: source.size)
    }
}
