import AdminMessages
import ArgumentParser
import AsyncHTTPClient
import DeviceMessages
import Foundation
import NIOHTTP1

/// A fleet that enrolls and takes one command each (S0-MDM-01).
struct CommandRound: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commands", abstract: "Enrol devices, send each a command, and see that each has answered.",
        discussion: """
            The commands are queued through the API before the first device asks. It ends when the server shows every \
            one of them as acknowledged, and fails if a single one is not.
            """)

    /// What was done, and how long it took.
    private struct Result: LoadResult {
        let devices: Int
        let acknowledged: Int
        let enrollSeconds: Double
        let queueSeconds: Double
        let answerSeconds: Double

        var text: String {
            "\(devices) devices enrolled in \(RequestResult.text(enrollSeconds, 1)) s, took a command each in "
                + "\(RequestResult.text(answerSeconds, 1)) s"
        }
    }

    @OptionGroup var target: TargetOptions

    @Option(help: "How many requests are under way at once.")
    var connections = 8

    @OptionGroup var output: Output

    func validate() throws {
        guard (1...1_024).contains(connections) else { throw ValidationError("--connections is 1 to 1,024") }
        guard target.profiles == nil else { throw ValidationError("commands are sent with a session") }
    }

    func run() async throws {
        let admin = try AdminSession(path: target.session)
        let begun = ContinuousClock.now
        let (devices, trust) = try await target.play(connections: connections, shown: !output.json)
        let enrolled = ContinuousClock.now
        let courier = try Enrollment(trust: trust, keys: 1)
        try await trust.withClient { http in
            let command = try AdminJSON.encode(CommandRequest(requestType: "ProfileList"))
            try await forEach(devices, connections: connections) { device in
                _ = try await admin.send(.POST, Self.queue(of: device), body: command, over: http)
            }
            let queued = ContinuousClock.now
            try await forEach(devices, connections: connections) { device in
                var reply = try await courier.put(device.idle(), by: device, command: true, over: http)
                while !reply.isEmpty {
                    let answer = device.acknowledgement(of: try Command(parsing: reply))
                    reply = try await courier.put(answer, by: device, command: true, over: http)
                }
            }
            let answered = ContinuousClock.now
            try await forEach(devices, connections: connections) { device in
                let shown = try await admin.send(.GET, Self.queue(of: device), over: http)
                let commands = try AdminJSON.decode(AdminMessages.Page<CommandSummary>.self, from: shown).items
                guard commands.map(\.state) == [.acknowledged] else {
                    throw LoadFailure("a device's command is not acknowledged")
                }
            }
            try output.show(
                Result(
                    devices: devices.count, acknowledged: devices.count,
                    enrollSeconds: (enrolled - begun) / .seconds(1), queueSeconds: (queued - enrolled) / .seconds(1),
                    answerSeconds: (answered - queued) / .seconds(1)))
        }
    }

    private static func queue(of device: PlayedDevice) -> String { "/devices/\(device.identifier.key)/commands" }
}
