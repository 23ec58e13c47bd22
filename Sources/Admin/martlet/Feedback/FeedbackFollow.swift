import AdminMessages
import ArgumentParser
import Foundation

/// The command `martlet feedback follow`.
struct FeedbackFollow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "follow", abstract: "Show what an app hands over, as the server receives it.",
        discussion: """
            Goes on until it is interrupted, and asks the server once a second at most. With --json each line is one \
            hand-over for programs, whose number --after takes: a program that begins again misses nothing that the \
            server still keeps.

              martlet feedback follow com.example.viewer
              martlet feedback follow com.example.viewer --device $DEVICE --after 4711 --json
            """)

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Option(help: "Only what is handed over on this device: its ID, name or serial number.")
    var device: String?

    @Option(
        help: ArgumentHelp(
            "Begin after the hand-over of this number, 0 with the oldest; without it with what comes now.",
            valueName: "number"))
    var after: Int?

    @Flag(name: .long, help: "Print one JSON object for each hand-over.")
    var json = false

    func validate() throws {
        guard after ?? 0 >= 0 else { throw ValidationError("--after is at least 0") }
    }

    func run() async throws {
        try await Server.inSession { server in
            var server = server
            server.cache = AnswerCache()
            server.showsProgress = false
            var device: String?
            if let name = self.device { device = try await server.device(named: name) }
            let handOvers = HandOvers(app: app, device: device)
            // This request comes first in any case, so that an unknown app fails at once.
            let newest = try await handOvers.newest(server)
            if !json { Terminal.complain("Waiting for what is handed over.") }
            try await follow(handOvers, after: after ?? newest, server)
        }
    }

    private func follow(_ handOvers: HandOvers, after first: Int, _ server: Server) async throws {
        let clock = ContinuousClock()
        var last = first
        var isAway = false
        while true {
            let start = clock.now
            do {
                let found = try await handOvers.received(after: last, server)
                if found.isCut { Terminal.complain("Older hand-overs are left out: martlet feedback show --all") }
                for one in found.lives { try show(one) }
                let place = HandOvers.place(after: last, newest: found.newest)
                if let note = place.note { Terminal.complain(note) }
                last = found.lives.last?.number ?? place.number
                isAway = false
            } catch let failure as Failure where failure.status == .unreachable {
                if !isAway { Terminal.complain("\(failure.text)\nTrying again.") }
                isAway = true
            }
            // Following must not be a burden: looks are ten times as long apart as a look takes.
            try await clock.sleep(for: max(.seconds(1), (clock.now - start) * 10))
        }
    }

    private func show(_ one: AppFeedback) throws {
        Terminal.say(json ? String(decoding: try AdminJSON.encode(one), as: UTF8.self) : HandOverText.line(one))
        try Terminal.requireWritten()
    }
}
