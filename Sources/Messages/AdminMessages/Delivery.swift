/// As what an app is given the configuration of its assignment: a word that assignments have as text.
///
/// Extensions have no defaults dictionary: theirs are given by the framework, whatever is said of the app's.
package enum Delivery: String, Codable, Sendable, CaseIterable {
    /// As what the app reads with `ManagedAppConfigurationProvider`; so it is where nothing is said.
    case framework
    /// As `com.apple.configuration.managed` in the app's user defaults.
    case defaults
    /// Both, with the same content.
    case both

    /// For people who see what an app gets, or choose.
    package var words: String {
        switch self {
        case .framework: "by the framework"
        case .defaults: "as its defaults dictionary"
        case .both: "by the framework and as its defaults dictionary"
        }
    }

    /// What there is to know of a defaults dictionary; nothing where none is delivered.
    package var advice: String? {
        switch self {
        case .framework: nil
        case .defaults:
            "readable while the device is locked, no place for secrets; the app does not report whether it took it"
        case .both: "the dictionary is readable while the device is locked, no place for secrets"
        }
    }
}
