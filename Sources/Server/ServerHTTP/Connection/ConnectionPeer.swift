import CertificateAuthority
import Crypto
package import Foundation
import NIOCore
import NIOSSL
import Synchronization

/// The certificate a peer proved to hold while the TLS connection was made.
package struct PeerCertificate: Sendable {
    package let der: Data
    /// SHA-256 of the certificate: what an enrollment is pinned to.
    package let fingerprint: Data

    init(der: Data) {
        self.der = der
        fingerprint = Data(SHA256.hash(data: der))
    }
}

/// What is known about the other end of one connection, found out once and kept while the connection lives.
package final class ConnectionPeer: Sendable {
    /// The peer of the connection whose request is being answered.
    @TaskLocal package static var current: ConnectionPeer?

    private let certificateBox = Mutex<PeerCertificate?>(nil)
    private let verdictBox = Mutex<CertificateVerdict?>(nil)
    private let departure = Mutex(Departure())
    private let stalls = Atomic<Bool>(false)

    private struct Departure {
        var hasLeft = false
        var action: (@Sendable () -> Void)?
    }

    /// How the connection counts: as a stranger's, or as one of a device or an administrator.
    let standing: ConnectionStanding

    package convenience init() { self.init(ConnectionStanding(network: PeerNetwork(nil), budget: nil)) }

    init(_ standing: ConnectionStanding) { self.standing = standing }

    /// The certificate, or nil for a peer that showed none.
    package var certificate: PeerCertificate? { certificateBox.withLock { $0 } }

    /// The peer whose rate of requests counts: a device has its own, so it does not share that of strangers at its
    /// address.
    var counted: PeerNetwork {
        guard standing.isKnown, let certificate else { return standing.network }
        return .holder(ofCertificate: certificate.fingerprint)
    }

    /// Keeps the certificate; called on the connection's event loop before the first request is read.
    func remember(_ certificate: PeerCertificate) {
        certificateBox.withLock { $0 = certificate }
    }

    /// Runs `action` once the peer says that it will send nothing more, or is gone; at once if that was before.
    ///
    /// Of several, the last one counts: a connection answers one request at a time.
    func whenItLeaves(_ action: @escaping @Sendable () -> Void) {
        let hasLeft = departure.withLock { departure in
            departure.action = action
            return departure.hasLeft
        }
        if hasLeft { action() }
    }

    /// Returns after a while, or as soon as the peer leaves.
    func pause(_ time: TimeAmount, on eventLoop: any EventLoop) async {
        let (pause, end) = AsyncStream.makeStream(of: Void.self)
        whenItLeaves { end.finish() }
        eventLoop.scheduleTask(in: time) { end.finish() }
        for await _ in pause {}
    }

    /// The peer sends nothing more; called on the connection's event loop.
    func leave() {
        departure.withLock { departure in
            departure.hasLeft = true
            return departure.action
        }?()
    }

    /// Whether the connection was closed because an answer was left unread.
    var hasStalled: Bool { stalls.load(ordering: .relaxed) }

    /// The peer leaves an answer unread; called on the connection's event loop.
    func stall() { stalls.store(true, ordering: .relaxed) }

    /// The authority's word on the certificate: asked for once, because it parses and verifies.
    func verdict(_ judge: (Data) -> CertificateVerdict) -> CertificateVerdict? {
        guard let certificate else { return nil }
        return verdictBox.withLock { known in
            if let known { return known }
            let verdict = judge(certificate.der)
            known = verdict
            return verdict
        }
    }
}
