import Foundation

/// What a run of requests measured.
struct RequestResult: LoadResult, Sendable {
    /// What the processes used in the measured time.
    struct Usage: Sendable {
        let serverSeconds: Double
        let generatorSeconds: Double
        let residentMiB: Double
    }

    let mode: String
    let devices: Int
    let connections: Int
    let seconds: Int
    let declarations: Int
    let requestBytes: Int
    let requests: Int
    let requestsPerSecond: Double
    let p50Milliseconds: Double
    let p99Milliseconds: Double
    let maxMilliseconds: Double
    /// Answers that were not 2xx, by status.
    let refusals: [String: Int]
    let reconnects: Int
    let serverCPUMillisecondsPerRequest: Double?
    let generatorCPUMillisecondsPerRequest: Double?
    let serverResidentMiB: Double?

    init(
        mode: String, devices: Int, connections: Int, seconds: Int, declarations: Int, requestBytes: Int,
        tally: Tally, reconnects: Int, usage: Usage?
    ) {
        self.mode = mode
        self.devices = devices
        self.connections = connections
        self.seconds = seconds
        self.declarations = declarations
        self.requestBytes = requestBytes
        requests = tally.latencies.count
        requestsPerSecond = Double(requests) / Double(seconds)
        let times = tally.latencies.percentiles([0.5, 0.99, 1])
        p50Milliseconds = times[0]
        p99Milliseconds = times[1]
        maxMilliseconds = times[2]
        refusals = Dictionary(uniqueKeysWithValues: tally.refusals.map { ("\($0.key)", $0.value) })
        self.reconnects = reconnects
        let each = 1_000 / Double(max(requests, 1))
        serverCPUMillisecondsPerRequest = usage.map { $0.serverSeconds * each }
        generatorCPUMillisecondsPerRequest = usage.map { $0.generatorSeconds * each }
        serverResidentMiB = usage.map(\.residentMiB)
    }

    var text: String {
        var lines = [
            "mode            \(mode), \(devices) devices holding \(declarations) declarations, "
                + "\(connections) connections, bodies of \(requestBytes) bytes",
            "requests        \(requests) in \(seconds) s, \(Self.text(requestsPerSecond, 0)) per second",
            "latency         p50 \(Self.text(p50Milliseconds, 2)) ms, p99 \(Self.text(p99Milliseconds, 2)) ms, "
                + "max \(Self.text(maxMilliseconds, 2)) ms",
        ]
        if let cpu = serverCPUMillisecondsPerRequest, let own = generatorCPUMillisecondsPerRequest,
            let resident = serverResidentMiB
        {
            lines.append("server CPU      \(Self.text(cpu, 3)) ms each (generator \(Self.text(own, 3)) ms)")
            lines.append("server memory   \(Self.text(resident, 1)) MiB resident")
        }
        if reconnects > 0 { lines.append("reconnects      \(reconnects)") }
        for (status, count) in refusals.sorted(by: { $0.key < $1.key }) {
            lines.append("status \(status)      \(count)")
        }
        return lines.joined(separator: "\n")
    }

    static func text(_ number: Double, _ digits: Int) -> String {
        number.formatted(.number.precision(.fractionLength(digits)).grouping(.never).locale(Locale(identifier: "C")))
    }
}
