import DeviceMessages
import InputBounds

/// A secret that an app does not have, or not in its newest version, by what its device reports.
package struct LackedSecret: Sendable, Hashable {
    package let app: String
    /// The identifier under which the app asks for it; nothing where the device gives the app none of its secrets.
    package let identifier: String?

    package init(app: String, identifier: String?) {
        self.app = app
        self.identifier = identifier
    }

    /// What a device reports of its apps.
    static func all(in apps: [AppStatus]) -> Set<LackedSecret> {
        var lacked: Set<LackedSecret> = []
        for app in apps where !app.removed {
            for reason in app.reasons {
                switch reason.code {
                case AppStatus.secretsWithheld:
                    lacked.insert(LackedSecret(app: app.identifier, identifier: nil))
                case AppStatus.secretUnavailable, AppStatus.secretNotUpdated:
                    guard let identifier = reason.details?["Identifier"]?.string else { continue }
                    lacked.insert(LackedSecret(app: app.identifier, identifier: identifier))
                default: continue
                }
            }
        }
        return lacked
    }

    /// The same, of a list of apps as it came; nothing where it is none.
    static func all(in list: JSONValue?) -> Set<LackedSecret>? {
        guard case .array(let elements)? = list else { return nil }
        return all(in: elements.compactMap { try? AppStatus($0) })
    }
}

extension Set<LackedSecret> {
    /// Whether an app lacks what it finds under an identifier.
    package func includes(_ identifier: String, of app: String) -> Bool {
        contains(LackedSecret(app: app, identifier: nil)) || contains(LackedSecret(app: app, identifier: identifier))
    }
}
