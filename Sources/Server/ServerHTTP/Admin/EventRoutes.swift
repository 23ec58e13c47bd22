import AdminMessages
import HTTPTypes
import Hummingbird
import Management
import NIOCore

/// What changes, as it happens: server-sent events of kinds and names.
struct EventRoutes: Sendable {
    /// How many kinds one may name.
    private static let mostKinds = 64

    let management: Management
    let streams: WakeStreams
    let tally: ListenerTally

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/events", operation: "listenToEvents",
                summary: """
                    What changes, as it happens, as server-sent events: of each its kind and the names of what it is about. \
                    After a lost connection `Last-Event-ID` goes on where it ended; an event `reset` says that some are \
                    missing.
                    """,
                query: [
                    QueryParameter(
                        name: "kind", schema: .string,
                        summary: "Only these kinds, joined by commas; `configuration` is every `configuration.…`."),
                    QueryParameter(name: "app", schema: .string, summary: "Only what is about this app."),
                    QueryParameter(name: "device", schema: .string, summary: "Only what is about this device."),
                    QueryParameter(
                        name: "after", schema: .string,
                        summary:
                            "The same as `Last-Event-ID`, for clients that cannot send it. The header counts first."),
                    QueryParameter(
                        name: "follow", schema: .boolean,
                        summary: "`false` answers the events after the given one and ends; true if left out."),
                ], answer: .events(.anyOf([.named("ChangeEvent"), .named("ChangeReset")])), service: .session(listen))
        ]
    }

    private func listen(_ call: AdminCall) async throws -> Response {
        let filter = ChangeFilter(
            kinds: try kinds(call.query("kind")), app: call.query("app"), device: call.query("device"))
        let asked = call.request.headers[.lastEventID] ?? call.query("after")
        let follows = try call.query("follow").map { _ in try call.flag("follow") } ?? true
        await management.changes.begun()
        // A client that asks for the changes after an event gets all that are on record.
        if asked != nil, !follows { await management.changes.caughtUp() }
        guard let listener = management.changes.listen(as: call.session.owner) else {
            tally.count(.tooMany)
            throw HTTPProblem(
                .serviceUnavailable, "too-many-listeners", "Too many listen already",
                detail: "End a listener, or ask again and again with follow=false.", headers: [.retryAfter: "30"])
        }
        let (management, streams, token, session) = (management, streams, call.token, call.session)
        let stream = streams.open()
        // Also if nothing is ever written: then nobody else would let it go.
        call.context.peer.whenItLeaves {
            listener.end()
            streams.close(stream)
        }
        let body = ResponseBody { [tally, peer = call.context.peer] writer in
            var teller = EventTeller(
                management: management, token: token, session: session, filter: filter, after: asked, tally: tally)
            defer {
                listener.end()
                streams.close(stream)
                if peer.hasStalled { tally.count(.stalled) } else if teller.hasEnded { tally.count(.access) }
            }
            async let _: Void = Self.pass(listener, to: stream)
            while let text = try await teller.next() { try await writer.write(ByteBuffer(string: text)) }
            if follows, !teller.hasEnded {
                for await _ in stream.signals {
                    if stream.take() == .heartbeat { try await teller.beat() }
                    while let text = try await teller.next() { try await writer.write(ByteBuffer(string: text)) }
                    if teller.hasEnded { break }
                }
            }
            try await writer.finish(nil)
        }
        return Response(
            status: .ok, headers: [.contentType: ChangeEvent.mediaType, .cacheControl: "no-store"], body: body)
    }

    private static func pass(_ listener: ChangeListener, to stream: WakeStream) async {
        for await _ in listener.signals { stream.wake() }
        stream.finish()
    }

    private func kinds(_ text: String?) throws(HTTPProblem) -> [String] {
        let kinds = (text ?? "").split(separator: ",").map(String.init)
        guard kinds.count <= Self.mostKinds, kinds.allSatisfy(ChangeFilter.isKind) else {
            throw HTTPProblem(
                .badRequest, "invalid", "There is no such kind of change.",
                detail: "Known are: \(Change.kinds.joined(separator: ", ")).")
        }
        return kinds
    }
}

/// Which changes somebody wants to hear of.
struct ChangeFilter: Sendable {
    let kinds: [String]
    let app: String?
    let device: String?

    /// Whether there is a kind of that name, or several that begin with it.
    static func isKind(_ text: String) -> Bool { Change.kinds.contains { $0 == text || $0.hasPrefix(text + ".") } }

    func takes(_ change: Change) -> Bool {
        guard kinds.isEmpty || kinds.contains(where: { change.kind == $0 || change.kind.hasPrefix($0 + ".") }) else {
            return false
        }
        return (app == nil || change.app == app) && (device == nil || change.device == device)
    }
}
