package import NIOCore

/// The bounds of the listener and of each request, with where each number comes from.
///
/// Hummingbird's defaults are not bounds (no idle time-out, 80 KiB headers, unlimited connections), so every one is set.
package struct ServerLimits: Sendable {
    /// A request line carries a SCEP message in its query: RSA-4096 requests in Base64 stay under 16 KiB.
    package var requestLineBytes = 16 * 1024
    /// The request line, and beside it a signature header with a certificate chain.
    package var headerListBytes = 32 * 1024
    /// Devices send about ten header fields, browsers about twenty.
    package var headerCount = 64
    /// A device message: status reports of thousands of items stay under it.
    package var deviceMessageBytes = 2 * 1024 * 1024
    /// A configuration is at most 1 MiB; the margin lets one byte more reach the rule that explains the refusal.
    package var configurationBytes = 1024 * 1024 + 64 * 1024
    /// A file of 64 KiB is 88 KiB of Base64; a password of 4 KiB stays under 24 KiB however it is escaped.
    package var secretBytes = 256 * 1024
    /// Ten thousand rows of some two hundred bytes; the margin lets one byte more reach the rule that explains the
    /// refusal.
    package var tableBytes = 2 * 1024 * 1024 + 64 * 1024
    /// A package comes in pieces: well below what closes a connection, and few enough for gigabytes.
    package var packagePieceBytes = 4 * 1024 * 1024
    /// Everything else an administrator sends is a form of a few lines; commands may carry a profile.
    package var adminBodyBytes = 2 * 1024 * 1024
    /// A form of the console: a configuration of 1 MiB in which every third byte is escaped.
    package var consoleFormBytes = 2 * 1024 * 1024
    /// A SCEP request with a 4096-bit key is below 8 KiB.
    package var scepMessageBytes = 64 * 1024
    /// Five certificates of 16 KiB in Base64 with two keys.
    package var attestationBytes = 128 * 1024
    /// What a peer may still send after it was refused; then the connection is closed.
    package var bodyBytesBeforeClose = 8 * 1024 * 1024
    /// A device needs two round trips; satellite links take under two seconds for them.
    package var handshake: TimeAmount = .seconds(10)
    /// Accounts of one address in ten minutes.
    ///
    /// A site of some thousand devices may be behind one address, and a device makes an account for each identity.
    package var newACMEAccounts = 6_000
    /// Profiles that one address asks for as an expected device in ten minutes; a site that is set up is behind one.
    package var automatedEnrollments = 6_000
    /// Silence between requests or inside one; devices reconnect cheaply.
    package var idle: TimeAmount = .seconds(60)
    /// The head of a request from when it may begin, then its body: a trickle of bytes cannot hold a connection for ever.
    package var requestRead: TimeAmount = .seconds(120)
    /// How long a peer may leave an answer unread.
    package var stalledWrite: TimeAmount = .seconds(60)
    /// After a stop was asked for, answers under way get this long: with TLS's farewell it stays under a second.
    package var stopping: TimeAmount = .milliseconds(400)
    /// Waiting for the peer's farewell of TLS.
    package var farewell: TimeAmount = .milliseconds(300)
    /// Beyond this, connections wait in the backlog; 10,000 devices keep one open each.
    package var connections = 16_384
    /// Requests that may be under way at once; beyond it devices hear "503, later".
    package var requestsUnderWay = 2_048
    /// Changes of one thing that wait for one another: of some ten milliseconds each the last waits less than a second.
    package var waitingForOne = 64
    /// How long a change waits for those of the same thing before it; browsers and scripts give up after half a minute.
    package var turn: Duration = .seconds(15)
    /// Answers about revocation that strangers can have signed, a millisecond of work each; those that are kept have as
    /// many beside them.
    package var statusSignaturesPerSecond = 50
    /// Wake streams send a bare newline this often, so that both ends notice a dead path.
    package var heartbeat: Duration = .seconds(60)
    /// So often who listens to changes gets a comment, and their session is looked at again.
    package var eventHeartbeat: Duration = .seconds(15)
    /// Seconds for an answer of the organization's sign-in: somebody looks at an empty page meanwhile.
    package var providerAnswer = 10.0
    /// Seconds for an answer of who is told of changes; what was not taken is sent again.
    package var webhookAnswer = 15.0
    /// Whoever asks whether the server is ready is not kept longer.
    package var storeAnswer: Duration = .seconds(2)

    package init() {}
}
