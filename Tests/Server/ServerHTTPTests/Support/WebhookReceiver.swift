import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization
import Waiting

/// Somebody's server for webhooks, over plain HTTP on a free port of the loopback.
final class WebhookReceiver: Sendable {
    struct Event: Sendable {
        let path: String
        let headers: [String: String]
        let body: Data
    }

    /// What it answers to an event, counted from zero.
    typealias Answer = @Sendable (Int, Event) -> Response

    let port: Int
    private let book: Book

    /// What came, in its order.
    private final class Book: Sendable {
        let events = Mutex<[Event]>([])

        /// Answers how many came before.
        func add(_ event: Event) -> Int {
            events.withLock { events in
                events.append(event)
                return events.count - 1
            }
        }
    }

    private init(port: Int, _ book: Book) {
        self.port = port
        self.book = book
    }

    var url: String { "http://127.0.0.1:\(port)/" }
    var events: [Event] { book.events.withLock { $0 } }

    /// Waits until so many have come.
    func events(_ count: Int) async throws -> [Event] {
        try await eventually("\(count) events, of which \(events.count) came") { events.count >= count }
        return events
    }

    static func run(
        answer: @escaping Answer = { _, _ in Response(status: .noContent) },
        _ test: (WebhookReceiver) async throws -> Void
    ) async throws {
        let (ports, source) = AsyncStream<Int>.makeStream()
        let book = Book()
        let router = Router()
        @Sendable func take(_ request: Request, _ context: some RequestContext) async throws -> Response {
            var headers: [String: String] = [:]
            for field in request.headers { headers[field.name.canonicalName] = field.value }
            let body = try await request.body.collect(upTo: 65_536)
            let event = Event(path: request.uri.path, headers: headers, body: Data(body.readableBytesView))
            return answer(book.add(event), event)
        }
        router.post("/") { try await take($0, $1) }
        router.post("**") { try await take($0, $1) }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { source.yield($0.localAddress?.port ?? 0) })
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await application.runService(gracefulShutdownSignals: []) }
            var iterator = ports.makeAsyncIterator()
            let port = await iterator.next() ?? 0
            let receiver = WebhookReceiver(port: port, book)
            do { try await test(receiver) } catch {
                tasks.cancelAll()
                throw error
            }
            tasks.cancelAll()
        }
    }
}
