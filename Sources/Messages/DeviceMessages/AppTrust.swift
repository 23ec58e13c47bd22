/// How sure a device is that what asks in an app's name is that app; more is greater.
package enum AppTrust: String, CaseIterable, Codable, Comparable, Sendable {
    /// The agent launched it as a user that other programs share, as in development.
    case shared
    /// The agent did not launch it, but knows its program by the developer's signature.
    case verified
    /// The agent launched it as a user of its own.
    case launched

    package static func < (left: AppTrust, right: AppTrust) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .shared: 0
        case .verified: 1
        case .launched: 2
        }
    }
}
