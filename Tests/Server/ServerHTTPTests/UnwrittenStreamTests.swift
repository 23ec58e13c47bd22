import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Management
import NIOCore
import NIOEmbedded
import Testing

@testable import ServerHTTP

/// An answer that goes on and is never begun, because its connection was gone before.
@Suite struct UnwrittenStreamTests {
    /// Nothing of it stays: neither who would be told, nor the stream that would beat until the server ends.
    @Test(.timeLimit(.minutes(10)), arguments: [true, false])
    func aStreamThatNobodyTakesIsForgotten(leavesBefore: Bool) async throws {
        try await TestServer.run { (server) async throws in
            let streams = WakeStreams(heartbeat: .seconds(3_600))
            let routes = EventRoutes(management: server.management, streams: streams, tally: ListenerTally()).routes
            let route = try #require(routes.first)
            guard case .session(let serve) = route.service else {
                Issue.record("who listens has a session")
                return
            }
            let peer = ConnectionPeer()
            let source = ApplicationRequestContextSource(
                channel: NIOAsyncTestingChannel(), logger: Logger(label: "test"))
            let context = ConnectionPeer.$current.withValue(peer) { MartletContext(source: source) }
            let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: AdminAPI.prefix + route.path)
            let call = AdminCall(
                request: Request(head: head, body: RequestBody(buffer: ByteBuffer())), context: context,
                session: SessionRecord(
                    administrator: "admin", expires: .distantFuture, mustChangePassword: false, rights: .all),
                token: "", limits: ServerLimits(), route: route)
            if leavesBefore { peer.leave() }
            _ = try await serve(call)
            if !leavesBefore {
                #expect(streams.count == 1 && server.management.changes.listenerCount == 1)
                peer.leave()
            }
            #expect(streams.count == 0 && server.management.changes.listenerCount == 0)
        }
    }
}
