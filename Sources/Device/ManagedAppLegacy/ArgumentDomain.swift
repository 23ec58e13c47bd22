package import Foundation

/// The configuration as an argument of the app, where the standard user defaults cannot be given a class of ours.
///
/// Arguments go before everything that the app sets, and are never written to the disk.
package enum ArgumentDomain {
    /// Puts a configuration in the place of the last one; nil takes it away.
    package static func put(_ configuration: ParsedDictionary?) {
        put(configuration, into: UserDefaults.standard)
    }

    /// Puts it into some object's arguments.
    package static func put(_ configuration: ParsedDictionary?, into defaults: UserDefaults) {
        let name = UserDefaults.argumentDomain
        let key = DefaultsKeys.configuration
        if let configuration {
            // What is set is merged with the other arguments.
            defaults.setVolatileDomain([key: configuration.dictionary], forName: name)
            return
        }
        let others = defaults.volatileDomain(forName: name).filter { $0.key != key }
        if others.isEmpty {
            defaults.removeVolatileDomain(forName: name)
        } else {
            // An argument can only be taken away with all others, which somebody may be reading: an empty text is no dictionary.
            defaults.setVolatileDomain([key: ""], forName: name)
        }
    }
}
