package import Foundation

/// Where the renewal of a device's identity stands, and what is to be done about it.
package struct IdentityRenewal: Sendable, Equatable {
    /// The end of the certificate that is pinned now.
    package let notAfter: Date
    /// When to see to it next.
    package var due: Date
    /// When the device was first told to renew; nothing as long as it was not.
    package var ordered: Date?

    package init(notAfter: Date, due: Date, ordered: Date? = nil) {
        self.notAfter = notAfter
        self.due = due
        self.ordered = ordered
    }

    /// Due at two thirds of the certificate's life, or up to a twelfth of it before.
    ///
    /// A fleet that enrolled in one hour does not come back in one: how much before follows from the certificate's
    /// digest, so that it is the same after a restart and on every node.
    package static func due(issued: Date, notAfter: Date, fingerprint: Data) -> Date {
        let life = max(0, notAfter.timeIntervalSince(issued))
        let drawn = fingerprint.prefix(4).reduce(0.0) { $0 * 256 + Double($1) } / 4_294_967_296
        return issued + (life * (2.0 / 3 - drawn / 12)).rounded(.down)
    }

    /// The longest pause, in seconds, before a device that must renew is checked again.
    package static let longestPause: TimeInterval = 86_400

    /// For so many seconds after a device was given its renewal the certificate that it fetched by it waits for its first
    /// use: another renewal would make it worthless.
    package static let firstUse: TimeInterval = 60

    /// What is to be done.
    package enum Step: Sendable, Equatable {
        /// Nothing yet.
        case wait
        /// Send the command to renew, and check again at that time.
        case order(again: Date)
        /// Only wake the device: it has not fetched the command yet.
        case wake(again: Date)
        /// Its time is over: only a new enrollment helps.
        case lapse
    }

    /// What is to be done now; `isWaiting` where the command to renew has no answer yet, or what it brought no use.
    package func step(now: Date, grace: TimeInterval, isWaiting: Bool) -> Step {
        guard due <= now else { return .wait }
        guard now <= notAfter + grace else { return .lapse }
        // When a quarter of what is left has passed: often enough when time is short, not every minute when there is much.
        let again = now + min(max((abs(notAfter.timeIntervalSince(now)) / 4).rounded(.down), 2), Self.longestPause)
        return isWaiting ? .wake(again: again) : .order(again: again)
    }
}

/// The state of a device's identity, for administrators.
package enum IdentityStanding: Sendable, Equatable {
    /// Good; the device gets the command to renew at that time.
    case good(renewal: Date)
    /// The device got the command to renew, first at that time.
    case renewing(since: Date)
    /// It has ended, and is good until then for fetching its renewal.
    case expired(until: Date)
    /// It has ended and fetches nothing any more: the device must be enrolled anew.
    case lapsed

    package init(notAfter: Date, renewal: IdentityRenewal?, now: Date, grace: TimeInterval) {
        if now > notAfter {
            self = now <= notAfter + grace ? .expired(until: notAfter + grace) : .lapsed
        } else if let ordered = renewal?.ordered {
            self = .renewing(since: ordered)
        } else {
            self = .good(renewal: renewal?.due ?? notAfter)
        }
    }
}
