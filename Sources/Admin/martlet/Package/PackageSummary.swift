import AppPackages
import Foundation

/// A package in short, as the commands that make and judge packages print it.
struct PackageSummary: Encodable, Sendable {
    let package: String
    let bundleIdentifier: String
    let version: String
    let files: Int
    let unpackedSize: UInt64
    let signed: Bool
    let team: String?
    let composedIdentifier: String?
    let signer: SignerSummary?

    init(path: String, _ description: PackageDescription) {
        package = path
        bundleIdentifier = description.information.bundleIdentifier
        version = description.information.shortVersion
        files = description.list.entries.count
        unpackedSize = description.list.total
        signed = false
        team = nil
        composedIdentifier = nil
        signer = nil
    }

    init(path: String, _ verified: VerifiedPackage) {
        package = path
        bundleIdentifier = verified.information.bundleIdentifier
        version = verified.information.shortVersion
        files = verified.files.count
        unpackedSize = verified.description.list.total
        signed = true
        team = verified.team
        composedIdentifier = verified.composedIdentifier
        signer = SignerSummary(verified.signer)
    }

    var sentence: String {
        let what = "\(package): \(bundleIdentifier) \(version), \(files) files, \(Size.text(unpackedSize)) unpacked."
        guard let signer, let team else { return Printable.line(what) }
        let who = signer.name.map { "“\($0)” of team \(team)" } ?? "team \(team)"
        return Printable.line(what) + "\n" + Printable.line("Signed by \(who).")
    }
}

/// The signer of a package, as the tool prints it.
struct SignerSummary: Encodable, Sendable {
    let team: String
    let name: String?
    let notBefore: Date
    let notAfter: Date
    let sha256: String

    init(_ signer: Signer) {
        team = signer.team
        name = signer.commonName
        notBefore = signer.notBefore
        notAfter = signer.notAfter
        sha256 = HexText.of(signer.fingerprint)
    }
}
