package import DeviceMessages
package import InputBounds

/// A command about apps that no declaration manages, as it is read before it is queued.
///
/// Commands of other types are none of these: what they mean the device alone knows.
package enum AppCommand: Sendable, Equatable {
    case install(InstallApplication)
    case remove(RemoveApplication)
    case settings(AppSettings)
    case query(AppQuery)

    /// Reads a request, the inner dictionary of a command; nothing where its type is another one.
    ///
    /// Throws which rule of its type the request breaks.
    package static func read(_ request: PropertyListValue) throws(InputRefusal) -> AppCommand? {
        guard let type = request["RequestType"]?.string else { return nil }
        switch type {
        case InstallApplication.requestType: return .install(try InstallApplication(request))
        case RemoveApplication.requestType: return .remove(try RemoveApplication(request))
        case AppSettings.requestType: return .settings(try AppSettings(request))
        default:
            guard AppQuery.Kind(rawValue: type) != nil else { return nil }
            return .query(try AppQuery(request))
        }
    }

    /// The configurations that it brings, each with its app; one that it takes away is none.
    ///
    /// Which app it is an InstallApplication need not say: then it has none here.
    var configurations: [(app: String?, root: PropertyListValue)] {
        switch self {
        case .install(let install): install.configuration.map { [(install.identifier, $0)] } ?? []
        case .settings(let settings):
            settings.items.compactMap { item in
                guard case .configuration(let app, let root?) = item else { return nil }
                return (app, root)
            }
        case .remove, .query: []
        }
    }
}
