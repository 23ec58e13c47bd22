/// Why something was refused at the agent's sockets, or an app was not launched or installed.
package enum AppRefusal: String, CaseIterable, Codable, Sendable {
    /// A process that was not launched as an app, and runs no installed app's signed program; over HTTP, any. At the control
    /// socket, one of a user whose commands are not heard.
    case stranger
    /// A message that another process sent on an app's connection.
    case otherSender
    /// An app that became another program, or another user, after it had connected.
    case changed
    /// An app that the agent did not launch gave a wrong answer to the challenge.
    case challenge
    /// Files of a signed app that are not what its team signed.
    case tampered
    /// An app that is signed by another team than its declaration names, or by none.
    case otherTeam
    /// A restricted extension that was not granted full access asked for what is meant for it.
    case restricted
    /// An app asked for a secret of its extension's, or the reverse, or one extension for another's.
    case notItsOwn
    /// Secrets were asked for by an app that is not trusted enough.
    case withheld
    /// More connections than one peer, or all together, may have.
    case crowded
    /// More connections, or apps opened, in a short time than one user may open.
    case hasty
    /// What is neither a call nor a request, and descriptors that nothing takes.
    case malformed
    /// A package, or the manifest that names it, that is not what may be installed: not signed by a known team, changed,
    /// made to do harm, of another app, or older than what is there.
    case package
}

/// Counts what was refused since the agent began.
struct AppRefusals {
    private(set) var counts: [AppRefusal: Int] = [:]

    // So many lines at once, and so many a second for as long as it goes on: a flood must not fill the log.
    private var lines = Allowance(most: 40, perSecond: 4)

    /// Counts one that was written down where it happened.
    mutating func count(_ refusal: AppRefusal) { counts[refusal, default: 0] += 1 }

    /// Counts one; whether it is worth a line in the log.
    mutating func add(_ refusal: AppRefusal, at now: UInt64) -> Bool {
        count(refusal)
        return lines.take(at: now)
    }
}
