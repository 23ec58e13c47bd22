import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOHTTP1

/// How long a change takes to an app: from the API call to the line in which the app shows it.
struct Propagation: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure the time from the API call to the app's new view.",
        discussion: """
            Pipe the app's output into this tool:

              martlet-agent open com.example.landmarks | martlet-load propagation --changes 1000

            Each change carries a new marker; it has arrived when a line with the marker comes. The next change \
            follows only then.
            """)

    @Option(help: "The session file of `martlet login`; MARTLET_SESSION if left out.")
    var session: String?

    @Option(help: "The app's bundle identifier.")
    var app = "com.example.landmarks"

    @Option(help: "The configuration's name.")
    var configuration = "default"

    @Option(help: "A property list in which MARKER is replaced; a Landmarks collection if left out.")
    var template: String?

    @Option(help: "How many changes to make.")
    var changes = 1_000

    @Option(help: "Seconds after which a change counts as lost.")
    var patience = 10

    @OptionGroup var output: Output

    /// What is printed.
    private struct Result: LoadResult {
        let changes: Int
        let lost: Int
        let p50Milliseconds: Double
        let p99Milliseconds: Double
        let maxMilliseconds: Double

        var text: String {
            let shown = [p50Milliseconds, p99Milliseconds, maxMilliseconds].map { RequestResult.text($0, 1) }
            return "\(changes) changes, p50 \(shown[0]) ms, p99 \(shown[1]) ms, max \(shown[2]) ms, \(lost) lost"
        }
    }

    func run() async throws {
        let admin = try AdminSession(path: session)
        let text = try template.map { try String(contentsOfFile: $0, encoding: .utf8) } ?? Self.landmarks
        guard text.contains("MARKER") else { throw LoadFailure("the template has no MARKER") }
        let arrivals = LineArrivals()
        var latencies = Latencies()
        var lost = 0
        try await ServerTrust(pem: admin.authority).withClient { http in
            for number in 0..<changes {
                let marker = "change-\(number)-\(UUID().uuidString.prefix(8))"
                let body = Data(text.replacing("MARKER", with: marker).utf8)
                arrivals.expect(marker)
                let begun = ContinuousClock.now
                _ = try await admin.send(
                    .PUT, "/apps/\(app)/configurations/\(configuration)", body: body,
                    mediaType: "application/x-plist", over: http)
                if let arrival = await arrivals.arrival(within: .seconds(patience)) {
                    latencies.add(nanoseconds: Int64(begun.duration(to: arrival) / .nanoseconds(1)))
                } else {
                    lost += 1
                }
            }
        }
        let times = latencies.percentiles([0.5, 0.99, 1])
        try output.show(
            Result(
                changes: changes, lost: lost, p50Milliseconds: times[0], p99Milliseconds: times[1],
                maxMilliseconds: times[2]))
        guard lost == 0 else { throw ExitCode.failure }
    }

    private static let landmarks = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict><key>managedCollection</key><dict><key>title</key><string>MARKER</string>\
        <key>landmarks</key><array><integer>1001</integer><integer>1002</integer></array></dict></dict></plist>
        """
}
