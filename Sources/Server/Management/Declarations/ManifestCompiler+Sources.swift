import DeviceMessages
import Foundation
import InputBounds

extension ManifestCompiler {
    /// The teams whose packages devices may install; only Martlet's agent asks, and it always gets them.
    func trust(_ teams: [Data], for audience: DeviceAudience) -> Draft? {
        guard audience.platform == .linux, audience.agentVersion != nil else { return nil }
        return draft(
            .configuration, AppTrustConfiguration.type, "martlet.app-trust",
            AppTrustConfiguration(teams: teams).payload.object ?? [:])
    }

    /// How a device gets an app: exactly one key says from where.
    ///
    /// Whether it must have it says the assignment, or else the
    /// source.
    func payload(of app: App, from source: AppSource?, install: AppSource.Install?) -> [String: JSONValue] {
        var behavior: [String: JSONValue] = ["Install": .string((install ?? source?.install ?? .required).word)]
        var payload: [String: JSONValue] = [:]
        switch source?.location {
        case .package(let sha256): payload["ManifestURL"] = .string(HostedPackage.manifestURL(sha256, at: baseURL))
        case .manifest(let url): payload["ManifestURL"] = .string(url)
        case .appStore(let id, let license):
            payload["AppStoreID"] = .string(id)
            behavior["License"] = .object(["Assignment": .string(license.word)])
        case .installed(let composed?): payload["AppComposedIdentifier"] = .string(composed)
        case .installed(nil), nil:
            payload["AppComposedIdentifier"] = .string(
                Self.composedIdentifier(app.bundleIdentifier, team: app.teamIdentifier))
        }
        payload["InstallBehavior"] = .object(behavior)
        if let updates = source?.updates {
            payload["UpdateBehavior"] = .object(["AutomaticAppUpdates": .string(updates.word)])
        }
        return payload
    }
}

extension ManifestCompiler.CompiledApp {
    /// An app that a device is not given.
    init(withheld app: App, _ reason: Withheld.Reason) {
        self.init(
            drafts: [], assets: [:], files: [:],
            withheld: [Withheld(app: app.bundleIdentifier, subject: .app, reason: reason)], names: [:])
    }
}

extension HostedPackage {
    /// Where the file of a package is.
    package static func url(_ sha256: String, at baseURL: String) -> String { "\(baseURL)/packages/\(sha256)" }

    /// Where a device learns what it is.
    package static func manifestURL(_ sha256: String, at baseURL: String) -> String {
        "\(url(sha256, at: baseURL))/manifest.plist"
    }

    /// The package whose manifest a URL is; nothing of a URL that is no manifest here.
    static func digest(inManifestURL url: String, at baseURL: String) -> String? {
        let (start, end) = ("\(baseURL)/packages/", "/manifest.plist")
        guard url.hasPrefix(start), url.hasSuffix(end), url.utf8.count > start.utf8.count + end.utf8.count else {
            return nil
        }
        let digest = String(url.dropFirst(start.count).dropLast(end.count))
        return isDigest(digest) ? digest : nil
    }
}
