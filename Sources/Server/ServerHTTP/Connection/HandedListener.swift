import Foundation
import Hummingbird
import HummingbirdCore
import InputBounds
import Logging
import NIOCore
import NIOExtras
import NIOHTTP1
import NIOPosix
import ServiceLifecycle

/// Serves on a socket that the service manager opened.
///
/// Otherwise it does as Hummingbird's `Application`, which only serves a socket that it opened itself. This one outlives
/// the process: who connects while the server is restarted waits.
struct HandedListener<Responder: HTTPResponder>: Service where Responder.Context == MartletContext {
    let descriptor: Int32
    let responder: Responder
    let certificate: ShownCertificate
    let limits: ServerLimits
    let strangers: StrangerBudget
    let ready: @Sendable (Int) -> Void
    let logger: Logger

    func run() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let quiescing = ServerQuiescingHelper(group: group)
        let connections = TLSListener(
            certificate: certificate, limits: limits, strangers: strangers, responder: answer)
        let listener = try await ServerBootstrap(group: group)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(AvailableConnectionsChannelHandler(maxConnections: limits.connections))
                    try pipeline.addHandler(quiescing.makeServerChannelHandler(channel: channel))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(descriptor) { connections.setup(channel: $0, logger: logger) }
        ready(listener.channel.localAddress?.port ?? 0)
        await withGracefulShutdownHandler {
            await serve(listener, connections)
        } onGracefulShutdown: {
            quiescing.initiateShutdown(promise: nil)
        }
    }

    private func serve(_ listener: NIOAsyncChannel<Connection, Never>, _ connections: TLSListener) async {
        await withDiscardingTaskGroup { group in
            do {
                try await listener.executeThenClose { inbound in
                    for try await connection in inbound {
                        group.addTask { await connections.handle(value: connection, logger: logger) }
                    }
                }
            } catch {
                logger.error("the listener ended", metadata: ["error": "\(type(of: error))"])
            }
        }
    }

    @concurrent @Sendable private func answer(
        _ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel
    ) async throws {
        let context = MartletContext(source: .init(channel: channel, logger: logger))
        // The outermost step answers every error but those of the protocol, which end the connection.
        var response = try await responder.respond(to: request, context: context)
        response.headers[.date] = HTTPDate.text(Date())
        do {
            try await writer.write(response: response.head, body: response.body)
        } catch is HTTPParserError {
            // The head may be out already: no other response can follow on this connection.
            throw ResponseCutOff()
        }
    }
}

/// A response that cannot be completed, because the request it needed cannot be read further.
private struct ResponseCutOff: Error {}
