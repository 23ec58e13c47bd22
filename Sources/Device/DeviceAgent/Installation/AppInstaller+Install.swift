import AppPackages
import CLinux
import DeviceMessages
import Foundation
import Logging
import Synchronization

/// Fetches, judges and puts in place.
extension AppInstaller {
    /// Brings an app to the version that its manifest names; what goes wrong is kept with the app.
    func install(_ bundle: String, isCheck: Bool = false) async throws {
        let state = device.known
        guard let app = state.managed[bundle], let source = app.manifest else { return }
        defer {
            device.progress.withLock { $0[bundle] = nil }
            effects.changed()
        }
        do {
            if !isCheck { show(.downloading(percent: nil), of: bundle) }
            let connections = try Connections(state)
            defer { connections.close() }
            let manifest = try await manifest(source, bundle, over: connections)
            let installed = device.app(bundle) == nil ? nil : state.installed[bundle]
            switch InstallPlan.judge(
                version: manifest.bundleVersion, installed: installed, source: source,
                isAsked: state.installations[bundle]?.isAsked == true)
            {
            case .isHere: try settle(bundle, source, newer: nil)
            case .leaveAvailable: try settle(bundle, source, newer: manifest.bundleVersion)
            case .olderThanInstalled:
                throw InstallRefusal.install(
                    "the manifest names an older version than the installed one", mayHeal: false)
            case .install: try await install(manifest, as: bundle, source, over: connections)
            }
        } catch let refusal as InstallRefusal {
            try fail(bundle, source, refusal)
        } catch let refusal as AssetRefusal {
            try fail(bundle, source, InstallRefusal(refusal))
        } catch let silence as ServerSilence {
            try Task.checkCancellation()
            try fail(bundle, source, .download(silence.explanation))
        } catch let refusal as PackageRefusal {
            try fail(bundle, source, InstallRefusal(refusal))
        }
    }

    private func manifest(
        _ source: ManifestSource, _ bundle: String, over connections: Connections
    ) async throws -> AppManifest {
        let manifest = try await AppManifest.fetch(source.url, over: connections.connection(to: source.url))
        guard manifest.bundleIdentifier == bundle else {
            throw InstallRefusal(code: "Error.InvalidAppID", sentence: "the manifest is now that of another app")
        }
        return manifest
    }

    private func install(
        _ manifest: AppManifest, as bundle: String, _ source: ManifestSource, over connections: Connections
    ) async throws {
        let download = PackageDownload(
            directory: device.downloads, disk: disk, connection: try connections.connection(to: manifest.url)
        ) { percent in show(.downloading(percent: percent), of: bundle) }
        let file = try await download.run(manifest)
        show(.installing, of: bundle)
        let name = bundle + "+" + String(UInt64.random(in: .min ... .max), radix: 36)
        let place = device.managedApps + "/" + name
        do {
            let package = try await disk.run { try unpack(file, to: place) }
            try judge(package, manifest, bundle)
            let isImmutable = try await disk.run { makeImmutable(package, at: place) }
            try device.change { state in
                guard state.managed[bundle]?.manifest == source else {
                    throw InstallRefusal.install("the app was declared otherwise meanwhile")
                }
                state.install(
                    InstalledApp(
                        directory: name, version: package.information.version,
                        shortVersion: package.information.shortVersion, team: package.team, manifestURL: source.url,
                        serverToken: source.serverToken, isImmutable: isImmutable), as: bundle)
                state.installations[bundle]?.checked = now()
            }
            log.info(
                "an app was installed",
                metadata: ["app": "\(bundle)", "version": "\(package.information.version)"])
        } catch {
            // A package that is not to be had is of no use on the disk, nor is what it was unpacked to.
            try? await disk.run {
                if device.known.installed[bundle]?.directory != name { try remove(place) }
                if let refusal = error as? PackageRefusal, !InstallRefusal(refusal).mayHeal { try remove(file) }
            }
            throw error
        }
        try await disk.run { try remove(file) }
    }

    private func unpack(_ file: String, to place: String) throws -> VerifiedPackage {
        let trust = try TeamTrust(device.known.applied.teams)
        return try VerifiedPackage.unpack(try PackageFile(path: file), to: place, trust: trust, now: now())
    }

    /// Has the kernel refuse changes of what was verified, where the file system can; the app is of use without, too.
    private func makeImmutable(_ package: VerifiedPackage, at place: String) -> Bool {
        for path in package.files.map(\.path) + [.signature, .list] {
            let result = unsafe clinux_make_immutable(place + "/" + path.text)
            guard result != 0 else { continue }
            if result != -EOPNOTSUPP, result != -ENOTTY {
                log.notice("an app's files could not be made immutable", metadata: ["errno": "\(-result)"])
            }
            return false
        }
        return true
    }

    /// Holds a package against what was promised of it, what is installed and what this device is.
    private func judge(_ package: VerifiedPackage, _ manifest: AppManifest, _ bundle: String) throws {
        let information = package.information
        guard information.bundleIdentifier == bundle else {
            throw InstallRefusal(code: "Error.InvalidAppID", sentence: "the package is that of another app")
        }
        if let version = manifest.bundleVersion, version != information.version {
            throw InstallRefusal.install("the package has another version than its manifest says", mayHeal: false)
        }
        if let team = device.known.installed[bundle]?.team, team != package.team {
            throw InstallRefusal(
                code: InstallRefusal.signature, sentence: "the package is signed by another team than the installed app"
            )
        }
        for (needed, have, what) in [
            (information.minimumOSVersion, device.facts.systemVersion, "system"),
            (information.minimumAgentVersion, MartletAgent.version, "agent"),
        ] {
            if let needed, BundleVersion.isNewer(needed, than: have) {
                throw InstallRefusal(
                    code: "Error.NotSupported", sentence: "the app needs a newer \(what) than this device has")
            }
        }
    }

    /// Nothing is to be installed for the present declaration.
    private func settle(_ bundle: String, _ source: ManifestSource, newer: String?) throws {
        try device.change { $0.keep(bundle, for: source, newer: newer, now: now()) }
    }

    private func fail(_ bundle: String, _ source: ManifestSource, _ refusal: InstallRefusal) throws {
        log.warning(
            "an app could not be installed",
            metadata: ["app": "\(bundle)", "why": "\(refusal.code): \(refusal.sentence)"])
        if !refusal.mayHeal { effects.refused() }
        try device.change { state in
            guard state.managed[bundle] != nil else { return }
            let before = state.installations[bundle]?.failure
            let attempts = before?.serverToken == source.serverToken ? (before?.attempts ?? 0) + 1 : 1
            state.installations[bundle, default: Installation()].failure = Installation.Failure(
                code: refusal.code, sentence: refusal.sentence, at: now(), attempts: attempts,
                mayHeal: refusal.mayHeal, serverToken: source.serverToken)
            state.installations[bundle]?.isAsked = false
        }
    }
}

/// The two ways to what is downloaded: from the device's own server, by its certificates, and from anywhere else.
private struct Connections {
    private let home: HomeServer
    private let own: ServerConnection
    private let other: ServerConnection

    init(_ state: AgentState) throws {
        guard let enrollment = state.enrollment else { throw InstallRefusal.download("the device is not enrolled") }
        let profile = try EnrollmentProfile(parsing: enrollment.profile)
        let roots = enrollment.roots + profile.roots
        home = HomeServer(url: profile.mdm.serverURL, roots: roots)
        own = try ServerConnection(roots: roots, identity: nil)
        other = try ServerConnection(roots: [], identity: nil)
    }

    func connection(to url: String) throws -> ServerConnection { home.has(url) ? own : other }

    func close() {
        own.close()
        other.close()
    }
}
