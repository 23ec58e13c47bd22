package import Foundation

/// What became of what a device is given. `GET /devices/{device}/history`
package struct DeviceHistoryEntry: Codable, Hashable, Sendable {
    /// `device.tell`, `device.fetch`, `device.hold`, `device.settle`, `device.refuse`, `device.accept`, `device.replace` or
    /// `device.enroll-refuse`.
    package var kind: String
    package var time: Date
    /// Of the declarations that it is about, where it is about all of them.
    package var token: String?
    /// By its bundle identifier.
    package var app: String?
    package var configuration: String?
    package var version: Int?

    package init(
        kind: String, time: Date, token: String? = nil, app: String? = nil, configuration: String? = nil,
        version: Int? = nil
    ) {
        self.kind = kind
        self.time = time
        self.token = token
        self.app = app
        self.configuration = configuration
        self.version = version
    }

    /// In words.
    package var text: String {
        let what = configuration.map { name in version.map { "version \($0) of \(name)" } ?? name }
        return switch kind {
        case "device.tell": "notified of a change"
        case "device.fetch": "fetched its declarations"
        case "device.hold": "holds \(what ?? "a configuration") of \(app ?? "an app")"
        case "device.settle": "holds everything that it gets"
        case "device.refuse": "\(app ?? "an app") refuses \(what ?? "its configuration")"
        case "device.accept": "\(app ?? "an app") refuses nothing any more"
        case "device.replace": "a new enrollment took the place of its own"
        case "device.enroll-refuse":
            "another machine with its identifier asked to enroll and was refused: a clone, or this device set up again"
        default: kind
        }
    }
}
