package import Hummingbird
package import NIOCore

/// What belongs to one request beside the request: its connection's peer, and Hummingbird's own storage.
package struct MartletContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let channel: any Channel
    /// The client at the other end of the connection.
    package let peer: ConnectionPeer
    /// What a browser shows that an administrator signed in with before; the console alone hears it.
    package var knownBrowser: String?
    /// The console ends the session that a browser came with, if it has not ended: that there is none refuses nobody.
    var endsFormerSession = false

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        // A connection that did not come through the TLS listener has proved nothing.
        peer = ConnectionPeer.current ?? ConnectionPeer()
    }
}
