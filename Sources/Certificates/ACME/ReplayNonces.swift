import Crypto
package import Foundation

/// Nonces that are given out freely and taken once (RFC 8555 §6.5).
///
/// A nonce carries its time and an authentication code, so that giving out costs no memory and a flood of requests for
/// them pushes nobody's out; only those that were used are remembered, until they would be too old anyway.
package struct ReplayNonces: Sendable {
    /// A client that thinks longer fetches a new one: that is one round trip.
    package static let lifetime: TimeInterval = 600
    /// Used nonces kept at most: about a hundred signed requests each second of their lifetime.
    package static let capacity = 65_536

    /// What became of a nonce.
    package enum Verdict: Sendable, Equatable {
        case taken
        /// Not ours, too old or used.
        case refused
        /// Too many were used to remember one more: nothing is taken until some have become too old.
        case full
    }

    private let key: SymmetricKey
    private let capacity: Int
    private var used: Set<Data> = []
    /// Those in `used`, in the order in which they were taken.
    private var order: [(taken: UInt64, nonce: Data)] = []
    private var first = 0

    /// The key is as long as the process lives: after a restart clients are told to take new nonces.
    package init(key: Data, capacity: Int = capacity) {
        self.key = SymmetricKey(data: key)
        self.capacity = capacity
    }

    /// A new nonce from eight random octets.
    package func make(now: Date, random: UInt64) -> String {
        let body = Self.octets(Self.seconds(now)) + Self.octets(random)
        return Base64URL.encode(body + Data(HMAC<SHA256>.authenticationCode(for: body, using: key)))
    }

    /// Takes a nonce: the first time, and only while it is young.
    package mutating func take(_ text: String, now: Date) -> Verdict {
        guard text.utf8.count == 64, let bytes = Base64URL.decode(text), bytes.count == 48 else { return .refused }
        let body = Data(bytes.prefix(16))
        guard HMAC<SHA256>.isValidAuthenticationCode(Data(bytes.suffix(32)), authenticating: body, using: key) else {
            return .refused
        }
        let made = body.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let present = Self.seconds(now)
        guard made + UInt64(Self.lifetime) >= present, !used.contains(body) else { return .refused }
        forget(before: present)
        guard used.count < capacity else { return .full }
        used.insert(body)
        order.append((present, body))
        return .taken
    }

    /// A nonce taken this long ago is refused by its age: it need not be remembered.
    private mutating func forget(before present: UInt64) {
        while first < order.count, order[first].taken + UInt64(Self.lifetime) < present {
            used.remove(order[first].nonce)
            first += 1
        }
        if first > 1_024, first * 2 > order.count {
            order.removeFirst(first)
            first = 0
        }
    }

    private static func seconds(_ date: Date) -> UInt64 { UInt64(max(0, date.timeIntervalSince1970)) }

    private static func octets(_ number: UInt64) -> Data {
        Data(stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) })
    }
}
