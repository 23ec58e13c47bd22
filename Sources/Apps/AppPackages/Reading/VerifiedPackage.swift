package import Foundation

/// A package that was read to its end, every byte of it vouched for by a trusted team.
package struct VerifiedPackage: Sendable {
    package let description: PackageDescription
    package let signer: Signer
    /// The CMS signature and the list it is over, as they lie in the package.
    package let signature: [UInt8]

    package var information: AppInformation { description.information }
    package var entitlements: Entitlements { description.entitlements }
    package var files: [PackageEntry] { description.list.entries }
    package var team: String { signer.team }

    /// The app and its team in one, as `AppComposedIdentifier` has it.
    package var composedIdentifier: String { "\(information.bundleIdentifier) (\(team))" }

    /// What was described and signed, if who signed it may say so.
    init(description: PackageDescription, signer: Signer, signature: [UInt8]) throws(PackageRefusal) {
        try description.entitlements.check(of: description.information.bundleIdentifier, team: signer.team)
        self.description = description
        self.signer = signer
        self.signature = signature
    }

    /// Verifies a package and hands its files to `sink` as they come.
    ///
    /// The signature is judged before anything it is over is looked at.
    package static func read(
        _ source: any PackageSource, trust: TeamTrust, now: Date, into sink: inout some PackageSink
    ) throws(PackageRefusal) -> VerifiedPackage {
        let reader = try PackageReader(source)
        guard let signature = reader.signature else { throw PackageRefusal(.unsigned) }
        let signer = try PackageSignature.verify(signature, over: reader.list, trust: trust, now: now)
        let description = try reader.describe(through: &sink)
        return try VerifiedPackage(description: description, signer: signer, signature: signature)
    }

    /// Verifies a package without keeping its files.
    package static func verify(
        _ source: any PackageSource, trust: TeamTrust, now: Date
    ) throws(PackageRefusal) -> VerifiedPackage {
        var sink = NoSink()
        return try read(source, trust: trust, now: now, into: &sink)
    }
}
