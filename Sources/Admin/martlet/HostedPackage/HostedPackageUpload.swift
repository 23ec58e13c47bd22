import AdminMessages
import AppPackages
import ArgumentParser
import Crypto
import Foundation
import NIOCore

/// The command `martlet app package upload`.
struct HostedPackageUpload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload", abstract: "Have the server host a package, and devices with Linux get it.",
        discussion: """
            The package goes up in pieces; an upload that was cut off goes on where it stopped when the command is given \
            again. The server takes it only if it is signed by a team that the fleet trusts, and if bundle identifier and \
            team are the app's. An app without a team gets that of its first package. A specification in the package \
            counts for its version from then on, unless an administrator has set one.
            """)

    /// What a request carries: it must be through within two minutes.
    private static let pieceBytes = 1_048_576
    /// A piece that was lost is sent again.
    private static let mostAttempts = 3
    /// Gigabytes are unpacked before they are taken.
    private static let verifying = TimeAmount.minutes(10)

    @Argument(help: "The package.", completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The app; the package's own bundle identifier if left out.", valueName: "app"))
    var app: String?

    @Flag(help: "Only host it: devices keep what they get now.")
    var stage = false

    @OptionGroup(title: "Output") var form: Output

    func run() async throws {
        let (app, digest, size) = try await look()
        let package: Package = try await Server.inSession { server in
            try await send(app, digest, size, to: server)
            return try await server.send(
                .put, ["apps", app, "packages", digest], body: .init(json: PackageRequest(offer: !stage)),
                patience: Self.verifying
            ).decoded()
        }
        if let specification = package.specification {
            for warning in specification.warnings { Terminal.complain("warning: \(Printable.line(warning))") }
            if let note = specification.note {
                Terminal.complain("warning: The specification in the package is not taken up: \(Printable.line(note))")
            }
        }
        try form.print(package) {
            "The server hosts \(Printable.line(package.title)) \(Printable.line(package.shortVersion)) of the team "
                + "\(package.team) as\n\(package.sha256)."
                + (stage ? " No device gets it yet." : " Devices with Linux get it.")
                + (package.specification?.taken == true
                    ? " The server checks configurations against the specification in it." : "")
        }
    }

    /// Reads the package once: whose it is, its digest, its size.
    private func look() async throws -> (app: String, digest: String, size: Int) {
        try await PackageWork.named("Reading") { progress in
            let named = try app ?? Self.bundleIdentifier(of: file)
            var hash = SHA256()
            var size = 0
            let source = try PackageFile(path: file) { progress.reach($0) }
            var buffer = [UInt8](repeating: 0, count: 1_048_576)
            while true {
                let count = try source.read(into: &buffer, at: 0)
                guard count > 0 else { break }
                hash.update(data: buffer[..<count])
                size += count
            }
            let digits = hash.finalize().map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            return (named, digits.joined(), size)
        }
    }

    private static func bundleIdentifier(of file: String) throws -> String {
        var sink = NoSink()
        return try PackageReader(try PackageFile(path: file)).describe(through: &sink).information.bundleIdentifier
    }

    /// Sends what the server does not have.
    private func send(_ app: String, _ digest: String, _ size: Int, to server: Server) async throws {
        let place = ["apps", app, "packages", digest, "upload"]
        var present: PackageUpload = try await server.send(.get, place).decoded()
        guard !present.hosted else { return }
        let handle = try ReadFile.opened(file)
        var attempts = 0
        while present.received < size {
            try handle.seek(toOffset: UInt64(present.received))
            guard let piece = try handle.read(upToCount: Self.pieceBytes), !piece.isEmpty else {
                throw Failure(.failed, "the package changed while it was sent")
            }
            let range = "bytes \(present.received)-\(present.received + piece.count - 1)/\(size)"
            let next = try await server.sendPiece(piece, to: place, range: range, patience: Self.verifying)
            if next.hosted { return }
            attempts = next.received > present.received ? 0 : attempts + 1
            guard attempts < Self.mostAttempts else {
                throw Failure(.failed, "the server did not take what was sent")
            }
            present = next
            if Terminal.showsProgress {
                let sizes = (Size.text(UInt64(present.received)), Size.text(UInt64(size)))
                Terminal.note("\rUploaded \(sizes.0) of \(sizes.1)\u{1B}[K")
            }
        }
        if Terminal.showsProgress { Terminal.note("\r\u{1B}[K") }
    }
}
