import AdminMessages
import ArgumentParser
import Foundation

/// The command `martlet watch`.
struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show what changes, as it happens.",
        discussion: """
            Goes on until it is interrupted; a connection that was lost is made again, and what happened meanwhile is \
            shown then. With --json each line is one event for programs, whose id --after takes.

              martlet watch --kind device.refuse --kind device.settle --json
              martlet watch --app org.swift.landmarks
            """)

    @Option(
        name: .customLong("kind"), parsing: .singleValue,
        help: ArgumentHelp(
            "Only this kind, such as configuration.set or device.report, or every one of a sort: configuration; more than once if need be.",
            valueName: "kind"))
    var kinds: [String] = []

    @Option(help: ArgumentHelp("Only what is about this app.", valueName: "bundle identifier"))
    var app: String?

    @Option(help: ArgumentHelp("Only what is about this device: its ID, name or serial number.", valueName: "device"))
    var device: String?

    @Option(help: ArgumentHelp("Begin after this event.", valueName: "id"))
    var after: String?

    @Flag(help: "Show what there is after the given event, and end.")
    var once = false

    @Flag(name: .long, help: "Print one JSON object for each event.")
    var json = false

    func validate() throws {
        guard !once || after != nil else { throw ValidationError("--once goes with --after") }
    }

    func run() async throws {
        try await Server.inSession(silence: Self.silence) { server in
            let device = try await subject(server)
            var query = [("kind", kinds.joined(separator: ",")), ("app", app ?? ""), ("device", device ?? "")]
                .filter { !$0.1.isEmpty }
            if once { query.append(("follow", "false")) }
            var reader = EventStreamReader(after: after)
            var pause = ReconnectionPause()
            var (wasThere, isAway) = (false, false)
            while true {
                let start = ContinuousClock.now
                do {
                    try await server.stream(["events"], query: query, lastEventID: reader.lastID) { bytes in
                        if !wasThere || isAway { began(again: wasThere) }
                        (wasThere, isAway) = (true, false)
                        guard let events = reader.read(bytes) else {
                            throw Failure(.failed, "what the server sends is no stream of events")
                        }
                        for event in events { try show(event) }
                    }
                    if once { return }
                } catch let failure as Failure where failure.status == .unreachable && wasThere && !once {
                    if !isAway { Terminal.complain("\(failure.text)\nTrying again.") }
                    isAway = true
                }
                // The server sends an incomplete event again.
                reader = EventStreamReader(after: reader.lastID)
                if ContinuousClock.now - start > Self.lasting { pause = ReconnectionPause() }
                try await Task.sleep(for: pause.next(random: Double.random(in: 0..<1)))
            }
        }
    }

    /// The ID of the device; the argument itself where the server does not know it, because the device may enroll
    /// later.
    private func subject(_ server: Server) async throws -> String? {
        guard let device else { return nil }
        do {
            return try await server.device(named: device)
        } catch let failure as Failure where failure.status == .notFound {
            return try DeviceChoice.laterID(device)
        }
    }

    /// After a connection that lasted so long the next one is made soon.
    private static let lasting = Duration.seconds(10)
    /// The server says something every fifteen seconds; four times as long without a word is a dead connection.
    private static let silence = Duration.seconds(60)

    private func began(again: Bool) {
        if !json, !once { Terminal.complain(again ? "Connected again." : "Waiting for what changes.") }
    }

    private func show(_ event: EventStreamReader.Event) throws {
        switch event.name {
        case ChangeEvent.name:
            guard let change = try? AdminJSON.decode(ChangeEvent.self, from: Data(event.data.utf8)) else {
                throw Failure(
                    .failed, "the server's answer is not what this tool expects",
                    advice: "Are both of one version?")
            }
            Terminal.say(json ? String(decoding: try AdminJSON.encode(change), as: UTF8.self) : EventText.line(change))
        case ChangeEvent.reset:
            Terminal.say(json ? #"{"kind":"reset"}"# : "Some changes were missed: look at everything again.")
        default: break
        }
        try Terminal.requireWritten()
    }
}

/// How long to wait before a connection is made again: longer each time, and never at the same moment as everybody else.
package struct ReconnectionPause: Sendable, Equatable {
    package static let longest = 30.0

    private var bound = 0.5

    package init() {}

    /// A part of the bound, which doubles; `random` is from 0 to 1.
    package mutating func next(random: Double) -> Duration {
        defer { bound = min(bound * 2, Self.longest) }
        return .milliseconds(Int((bound / 2 + random * bound / 2) * 1_000))
    }
}
