import Synchronization

/// How often somebody tried to sign in as an administrator and had the wrong password, since that was last written down.
package struct RefusedSignIns: Sendable, Equatable {
    /// The name of an administrator there is: other names may be passwords that were typed into the wrong field.
    package let administrator: String
    package var attempts: Int
    /// Where the last attempt came from, if that is known.
    package var address: String?

    package init(administrator: String, attempts: Int, address: String? = nil) {
        (self.administrator, self.attempts, self.address) = (administrator, attempts, address)
    }
}

/// Counts sign-ins that failed, by administrator, until they are written to the audit log.
///
/// Not at once: how long the answer takes would tell which names there are, and each guess would be an entry. There are no
/// more counts than administrators.
final class RefusedSignInTally: Sendable {
    private let counts = Mutex<[String: RefusedSignIns]>([:])

    func note(_ administrator: String, from address: String?) {
        counts.withLock { counts in
            var refused = counts[administrator] ?? RefusedSignIns(administrator: administrator, attempts: 0)
            refused.attempts += 1
            refused.address = address ?? refused.address
            counts[administrator] = refused
        }
    }

    /// What is to be written down, in the order of names; the caller writes it.
    func drain() -> [RefusedSignIns] {
        counts.withLock { counts in
            defer { counts = [:] }
            return counts.values.sorted { $0.administrator < $1.administrator }
        }
    }
}
