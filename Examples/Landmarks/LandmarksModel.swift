import ManagedApp

/// What the app shows.
@MainActor
final class LandmarksModel {
    private(set) var managedCollection: ManagedCollection?
    private let draw: @MainActor (LandmarksModel) -> Void

    /// Makes a model that has nothing to show until it is loaded.
    init(draw: @escaping @MainActor (LandmarksModel) -> Void) {
        self.draw = draw
    }

    /// Follows the configuration, from the first to the last that comes.
    func load() async {
        for await config in await ManagedAppConfigurationProvider().configurations(LandmarksManagedConfig.self) {
            managedCollection = config?.managedCollection
            draw(self)
        }
    }
}
