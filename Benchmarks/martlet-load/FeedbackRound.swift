import AdminMessages
import ArgumentParser
import AsyncHTTPClient
import DeviceMessages
import Foundation
import InputBounds
import NIOHTTP1

/// A fleet whose feedback is read and cleared, and what an idle device costs once its feedback is kept.
struct FeedbackRound: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feedback", abstract: "Enrol devices, and read and clear the feedback of an app on each of them.",
        discussion: """
            Each device is sent ManagedApplicationFeedback with DeleteFeedback through the API, and answers it with a \
            small dictionary. It fails unless the server's sum grows by exactly what the devices have counted. Some of \
            the devices are sent nothing: their idle rounds, and those of as many of the others, are measured in turns.
            """)

    @OptionGroup var target: TargetOptions

    @Option(help: "How many requests are under way at once.")
    var connections = 8

    @Option(help: "How many of the devices are sent nothing.")
    var bystanders = 100

    @Option(help: "How often each of two groups of so many devices has its idle round.")
    var turns = 10

    @Option(help: "The server's process, to measure its CPU time.")
    var serverPid: Int

    @OptionGroup var output: Output

    private static let app = "dev.martlet.load.feedback"
    private static let failures = 3

    func validate() throws {
        guard (1...1_024).contains(connections) else { throw ValidationError("--connections is 1 to 1,024") }
        guard (1...1_000).contains(turns) else { throw ValidationError("--turns is 1 to 1,000") }
        guard bystanders > 0, bystanders <= target.devices / 2 else {
            throw ValidationError("--bystanders is 1 to half of --devices")
        }
        guard target.profiles == nil else { throw ValidationError("feedback is asked for with a session") }
    }

    func run() async throws {
        let admin = try AdminSession(path: target.session)
        let (played, trust) = try await target.play(connections: min(connections, 8), shown: !output.json)
        let courier = try Enrollment(trust: trust, keys: 1)
        let (counting, others) = (Array(played.dropLast(bystanders)), Array(played.suffix(bystanders)))
        var outcome = Outcome(devices: counting.count)
        try await trust.withClient { http in
            let app = App(bundleIdentifier: Self.app, name: "Load feedback")
            _ = try await admin.send(.PUT, "/apps/\(Self.app)", body: AdminJSON.encode(app), over: http)
            // What the server wants of them besides is not measured.
            try await idle(played, courier, http)
            let before = try await Self.counted(admin, over: http)
            let command = AppQuery(.feedback, identifiers: [Self.app], deletesFeedback: true).request.xml()
            outcome.queue = try await cost(of: counting.count) {
                try await forEach(counting, connections: connections) { device in
                    _ = try await admin.send(
                        .POST, "/devices/\(device.identifier.key)/commands", body: command,
                        mediaType: "application/xml", over: http)
                }
            }
            outcome.read = try await cost(of: counting.count) { try await idle(counting, courier, http) }
            let found = try await Self.counted(admin, over: http) - before
            guard found == Double(counting.count * Self.failures) else {
                throw LoadFailure("the server counts \(found) failures, and the devices had \(Self.failures) each")
            }
            let sample = Array(counting.prefix(bystanders))
            let rounds = try await Turns.take(turns) {
                try await cost(of: others.count) { try await idle(others, courier, http) }
            } second: {
                try await cost(of: sample.count) { try await idle(sample, courier, http) }
            }
            (outcome.idleWithout, outcome.idleWith) = (rounds.first.sum, rounds.second.sum)
        }
        try output.show(outcome)
    }

    // MARK: Devices

    /// Has each device ask what there is to do, and do it, until there is nothing.
    private func idle(_ devices: [PlayedDevice], _ courier: Enrollment, _ http: HTTPClient) async throws {
        try await forEach(devices, connections: connections) { device in
            var reply = try await courier.put(device.idle(), by: device, command: true, over: http)
            while !reply.isEmpty {
                let answer = Self.answer(to: try Command(parsing: reply), of: device)
                reply = try await courier.put(answer, by: device, command: true, over: http)
            }
        }
    }

    private static func answer(to command: Command, of device: PlayedDevice) -> Data {
        let feedback = AppQuery.Kind.feedback.rawValue
        guard command.requestType == feedback else { return device.acknowledgement(of: command) }
        let counts: PropertyListValue = .dictionary([
            "successCount": .integer(41), "failureCount": .integer(Int64(failures)),
            "lastError": .string("The Internet connection appears to be offline."),
        ])
        let element: PropertyListValue = .dictionary(["Identifier": .string(app), "Feedback": counts])
        return CommandReport(
            identifier: device.identifier, status: .acknowledged, commandUUID: command.uuid,
            contents: .dictionary([feedback: .array([element])])
        ).encoded()
    }

    private static func counted(_ admin: AdminSession, over http: HTTPClient) async throws -> Double {
        let answer = try await admin.send(.GET, "/apps/\(app)/feedback/summary", over: http)
        let summary = try AdminJSON.decode(FeedbackSummary.self, from: answer)
        return summary.totals.filter { $0.key == "failureCount" }.reduce(0) { $0 + $1.sum }
    }
}

// MARK: What it costs

extension FeedbackRound {
    private func cost(of count: Int, _ body: () async throws -> Void) async throws -> Cost {
        try await Cost.of(count, serverPid: serverPid, body)
    }

    private struct Outcome: LoadResult {
        let devices: Int
        var queue = Cost()
        var read = Cost()
        var idleWithout = Cost()
        var idleWith = Cost()

        init(devices: Int) { self.devices = devices }

        var ratio: Double { Self.each(idleWith) / max(Self.each(idleWithout), 0.000_001) }

        /// The server's CPU milliseconds for each device; its process is always watched here.
        private static func each(_ cost: Cost) -> Double { cost.serverMillisecondsEach ?? 0 }

        var text: String {
            func text(_ cost: Cost) -> String { RequestResult.text(Self.each(cost), 3) }
            return """
                asked           \(devices) devices in \(RequestResult.text(queue.seconds, 1)) s, \
                server CPU \(text(queue)) ms each
                read, cleared   in \(RequestResult.text(read.seconds, 1)) s, \
                server CPU \(text(read)) ms each
                idle round      server CPU \(text(idleWithout)) ms without feedback, \
                \(text(idleWith)) ms with, \(RequestResult.text(ratio, 2)) times
                """
        }

        private enum Key: String, CodingKey {
            case devices, queueSeconds, queueMillisecondsEach, readSeconds, readMillisecondsEach
            case idleRounds, idleMillisecondsWithout, idleMillisecondsWith, idleRatio
        }

        /// Times of one device are the server's CPU.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(devices, forKey: .devices)
            try container.encode(queue.seconds, forKey: .queueSeconds)
            try container.encode(Self.each(queue), forKey: .queueMillisecondsEach)
            try container.encode(read.seconds, forKey: .readSeconds)
            try container.encode(Self.each(read), forKey: .readMillisecondsEach)
            try container.encode(idleWith.count, forKey: .idleRounds)
            try container.encode(Self.each(idleWithout), forKey: .idleMillisecondsWithout)
            try container.encode(Self.each(idleWith), forKey: .idleMillisecondsWith)
            try container.encode(ratio, forKey: .idleRatio)
        }
    }
}
