import ArgumentParser
import Foundation
import Synchronization

/// Devices that wait to be woken and synchronize as real ones do.
struct Fleet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Hold wake streams open and synchronize whenever woken.",
        discussion: """
            Each device has two mutual-TLS connections, as an agent has: one waits, one asks. `ready` is printed once \
            every stream is open and every device has synchronised for the first time. Runs until it is ended, or for \
            --seconds, and then prints what it counted.
            """)

    @OptionGroup var target: TargetOptions

    @Option(help: "How many connections per second may be opened.")
    var handshakesPerSecond = 100

    @Option(help: "How long to run after `ready`; until it is ended if left out.")
    var seconds: Int?

    @Option(help: "How many of the devices say that they take root certificates; the others do not say what they take.")
    var taking = 0

    @Flag(help: "Print `woken` with the number of wakes so far whenever it has changed, ten times a second at most.")
    var tellWakes = false

    @OptionGroup var output: Output

    func validate() throws {
        guard (0...target.devices).contains(taking) else {
            throw ValidationError("--taking is 0 to the number of devices")
        }
        guard (1...10_000).contains(handshakesPerSecond) else {
            throw ValidationError("--handshakes-per-second is 1 to 10,000")
        }
    }

    func run() async throws {
        let (devices, trust) = try await target.play(connections: 8, shown: true)
        let counts = FleetCounts()
        let pacer = Pacer(perSecond: handshakesPerSecond)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, device) in devices.enumerated() {
                let played = try FleetDevice(
                    device: device, trust: trust, pacer: pacer, counts: counts, takesRoots: number < taking)
                group.addTask { await played.run() }
            }
            try await waitUntilReady(counts, devices: devices.count)
            Self.say("ready \(devices.count) devices")
            if tellWakes { group.addTask { try await Self.sayWakes(counts) } }
            if let seconds {
                try await Task.sleep(for: .seconds(seconds))
            } else {
                try await Task.sleep(for: .seconds(86_400))
            }
            group.cancelAll()
        }
        try output.show(counts.result(devices: devices.count))
    }

    private func waitUntilReady(_ counts: FleetCounts, devices: Int) async throws {
        let deadline = ContinuousClock.now.advanced(by: .seconds(60 + 4 * devices / handshakesPerSecond))
        while counts.ready < devices {
            guard ContinuousClock.now < deadline else {
                throw LoadFailure(
                    "only \(counts.ready) of \(devices) devices became ready; the last reason: \(counts.lastFailure)")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private static func sayWakes(_ counts: FleetCounts) async throws {
        var last = -1
        while !Task.isCancelled {
            let wakes = counts.wakes
            if wakes != last { say("woken \(wakes)") }
            last = wakes
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Whoever waits for a line gets it at once.
    private static func say(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
    }
}

/// Spreads the opening of connections over time.
actor Pacer {
    private let interval: Duration
    private var next = ContinuousClock.now

    init(perSecond: Int) {
        interval = .seconds(1) / perSecond
    }

    /// Returns when the caller may open a connection.
    func turn() async throws {
        let mine = max(next, .now)
        next = mine.advanced(by: interval)
        try await Task.sleep(until: mine, clock: .continuous)
    }
}

/// What a fleet did.
final class FleetCounts: Sendable {
    private struct State {
        var ready = 0
        var wakes = 0
        var syncs = 0
        var requests = 0
        var failures = 0
        var reconnects = 0
        var lastFailure = "none"
        var latencies = Latencies()
    }

    /// What is printed at the end.
    struct Result: LoadResult {
        let devices: Int
        let synchronisations: Int
        let requests: Int
        let failures: Int
        let reconnects: Int
        let p50Milliseconds: Double
        let p99Milliseconds: Double

        var text: String {
            "\(synchronisations) synchronisations with \(requests) requests, p50 "
                + "\(RequestResult.text(p50Milliseconds, 1)) ms, p99 \(RequestResult.text(p99Milliseconds, 1)) ms from "
                + "wake to report; \(failures) failures, \(reconnects) reconnects"
        }
    }

    private let state = Mutex(State())

    var ready: Int { state.withLock { $0.ready } }
    var wakes: Int { state.withLock { $0.wakes } }
    var lastFailure: String { state.withLock { $0.lastFailure } }

    func becameReady() { state.withLock { $0.ready += 1 } }
    func woken() { state.withLock { $0.wakes += 1 } }
    func requested() { state.withLock { $0.requests += 1 } }
    func reconnected() { state.withLock { $0.reconnects += 1 } }

    func failed(_ error: any Error) {
        state.withLock { state in
            state.failures += 1
            state.lastFailure = "\(error)"
        }
    }

    func synchronised(in duration: Duration) {
        state.withLock { state in
            state.syncs += 1
            state.latencies.add(nanoseconds: Int64(duration / .nanoseconds(1)))
        }
    }

    func result(devices: Int) -> Result {
        state.withLock { state in
            let times = state.latencies.percentiles([0.5, 0.99])
            return Result(
                devices: devices, synchronisations: state.syncs, requests: state.requests, failures: state.failures,
                reconnects: state.reconnects, p50Milliseconds: times[0], p99Milliseconds: times[1])
        }
    }
}
