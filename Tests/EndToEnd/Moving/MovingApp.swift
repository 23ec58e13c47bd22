import Foundation
import ManagedApp

/// An app for tests on its way from its defaults dictionary to the framework: it reads both, and says which one counts.
@main
struct MovingApp {
    struct Configuration: Decodable, Sendable {
        let title: String
        /// Only in what the app made of its dictionary.
        let isLegacy: Bool?
    }

    static func main() async {
        let legacy = LegacyConfiguration {
            let dictionary = UserDefaults.standard.dictionary(forKey: "com.apple.configuration.managed")
            return dictionary?.merging(["isLegacy": true]) { first, _ in first }
        }
        let observer = NotificationCenter.default.addObserver(
            forName: UserDefaults.didChangeNotification, object: nil, queue: nil
        ) { _ in legacy.changed() }
        // What changed before the observer was there.
        legacy.changed()
        let provider = ManagedAppConfigurationProvider()
        for await config in await provider.configurations(Configuration.self, fallback: legacy.configurations) {
            print(config.map { "\($0.title) by the \($0.isLegacy == true ? "dictionary" : "framework")" } ?? "nothing")
            fflush(nil)
        }
        NotificationCenter.default.removeObserver(observer)
    }
}
