package import Foundation

/// Hosted packages, as a store keeps what is known of them; their files lie in a directory.
package protocol PackageStore: Sendable {
    /// Adds a verified package, and where it says so makes it the one that devices with Linux get.
    ///
    /// An app without a team gets the signer's; a package of another team is refused. Again changes nothing but the source.
    func addPackage(
        _ package: HostedPackage, chunks: [Data], as source: AppSource?, author: String, now: Date
    ) async throws -> Outcome<Changed<HostedPackage>, AdminRefusal>
    func package(_ sha256: String) async throws -> HostedPackage?
    /// The digests of its pieces of `DigestingSource.pieceBytes`.
    func packageChunks(_ sha256: String) async throws -> [Data]?
    /// The newest first.
    func packages(of app: String) async throws -> Outcome<[HostedPackage], AdminRefusal>
    /// Every package of every app, by digest.
    func packageDigests() async throws -> [String]
    /// Removes those that no source has named since then, part by part, and answers with their digests.
    func prunePackages(unusedSince limit: Date, now: Date) async throws -> [String]
    /// Removes one that no source names.
    func removePackage(_ sha256: String, of app: String, author: String, now: Date) async throws -> AdminRefusal?
}
