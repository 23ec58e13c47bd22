/// The form in which an app gets the configuration of its assignment; assignments hold it as text.
///
/// Extensions have no defaults dictionary: they always get their configurations from the framework.
package enum Delivery: String, Codable, Sendable, CaseIterable {
    /// The app reads it with `ManagedAppConfigurationProvider`; the default.
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
