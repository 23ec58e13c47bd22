import Foundation

/// The dictionary in user defaults that configured this app before the framework did.
///
/// Administrators use both while they move their devices. The dictionary has the same keys, and the same struct decodes
/// it. `ManagedAppLegacy` fills the dictionary. The package names that module as a dependency; no file imports it.
///
/// Most apps pass a `LegacyConfiguration` as the fallback of their loop. Its tasks run on the thread pool, which the
/// runtime on Linux checks once a second. This app sleeps while nothing changes, so it reads the dictionary on its main
/// thread.
enum LandmarksLegacy {
    private static let key = "com.apple.configuration.managed"

    /// The configuration in the dictionary; nil without one, and where the decoder refuses it.
    static var config: LandmarksManagedConfig? {
        guard let dictionary = UserDefaults.standard.dictionary(forKey: key),
            let list = try? PropertyListSerialization.data(fromPropertyList: dictionary, format: .binary, options: 0)
        else { return nil }
        return try? PropertyListDecoder().decode(LandmarksManagedConfig.self, from: list)
    }

    /// Calls `changed` now, and again whenever the dictionary may have changed.
    @MainActor
    static func follow(_ changed: @escaping @MainActor () -> Void) {
        // The observer comes before the first read, so that the app misses no change between the two.
        _ = NotificationCenter.default.addObserver(
            forName: UserDefaults.didChangeNotification, object: nil, queue: .main
        ) { _ in
            MainActor.assumeIsolated { changed() }
        }
        changed()
    }
}
