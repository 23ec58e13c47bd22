import AdminMessages
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Testing
import Waiting

/// Somebody who listens to what changes.
struct EventListener: Sendable {
    /// What came on the stream.
    enum Heard: Sendable, Equatable {
        case change(ChangeEvent)
        case reset
        case heartbeat
        /// Where the listener is: what it goes on with.
        case place(String)
    }

    private let heard: AsyncStream<Heard>

    /// The next event; heartbeats and places between say nothing.
    ///
    /// Nothing at the end of the stream.
    func next() async -> Heard? {
        var iterator = heard.makeAsyncIterator()
        while let one = await iterator.next() {
            switch one {
            case .heartbeat, .place: continue
            case .change, .reset: return one
            }
        }
        return nil
    }

    /// The next change of a kind.
    func change(_ kind: String) async -> ChangeEvent? {
        while case .change(let event) = await next() {
            if event.kind == kind { return event }
        }
        return nil
    }

    /// Whatever comes next.
    func anything() async -> Heard? {
        var iterator = heard.makeAsyncIterator()
        return await iterator.next()
    }

    func untilTheEnd() async {
        while await anything() != nil {}
    }

    /// Listens with a client of its own, for as long as the test takes.
    static func with(
        _ server: TestServer, _ url: String, headers: [String: String],
        _ test: (EventListener) async throws -> Void
    ) async throws {
        try await server.client().with { (client) async throws in
            var request = HTTPClientRequest(url: server.baseURL + url)
            for (name, value) in headers { request.headers.add(name: name, value: value) }
            let response = try await client.execute(request, timeout: .minutes(10))
            try #require(response.status == .ok)
            #expect(response.headers.first(name: "Content-Type") == "text/event-stream")
            #expect(response.headers.first(name: "Cache-Control") == "no-store")
            let (heard, source) = AsyncStream<Heard>.makeStream()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await read(response.body, into: source) }
                let listener = EventListener(heard: heard)
                // The first word: it listens from here on.
                guard case .place = await listener.anything() else {
                    Issue.record("a stream begins with where it is")
                    return
                }
                try await test(listener)
                group.cancelAll()
            }
        }
    }

    static func with(
        _ server: TestServer, as one: AdminClient, _ query: String = "", after id: String? = nil,
        _ test: (EventListener) async throws -> Void
    ) async throws {
        var headers = ["Authorization": "Bearer \(one.token)"]
        headers["Last-Event-ID"] = id
        try await with(server, "/api/v1/events" + query, headers: headers, test)
    }

    private static func read(_ body: HTTPClientResponse.Body, into heard: AsyncStream<Heard>.Continuation) async {
        var reader = EventStreamReader()
        var text = ""
        do {
            for try await part in body {
                text += String(buffer: part)
                while let end = text.range(of: "\n\n") {
                    let block = String(text[..<end.upperBound])
                    text.removeSubrange(..<end.upperBound)
                    guard let events = reader.read(Array(block.utf8)) else { throw NoEvents() }
                    if block.hasPrefix(":") { heard.yield(.heartbeat) }
                    if events.isEmpty, block.contains("id: "), let id = reader.lastID { heard.yield(.place(id)) }
                    for event in events {
                        guard event.name == ChangeEvent.name else {
                            heard.yield(.reset)
                            continue
                        }
                        let change = try AdminJSON.decode(ChangeEvent.self, from: Data(event.data.utf8))
                        #expect(change.id == reader.lastID)
                        heard.yield(.change(change))
                    }
                }
            }
        } catch {
            // However the stream ends, it ends.
        }
        heard.finish()
    }
}

extension AdminClient {
    /// What there is after an event, as the stream has it.
    func events(
        after id: String, _ query: String = ""
    ) async throws -> (changes: [ChangeEvent], isReset: Bool, id: String) {
        let answer = try await send("GET", "/events?follow=false&after=\(id)\(query)")
        try #require(answer.status == 200, "\(answer.text)")
        var reader = EventStreamReader()
        guard let events = reader.read(Array(answer.body)) else { throw NoEvents() }
        let changes = try events.filter { $0.name == ChangeEvent.name }
            .map { try AdminJSON.decode(ChangeEvent.self, from: Data($0.data.utf8)) }
        return (changes, events.contains { $0.name == ChangeEvent.reset }, try #require(reader.lastID))
    }

    /// The place after everything that is on the record by now.
    func place() async throws -> String { try await events(after: "none").id }

    /// The same, once a kind was told of.
    func events(after id: String, until kind: String, _ query: String = "") async throws -> [ChangeEvent] {
        try await eventually("\(kind) is told") { () async throws -> [ChangeEvent]? in
            let found = try await events(after: id, query).changes
            return found.contains { $0.kind == kind } ? found : nil
        }
    }

    /// Another one who is logged in and has changed the one-time password.
    func loggedIn(_ name: String, _ wish: AdministratorRequest) async throws -> AdminClient {
        let made = try await send("POST", "/administrators", wish)
        try #require(made.status == 201, "\(made.text)")
        let password = try AdminJSON.decode(AdministratorPassword.self, from: made.body).oneTimePassword
        let opened = try await send("POST", "/session", SessionRequest(name: name, password: password))
        let token = try AdminJSON.decode(SessionAnswer.self, from: opened.body).token
        let other = AdminClient(client: client, base: base, token: token)
        let changed = try await other.send(
            "PUT", "/session/password", PasswordChange(old: password, new: AdminClient.password))
        try #require(changed.status == 204, "\(changed.text)")
        return other
    }
}

/// What came is no stream of events.
struct NoEvents: Error {}
