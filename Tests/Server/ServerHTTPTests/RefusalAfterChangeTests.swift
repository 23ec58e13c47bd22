import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Management
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import ServerHTTP

/// A request that changed something and was refused all the same, sent again under its key.
@Suite struct RefusalAfterChangeTests {
    /// What it changed stays changed, once, and it hears again what it heard.
    @Test func aRefusalAfterAChangeIsAnsweredAlikeAndDoneOnce() async throws {
        try await TestServer.run { (server) async throws in
            let api = try Self.api(of: server)
            let call = try Self.call(api)
            let rounds = Mutex(0)
            var answers: [Response] = []
            for _ in 0..<3 {
                let answer = try await api.once(call, nil) { _ in
                    let round = rounds.withLock { rounds in
                        rounds += 1
                        return rounds
                    }
                    _ = try await server.management.createGroup(named: "g\(round)", author: "admin")
                    throw HTTPProblem(.conflict, "conflict", "Half of it was done")
                }
                answers.append(answer)
            }
            #expect(rounds.withLock { $0 } == 1)
            #expect(answers.map(\.status) == [.conflict, .conflict, .conflict])
            #expect(answers.map { $0.headers[IdempotencyKey.replayed] } == [nil, "true", "true"])
            for answer in answers {
                let body = CollectedBody()
                try await answer.body.write(body)
                #expect(String(buffer: body.buffer).contains("Half of it was done"))
            }
        }
    }

    /// What broke after a change is not kept as an answer, and not done again either.
    @Test func aFaultAfterAChangeIsNotDoneAgain() async throws {
        struct Fault: Error {}
        try await TestServer.run { (server) async throws in
            let api = try Self.api(of: server)
            let call = try Self.call(api)
            await #expect(throws: Fault.self) {
                _ = try await api.once(call, nil) { _ in
                    _ = try await server.management.createGroup(named: "g", author: "admin")
                    throw Fault()
                }
            }
            let problem = await #expect(throws: HTTPProblem.self) {
                _ = try await api.once(call, nil) { _ in Response(status: .created) }
            }
            #expect(problem?.code == "answer-lost")
        }
    }

    // MARK: help

    private static func api(of server: TestServer) throws -> AdminAPI {
        let streams = WakeStreams(heartbeat: .seconds(60))
        return AdminAPI(
            management: server.management, limits: ServerLimits(), traffic: Traffic(),
            enrollment: EnrollmentLinks(baseURL: server.baseURL, authorityFingerprint: ""),
            health: HealthRoutes(
                management: server.management, readiness: Readiness { throw CancellationError() }, streams: streams,
                certificates: { [] }),
            events: EventRoutes(management: server.management, streams: streams, tally: ListenerTally()))
    }

    private static func call(_ api: AdminAPI) throws -> AdminCall {
        let route = try #require(api.routes.first { $0.operation == "createGroup" })
        let head = HTTPRequest(
            method: .post, scheme: nil, authority: nil, path: AdminAPI.prefix + route.path,
            headerFields: [IdempotencyKey.field: "k"])
        let source = ApplicationRequestContextSource(channel: NIOAsyncTestingChannel(), logger: Logger(label: "test"))
        return AdminCall(
            request: Request(head: head, body: RequestBody(buffer: ByteBuffer(string: "{}"))),
            context: MartletContext(source: source),
            session: SessionRecord(
                administrator: "admin", expires: .distantFuture, mustChangePassword: false, rights: .all),
            token: "", limits: ServerLimits(), route: route)
    }
}
