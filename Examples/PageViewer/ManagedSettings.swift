import Foundation

/// What management and the person have set, as it counts now: management goes before the person, and both before the
/// app's own defaults.
///
/// The server is an unknown third party: each value is looked at before it is used, and one that is wrong counts as absent.
struct ManagedSettings: Equatable {
    static let key = "com.apple.configuration.managed"

    /// Keys that management may set, and the person as well.
    enum Key {
        static let serverURL = "serverURL"
        static let disableCloudDocumentSync = "disableCloudDocumentSync"
        /// The person's own switch; management has none of this name.
        static let documentSync = "documentSync"
    }

    static var defaults: [String: Any] { [Key.serverURL: "http://localhost:1/", Key.documentSync: true] }

    let serverURL: URL?
    let isSyncOn: Bool
    /// Whether the person may turn the switch.
    let isSyncTheirs: Bool
    /// Keys whose values were wrong.
    let mistakes: [String]

    /// Reads what management sent, and what the person chose.
    init(managed: [String: Any], own: (url: String?, sync: Bool)) {
        var mistakes: [String] = []
        var url: URL?
        if let value = managed[Key.serverURL] {
            url = (value as? String).flatMap(Self.page)
            if url == nil { mistakes.append(Key.serverURL) }
        }
        serverURL = url ?? own.url.flatMap(Self.page)
        var disabled = false
        if let value = managed[Key.disableCloudDocumentSync] {
            if let flag = value as? Bool { disabled = flag } else { mistakes.append(Key.disableCloudDocumentSync) }
        }
        isSyncOn = own.sync && !disabled
        isSyncTheirs = !disabled
        self.mistakes = mistakes
    }

    /// Reads user defaults as they are now.
    static var now: ManagedSettings {
        let defaults = UserDefaults.standard
        return ManagedSettings(
            managed: defaults.dictionary(forKey: key) ?? [:],
            own: (defaults.string(forKey: Key.serverURL), defaults.bool(forKey: Key.documentSync)))
    }

    private static func page(_ text: String) -> URL? {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false else {
            return nil
        }
        return url
    }
}
