import ManagedApp
import ManagedAppNetworking

/// What the app shows.
@MainActor
final class LandmarksModel {
    /// What has become of the landmarks that are elsewhere.
    enum Downloaded {
        case landmarks([Landmark])
        case nothing(why: String)
    }

    private(set) var managedCollection: ManagedCollection?

    /// Nil where no server is configured, and until it has answered.
    private(set) var downloaded: Downloaded?

    /// Whether the app uses the legacy dictionary, because the framework has no configuration.
    private var isLegacyRead = false
    private var download: LandmarkDownload?
    private var downloading: Task<Void, Never>?
    private let draw: @MainActor (LandmarksModel) -> Void

    /// Makes a model that has nothing to show until it is loaded.
    init(draw: @escaping @MainActor (LandmarksModel) -> Void) {
        self.draw = draw
    }

    /// Follows the configuration, from the first to the last that comes.
    func load() async {
        for await config in await ManagedAppConfigurationProvider().configurations(LandmarksManagedConfig.self) {
            show(config)
        }
    }

    /// The same, and the demo's configuration while there is no other.
    func load(with demo: ManagedAppDemo) async {
        let provider = ManagedAppConfigurationProvider()
        for await config in await provider.configurations(
            LandmarksManagedConfig.self, fallback: demo.configurations)
        {
            show(config)
        }
    }

    /// Shows the legacy dictionary again if it has changed; the framework's configuration takes precedence.
    ///
    /// The notification comes for every change in the user defaults: most of them, such as feedback that was taken, are none
    /// of the configuration.
    func legacyChanged() {
        guard isLegacyRead, !isShown(LandmarksLegacy.config) else { return }
        show(nil)
    }

    private func isShown(_ config: LandmarksManagedConfig?) -> Bool {
        config?.managedCollection == managedCollection && isDownloaded(config)
    }

    /// Whether the present download, or none, is what a configuration asks for.
    private func isDownloaded(_ config: LandmarksManagedConfig?) -> Bool {
        guard let config, let url = config.assetURL else { return download == nil }
        return url == download?.url && config.assetTrust == download?.trust
    }

    private func show(_ given: LandmarksManagedConfig?) {
        isLegacyRead = given == nil
        let config = given ?? LandmarksLegacy.config
        managedCollection = config?.managedCollection
        download(from: config)
        draw(self)
    }

    /// Follows the app's identities: another one, or none, is a reason to ask the server again.
    func followIdentities() async {
        for await _ in await ManagedAppIdentitiesProvider().identifiers { downloadAgain() }
    }

    /// Follows its certificates: with another authority the server may be one to believe.
    func followCertificates() async {
        for await _ in await ManagedAppCertificatesProvider().identifiers { downloadAgain() }
    }

    private func download(from config: LandmarksManagedConfig?) {
        guard !isDownloaded(config) else { return }
        let trust = config?.assetTrust ?? .system
        download = (config?.assetURL).map { LandmarkDownload(from: $0, trust: trust) }
        downloaded = nil
        downloadAgain()
    }

    private func downloadAgain() {
        downloading?.cancel()
        guard let download else { return }
        downloading = Task {
            let result = await Self.result(of: download)
            // Something newer is under way.
            guard !Task.isCancelled else { return }
            downloaded = result
            draw(self)
        }
    }

    private static func result(of download: LandmarkDownload) async -> Downloaded {
        do {
            return .landmarks(try await download.landmarks())
        } catch ManagedAppError.invalidIdentifier {
            return .nothing(why: "the administrator has not provided what the server asks for")
        } catch is UntrustedServer {
            return .nothing(why: "this is not the server that the administrator named")
        } catch {
            return .nothing(why: "the server did not answer with landmarks")
        }
    }
}
