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
    /// What a stranger sends to log in: a name and a password of at most some KiB, escaped.
    package var signInBytes = 16 * 1024
    /// An account with an invitation's password, or what a program redeems after signing in elsewhere: a few words.
    package var formBytes = 4 * 1024
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
    /// Requests by ACME that name no account, of one address in ten minutes: an account is asked for anew now and then.
    package var keySignedRequests = 12_000
    /// Profiles that one address asks for as an expected device in ten minutes; a site that is set up is behind one.
    package var automatedEnrollments = 6_000
    /// The same in the name of one device: it asks once, and again when an answer was lost.
    package var automatedEnrollmentsOfDevice = 30
    /// SCEP messages of one address that are refused in ten minutes; what is granted does not count.
    package var refusedSCEPMessages = 3_000
    /// Refusals by SCEP that strangers can have signed; beyond it they are refused without a signature.
    package var refusalSignaturesPerSecond = 20
    /// Lists of revoked certificates that one address fetches in ten minutes; each is good for a minute.
    package var revocationListFetches = 600
    /// Sign-ins at the organization's provider that one address begins in ten minutes; its people may share one.
    package var signInsBegun = 500
    /// The first bytes of an announced body: a client has them at hand, or asks for leave within a second.
    package var bodyBegin: TimeAmount = .seconds(10)
    /// Silence between requests or inside one; devices reconnect cheaply.
    package var idle: TimeAmount = .seconds(60)
    /// The head of a request from when it may begin, then its body: a trickle of bytes cannot hold a connection forever.
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
    /// Of these, those of strangers, so that devices always find room; and those of one network of strangers.
    package var strangerRequestsUnderWay = 512
    package var strangerRequestsUnderWayPerNetwork = 64
    /// TLS handshakes under way; after a restart a whole site connects again, and who is let go tries later.
    package var handshakes = 4_096
    package var handshakesPerNetwork = 680
    /// Handshakes that one network begins in ten seconds.
    package var handshakesBegun = 3_000
    /// Handshakes that it begins in a second, evenly, while its strangers have all their connections.
    package var handshakesBegunBeyond = 20
    package var handshakesBegunBeyondWindow: Duration = .seconds(1)
    /// Connections that wait until their network may begin another handshake; beyond this they are closed at once.
    package var handshakesAwaited = 2_048
    package var handshakesAwaitedPerNetwork = 1_536
    /// About how long such a connection waits before it is looked at again, and how often, before it is closed: clients
    /// wait about as long for a handshake.
    package var handshakePause: TimeAmount = .seconds(1)
    package var handshakePauses = 8
    /// Connections on which nobody proved to be a device or an administrator: with the handshakes, awaited and under way,
    /// they leave a quarter of all connections to those who did.
    package var strangers = 6_144
    package var strangersPerNetwork = 1_024
    /// Requests of one network's strangers in a second, all at once only after a pause; a device that enrolls makes about
    /// six.
    package var strangerRequests = 100
    package var strangerWindow: Duration = .seconds(1)
    /// About how long a request beyond that waits, and how often, before it is refused.
    package var strangerPause: TimeAmount = .seconds(1)
    package var strangerPauses = 20
    /// Expensive work of strangers that waits for its thread: some hundred milliseconds of it.
    package var strangerWork = 256
    package var strangerWorkPerNetwork = 64
    /// Bytes of bodies in memory at once, of everybody; a body is at most 4 MiB.
    package var bodyBytes = 256 * 1024 * 1024
    /// The same of strangers, beyond the first bytes of each body, and of one network of strangers.
    package var strangerBodyBytes = 64 * 1024 * 1024
    package var strangerBodyBytesPerNetwork = 8 * 1024 * 1024
    /// Bodies up to this size are bounded by the number of connections.
    package var freeBodyBytes = 16 * 1024
    /// Certificates, and the like that somebody has a right to, which wait for their thread.
    package var slowWork = 1_024
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
    /// Seconds for the answer of a webhook's receiver; an event that was not taken is sent again.
    package var webhookAnswer = 15.0
    /// The longest wait of a request for `/readyz`.
    package var storeAnswer: Duration = .seconds(2)

    package init() {}
}
