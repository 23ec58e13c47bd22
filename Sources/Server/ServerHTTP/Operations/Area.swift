/// Whom a route is for: requests are counted by area, so that what is counted stays small.
package enum Area: String, CaseIterable, Sendable {
    case administrators
    case devices
    case enrollment
    case identities
    case packages
    /// Streams that stay open until there is something to do.
    case wake
    /// What is asked about the server itself, and what no route is for.
    case other

    private static let byPrefix: [(String, Area)] = [
        ("/api/", .administrators), ("/console", .administrators), ("/sign-in/", .administrators),
        ("/mdm/wake", .wake), ("/mdm/", .devices),
        ("/packages/", .packages),
        ("/acme/devices/", .enrollment), ("/acme/", .identities), ("/scep/identities", .identities),
        ("/scep", .enrollment), ("/pki/", .identities), ("/enroll/", .enrollment), ("/.well-known/", .enrollment),
    ]

    /// The area of a route's pattern.
    init(route: String?) {
        self = Self.byPrefix.first { route?.hasPrefix($0.0) == true }?.1 ?? .other
    }

    var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
