import Crypto
package import Foundation

/// Nonces that are given out freely and taken once (RFC 8555 §6.5).
///
/// A nonce carries its time, its number and an authentication code, so giving one out costs no memory. Of those that were
/// taken one bit each is kept, by number, until their age alone refuses them. So no flood closes the entrance: where more
/// than `window` are given out within a lifetime, the oldest end early, and their clients take new ones.
package struct ReplayNonces: Sendable {
    /// A client that thinks longer fetches a new one: that is one round trip.
    package static let lifetime: Duration = .seconds(600)
    /// Nonces at most that are good at the same time, of one bit each: 8 MiB if all of them are taken.
    package static let window: UInt64 = 64 << 20

    /// The bits of a run of numbers.
    private struct Page: Sendable {
        static let bits: UInt64 = 65_536

        var taken = [UInt64](repeating: 0, count: Int(bits / 64))
        /// When the youngest nonce that was taken from it was made.
        var youngest: UInt64 = 0

        /// Sets a bit; false if it was set.
        mutating func take(_ number: UInt64) -> Bool {
            let (word, bit) = (Int(number % Self.bits / 64), UInt64(1) << (number % 64))
            guard taken[word] & bit == 0 else { return false }
            taken[word] |= bit
            return true
        }
    }

    private let key: SymmetricKey
    private let window: UInt64
    private var next: UInt64 = 0
    private var pages: [UInt64: Page] = [:]
    private var cleared: UInt64 = 0

    /// The key is as long as the process lives: after a restart clients are told to take new nonces.
    package init(key: Data, window: UInt64 = window) {
        self.key = SymmetricKey(data: key)
        self.window = window
    }

    /// A new nonce; `age` is the time since any fixed moment, by a clock that is never set.
    package mutating func make(at age: Duration) -> String {
        let body = Self.octets(Self.seconds(age)) + Self.octets(next)
        next += 1
        return Base64URL.encode(body + Data(HMAC<SHA256>.authenticationCode(for: body, using: key)))
    }

    /// Takes a nonce; false if it is not ours, too old or was taken before.
    package mutating func take(_ text: String, at age: Duration) -> Bool {
        guard text.utf8.count == 64, let bytes = Base64URL.decode(text), bytes.count == 48 else { return false }
        let body = Data(bytes.prefix(16))
        guard HMAC<SHA256>.isValidAuthenticationCode(Data(bytes.suffix(32)), authenticating: body, using: key) else {
            return false
        }
        let (made, number) = (Self.number(body.prefix(8)), Self.number(body.suffix(8)))
        let present = Self.seconds(age)
        guard number < next, next - number <= window, !Self.isOver(made, present) else { return false }
        forget(before: present)
        var page = pages.removeValue(forKey: number / Page.bits) ?? Page()
        defer { pages[number / Page.bits] = page }
        page.youngest = max(page.youngest, made)
        return page.take(number)
    }

    /// A page goes when every nonce that was taken from it is too old, or has left the window.
    private mutating func forget(before present: UInt64) {
        // Once a second is often enough; under a flood it must not be each time.
        guard present > cleared else { return }
        cleared = present
        let oldest = next > window ? (next - window) / Page.bits : 0
        pages = pages.filter { $0.key >= oldest && !Self.isOver($0.value.youngest, present) }
    }

    private static func isOver(_ made: UInt64, _ present: UInt64) -> Bool {
        made + UInt64(lifetime.components.seconds) < present
    }

    private static func seconds(_ age: Duration) -> UInt64 { UInt64(max(0, age.components.seconds)) }

    private static func number(_ octets: Data) -> UInt64 { octets.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }

    private static func octets(_ number: UInt64) -> Data {
        Data(stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) })
    }
}
