import AppPackages
import Foundation
import InputBounds

/// Everything that `martlet app inspect` says about a package.
struct PackageReport: Encodable, Sendable {
    /// A file, the largest first.
    struct File: Encodable, Sendable {
        let path: String
        let size: UInt64
        let executable: Bool
        let sha256: String
    }

    struct Extension: Encodable, Sendable {
        let bundleIdentifier: String
        let kind: String
        let executable: String
        let restricted: Bool
    }

    let package: String
    let packageSize: UInt64
    let bundleIdentifier: String
    let name: String
    let version: String
    let shortVersion: String
    let executable: String
    let minimumOSVersion: String?
    let minimumAgentVersion: String?
    let desktopEntry: String?
    let extensions: [Extension]
    let entitlements: [String: ShownValue]
    let specificationSize: Int?
    let signer: SignerSummary?
    /// Whether the signer is trusted; false without `--trust`.
    let trusted: Bool
    let unpackedSize: UInt64
    let files: [File]
    let warnings: [PackageWarning]

    init(packageAt path: String, source: PackageFile, trust: TeamTrust?, now: Date) throws(PackageRefusal) {
        let reader = try PackageReader(source)
        var signer: Signer?
        if let signature = reader.signature {
            signer =
                if let trust {
                    try PackageSignature.verify(signature, over: reader.list, trust: trust, now: now)
                } else {
                    try PackageSignature.signer(of: signature)
                }
        } else if trust != nil {
            throw PackageRefusal(.unsigned)
        }
        var inventory = try PackageInventory(PackageList(parsing: reader.list))
        let found = try reader.describe(through: &inventory)
        let information = found.information

        package = path
        packageSize = source.position
        bundleIdentifier = information.bundleIdentifier
        name = information.name
        version = information.version
        shortVersion = information.shortVersion
        executable = information.executable.text
        minimumOSVersion = information.minimumOSVersion
        minimumAgentVersion = information.minimumAgentVersion
        desktopEntry = information.desktopEntry?.text
        extensions = information.extensions.map {
            Extension(
                bundleIdentifier: $0.identifier, kind: $0.kind, executable: $0.executable.text,
                restricted: $0.isRestricted)
        }
        entitlements = found.entitlements.values.mapValues(ShownValue.init)
        specificationSize = found.specification?.count
        self.signer = signer.map(SignerSummary.init)
        trusted = signer != nil && trust != nil
        unpackedSize = found.list.total
        files = found.list.entries
            .sorted { ($0.size, $1.path.text) > ($1.size, $0.path.text) }
            .map { File(path: $0.path.text, size: $0.size, executable: $0.isExecutable, sha256: $0.digestText) }
        warnings = inventory.warnings(about: found, packageSize: packageSize)
    }
}
