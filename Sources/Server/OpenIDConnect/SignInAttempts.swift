import Crypto
package import Foundation
import Synchronization

/// One sign-in under way: what was given to the provider, and to which browser it belongs.
package struct SignInAttempt: Sendable {
    package let state: String
    package let nonce: String
    /// PKCE: known to nobody but this server until the code is exchanged.
    package let verifier: String
    /// The digest of what the browser was given.
    package let browser: Data
    package let began: Date
    /// What the sign-in is for.
    package let purpose: Purpose

    package enum Purpose: Sendable, Equatable {
        /// A session of the console.
        case browser
        /// A session of a program on the same machine, which listens there (RFC 8252) and holds the verifier.
        case program(port: Int, state: String, challenge: String)
    }

    package init(
        state: String, nonce: String, verifier: String, browser: Data, began: Date, purpose: Purpose
    ) {
        self.state = state
        self.nonce = nonce
        self.verifier = verifier
        self.browser = browser
        self.began = began
        self.purpose = purpose
    }

    package var challenge: String { Proof.challenge(of: verifier) }
}

/// The sign-ins under way: each is good once, for ten minutes, and there are only so many.
///
/// The bound is 80 times what one address may begin in that time, so that no few addresses end everybody's.
package final class SignInAttempts: Sendable {
    package static let validSeconds: TimeInterval = 600
    /// Of some 400 bytes each.
    package static let most = 40_000

    private struct Begun: Sendable {
        var attempts: [String: SignInAttempt] = [:]
        /// The states, the oldest first; those that were taken are passed over.
        var order: [(state: String, began: Date)] = []
        var first = 0
    }

    private let begun = Mutex(Begun())
    private let most: Int

    package init(most: Int = most) { self.most = most }

    /// Keeps one; where there are too many, those that are over go, and then the oldest.
    package func add(_ attempt: SignInAttempt) {
        begun.withLock { begun in
            let limit = attempt.began.addingTimeInterval(-Self.validSeconds)
            while begun.first < begun.order.count,
                begun.order.count - begun.first >= most || begun.order[begun.first].began <= limit
            {
                begun.attempts[begun.order[begun.first].state] = nil
                begun.first += 1
            }
            if begun.first > 1_024, begun.first * 2 > begun.order.count {
                begun.order.removeFirst(begun.first)
                begun.first = 0
            }
            begun.order.append((attempt.state, attempt.began))
            begun.attempts[attempt.state] = attempt
        }
    }

    /// Takes one out: whatever becomes of it, its state is used.
    package func take(state: String, browser: String, now: Date) throws(OpenIDRefusal) -> SignInAttempt {
        let attempt = begun.withLock { $0.attempts.removeValue(forKey: state) }
        guard let attempt, now < attempt.began.addingTimeInterval(Self.validSeconds),
            attempt.browser == Data(SHA256.hash(data: Data(browser.utf8)))
        else { throw .state }
        return attempt
    }
}

/// Texts that prove something by being known.
package enum Proof {
    /// Base 64 of URLs, without padding.
    package static func text(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// `S256` of RFC 7636.
    package static func challenge(of verifier: String) -> String { text(Data(SHA256.hash(data: Data(verifier.utf8)))) }

    package static func digest(_ text: String) -> Data { Data(SHA256.hash(data: Data(text.utf8))) }
}
