package import Foundation
package import InputBounds

/// The URLs of a server's resources: one place that writes and reads them.
package struct ACMEAddresses: Sendable {
    private let base: String

    /// `base` has no slash at its end.
    package init(base: String) {
        self.base = base
    }

    package var directory: ACMEDirectory {
        ACMEDirectory(
            newNonce: "\(base)/new-nonce", newAccount: "\(base)/new-account", newOrder: "\(base)/new-order",
            revokeCert: "\(base)/revoke-cert", keyChange: "\(base)/key-change")
    }

    package var directoryURL: String { "\(base)/directory" }
    package func account(_ id: String) -> String { "\(base)/account/\(id)" }
    package func orders(_ account: String) -> String { "\(base)/account/\(account)/orders" }
    /// The rest of a long list of orders: those after the one with this identifier.
    package func orders(_ account: String, after id: String) -> String { "\(orders(account))?after=\(id)" }
    package func order(_ id: String) -> String { "\(base)/order/\(id)" }
    package func finalize(_ id: String) -> String { "\(base)/order/\(id)/finalize" }
    package func authorization(_ id: String) -> String { "\(base)/authorization/\(id)" }
    package func challenge(_ id: String) -> String { "\(base)/challenge/\(id)" }
    package func certificate(_ id: String) -> String { "\(base)/certificate/\(id)" }

    /// The identifier in an account's URL.
    package func accountID(_ url: String) -> String? {
        let prefix = "\(base)/account/"
        guard url.hasPrefix(prefix) else { return nil }
        let id = url.dropFirst(prefix.count)
        guard (1...64).contains(id.utf8.count), !id.contains("/") else { return nil }
        return String(id)
    }
}

extension ACMEAccount {
    /// The account as its holder sees it.
    package func json(_ addresses: ACMEAddresses) -> JSONValue {
        .object([
            "status": .string(status.rawValue), "contact": .array(contacts.map(JSONValue.string)),
            "orders": .string(addresses.orders(id)),
        ])
    }
}

extension ACMEOrder {
    /// The order as its holder sees it.
    package func json(_ addresses: ACMEAddresses, now: Date) -> JSONValue {
        var members: [String: JSONValue] = [
            "status": .string(status(at: now).rawValue), "expires": .string(Self.text(expires)),
            "identifiers": .array([identifier.json]),
            "authorizations": .array([.string(addresses.authorization(id))]),
            "finalize": .string(addresses.finalize(id)),
        ]
        if certificate != nil { members["certificate"] = .string(addresses.certificate(id)) }
        if let problem { members["error"] = problem.json }
        return .object(members)
    }

    package func authorizationJSON(_ addresses: ACMEAddresses, now: Date) -> JSONValue {
        .object([
            "status": .string(authorizationStatus(at: now)),
            "expires": .string(Self.text(expires)),
            "identifier": identifier.json, "challenges": .array([challengeJSON(addresses)]),
        ])
    }

    package func challengeJSON(_ addresses: ACMEAddresses) -> JSONValue {
        var members: [String: JSONValue] = [
            "type": .string(ACMEChallenge.deviceAttest), "url": .string(addresses.challenge(id)),
            "status": .string(challengeStatus),
            "token": .string(token),
        ]
        if let answered, problem == nil { members["validated"] = .string(Self.text(answered)) }
        if let problem { members["error"] = problem.json }
        return .object(members)
    }

    /// RFC 8555 §7.1.6: also an authorization that is valid expires, whatever became of its order.
    private func authorizationStatus(at now: Date) -> String {
        if problem != nil { return "invalid" }
        // Kept as invalid without a problem: its holder gave it up.
        if status == .invalid { return "deactivated" }
        guard now < expires else { return "expired" }
        return answered == nil ? "pending" : "valid"
    }

    /// RFC 8555 §7.1.6: a challenge changes by its answer alone, and what came of that stays.
    private var challengeStatus: String {
        if problem != nil { return "invalid" }
        return answered == nil ? "pending" : "valid"
    }

    private static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
