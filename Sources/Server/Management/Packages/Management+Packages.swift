import AppPackages
import DeviceMessages
package import Foundation
import InputBounds

/// How far an upload is.
package struct PackageProgress: Sendable, Equatable {
    package let received: Int
    /// It is verified and kept.
    package let isHosted: Bool
}

extension Management {
    /// How much of an upload is there.
    package func packageProgress(
        _ sha256: String, of app: String
    ) async throws -> Outcome<PackageProgress, AdminRefusal> {
        guard let packages else { return .refused(.hostsNoPackages) }
        guard HostedPackage.isDigest(sha256) else { return .refused(.unknownPackage) }
        guard try await store.app(app) != nil else { return .refused(.unknownApp) }
        if let package = try await store.package(sha256) {
            guard package.app == app else { return .refused(.unknownPackage) }
            return .accepted(PackageProgress(received: package.size, isHosted: true))
        }
        return .accepted(PackageProgress(received: packages.received(sha256, of: app), isHosted: false))
    }

    /// Takes a piece of an upload, which begins where the one before ended; `write` hands over its bytes as they come.
    package func uploadPackage(
        _ sha256: String, of app: String, range: Range<Int>, total: Int,
        write: @Sendable (PackageUpload) async throws -> AdminRefusal?
    ) async throws -> Outcome<PackageProgress, AdminRefusal> {
        switch try await packageProgress(sha256, of: app) {
        case .accepted(let progress) where progress.isHosted: return .accepted(progress)
        case .accepted: break
        case .refused(let refusal): return .refused(refusal)
        }
        guard let packages else { return .refused(.hostsNoPackages) }
        guard total <= Int(PackageLimits.compressed) else {
            return .refused(.tooLarge(limit: Int(PackageLimits.compressed)))
        }
        guard !range.isEmpty, range.upperBound <= total else {
            return .refused(.invalid(rule: "A piece of a package lies within it."))
        }
        return try await packages.alone(with: PackageDirectory.uploadName(sha256, of: app)) {
            let received = packages.received(sha256, of: app)
            guard range.lowerBound == received else { return .refused(.uploadElsewhere(received: received)) }
            if let refusal = packages.refusal(forBytes: total - received, of: sha256, of: app) {
                return .refused(refusal)
            }
            let upload = try PackageUpload(
                packages.upload(sha256, of: app), at: range.lowerBound, count: range.count)
            if let refusal = try await write(upload) { return .refused(refusal) }
            return .accepted(PackageProgress(received: upload.received, isHosted: false))
        }
    }

    /// Verifies a whole upload and hosts it; where `isOffered`, devices with Linux get the app by it.
    ///
    /// The package must be this app's, and signed by a team that the fleet trusts; otherwise it is refused and the
    /// upload is dropped. A specification in it is kept for its version; faults in it are reported but do not refuse
    /// the package.
    package func acceptPackage(
        _ sha256: String, of app: String, isOffered: Bool, author: String
    ) async throws -> Outcome<AcceptedPackage, AdminRefusal> {
        guard let packages else { return .refused(.hostsNoPackages) }
        guard HostedPackage.isDigest(sha256) else { return .refused(.unknownPackage) }
        guard try await store.app(app) != nil else { return .refused(.unknownApp) }
        return try await packages.alone(with: PackageDirectory.uploadName(sha256, of: app), and: sha256) {
            let source = isOffered ? try await offer(sha256, of: app) : nil
            if let package = try await store.package(sha256) {
                return try await keep(package, [], as: source, author: author).map { AcceptedPackage(package: $0) }
            }
            guard packages.received(sha256, of: app) > 0 else { return .refused(.unknownPackage) }
            switch try await verify(sha256, of: app, in: packages, author: author) {
            case .refused(let refusal):
                packages.discardUpload(sha256, of: app)
                return .refused(refusal)
            case .accepted(let verified):
                // The file first: a record never lacks its file.
                try packages.accept(sha256, of: app)
                let outcome = try await keep(verified.package, verified.chunks, as: source, author: author)
                guard let kept = outcome.value, let bytes = verified.specification else {
                    return outcome.map { AcceptedPackage(package: $0) }
                }
                return .accepted(
                    AcceptedPackage(package: kept, specification: try await takeUp(bytes, from: kept, author: author)))
            }
        }
    }

    /// What is known of a package that devices ask for.
    package func hostedPackage(_ sha256: String) async throws -> HostedPackage? {
        HostedPackage.isDigest(sha256) ? try await store.package(sha256) : nil
    }

    package func packages(of app: String) async throws -> Outcome<[HostedPackage], AdminRefusal> {
        try await store.packages(of: app)
    }

    /// Stops hosting a package that no source names.
    package func removePackage(_ sha256: String, of app: String, author: String) async throws -> AdminRefusal? {
        guard let packages else { return try await store.removePackage(sha256, of: app, author: author, now: moment) }
        // Nobody has it accepted again between record and file: a record never lacks its file.
        let outcome: Outcome<Void, AdminRefusal> = try await packages.alone(with: sha256) {
            if let refusal = try await store.removePackage(sha256, of: app, author: author, now: moment) {
                return .refused(refusal)
            }
            packages.remove(sha256)
            return .accepted(())
        }
        return outcome.refusal
    }

    /// The manifest that tells devices what a package is and where.
    package func packageManifest(_ sha256: String) async throws -> Data? {
        guard let package = try await hostedPackage(sha256), let chunks = try await store.packageChunks(sha256) else {
            return nil
        }
        return AppManifest(
            bundleIdentifier: package.app, bundleVersion: package.version, title: package.title,
            url: HostedPackage.url(sha256, at: settings.baseURL),
            check: .pieces(size: DigestingSource.pieceBytes, chunks), size: package.size
        ).encoded()
    }

    /// Forgets packages that were not in use for long, and files that nothing names.
    func prunePackages(now: Date? = nil) async throws {
        guard let packages else { return }
        let moment = now ?? self.moment
        let limit = moment - settings.retention.unusedPackageSeconds
        let pruned = try await store.prunePackages(unusedSince: limit, now: moment)
        packages.sweepUploads(now: moment)
        let unnamed = packages.files(beside: Set(try await store.packageDigests()), now: moment)
        for sha256 in Set(pruned + unnamed) {
            // A package that is in use or was accepted meanwhile stays; the next round checks it again.
            let _: Outcome<Void, AdminRefusal> = try await packages.alone(with: sha256) {
                if try await store.package(sha256) == nil { packages.remove(sha256) }
                return .accepted(())
            }
        }
    }

    // MARK: Accepting

    /// The source by which devices with Linux get the package: as they got the one before.
    private func offer(_ sha256: String, of app: String) async throws -> AppSource {
        let present = try await store.appSources(of: app).value?.first {
            $0.platform == .linux && $0.origin == .package
        }
        return AppSource(
            platform: .linux, location: .package(sha256: sha256), install: present?.install ?? .required,
            updates: present?.updates, minimumOS: present?.minimumOS, minimumAgent: present?.minimumAgent)
    }

    private func keep(
        _ package: HostedPackage, _ chunks: [Data], as source: AppSource?, author: String
    ) async throws -> Outcome<HostedPackage, AdminRefusal> {
        let outcome = try await store.addPackage(package, chunks: chunks, as: source, author: author, now: moment)
        if outcome.refusal != nil, try await store.package(package.sha256) == nil { packages?.remove(package.sha256) }
        return outcome.map { changed in
            announce(changed.groups)
            return changed.value
        }
    }

    /// What a package was found to be.
    private struct Verified: Sendable {
        let package: HostedPackage
        let chunks: [Data]
        let specification: Data?
    }

    /// Keeps what the app published with a package for the package's version.
    private func takeUp(
        _ bytes: Data, from package: HostedPackage, author: String
    ) async throws -> PackagedSpecification {
        let version = package.shortVersion
        let outcome = try await putSpecification(
            bytes, of: package.app, version: version, from: package.sha256, author: author)
        switch outcome {
        case .refused(let refusal): return PackagedSpecification(version: version, isTaken: false, note: refusal.reason)
        case .accepted(let stored) where stored.record.package == nil:
            return PackagedSpecification(
                version: version, isTaken: false,
                note: "The one that an administrator set for this version stays; remove it to have the package's.")
        case .accepted(let stored):
            return PackagedSpecification(version: version, isTaken: true, warnings: stored.warnings)
        }
    }

    private func verify(
        _ sha256: String, of app: String, in packages: PackageDirectory, author: String
    ) async throws -> Outcome<Verified, AdminRefusal> {
        let trust = TrustedCertificates(try await store.teams().map(\.der))
        guard !trust.certificates.isEmpty else {
            return .refused(.invalid(rule: "The fleet trusts no team yet: add the certificate of the app's team."))
        }
        let (path, moment) = (packages.upload(sha256, of: app).path, moment)
        // Gigabytes may have to be unpacked: that is nothing for a thread that others wait for.
        let outcome: Outcome<(VerifiedPackage, Int, [Data]), AdminRefusal> = await withCheckedContinuation { waiting in
            Thread.detachNewThread {
                waiting.resume(returning: Self.read(path, sha256, trust, now: moment))
            }
        }
        guard let (verified, size, chunks) = outcome.value else {
            return .refused(outcome.refusal ?? .unknownPackage)
        }
        let information = verified.information
        guard information.bundleIdentifier == app else {
            return .refused(.invalid(rule: "The package is that of another app."))
        }
        let package = HostedPackage(
            sha256: sha256, app: app, size: size, title: information.name, version: information.version,
            shortVersion: information.shortVersion, team: verified.team,
            minimumOS: information.minimumOSVersion.flatMap { SystemVersion($0) },
            minimumAgent: information.minimumAgentVersion.flatMap { SystemVersion($0) }, author: author,
            uploaded: moment)
        return .accepted(
            Verified(package: package, chunks: chunks, specification: verified.description.specification))
    }

    private static func read(
        _ path: String, _ sha256: String, _ trust: TrustedCertificates, now: Date
    ) -> Outcome<(VerifiedPackage, Int, [Data]), AdminRefusal> {
        do throws(PackageRefusal) {
            let source = try DigestingSource(PackageFile(path: path))
            let verified = try VerifiedPackage.verify(source, trust: TeamTrust(trust.certificates), now: now)
            guard Hexadecimal.text(try source.finish()) == sha256 else {
                return .refused(.invalid(rule: "What was uploaded is not what the digest says."))
            }
            return .accepted((verified, source.size, source.pieces))
        } catch {
            return .refused(.invalid(rule: "The package is refused: \(error.rule.description)."))
        }
    }
}

/// What of the fleet's trust still can be read.
private struct TrustedCertificates: Sendable {
    let certificates: [Data]

    init(_ all: [Data]) {
        certificates = all.filter { (try? TrustedCertificate($0)) != nil }
    }
}
