import CLinux
import DeviceAgent
import DeviceMessages
import Foundation
import Logging
import ManagedApp
import Synchronization
import Testing

/// An agent in this process that takes this very process for an app it launched: real sockets, real credentials.
final class TestAgent: Sendable {
    static let app = "com.example.test"

    let directory: URL
    private let service: Mutex<AppService?> = Mutex(nil)
    private let reportStream: AsyncStream<ConfigurationReport>
    private let reportEnd: AsyncStream<ConfigurationReport>.Continuation

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        (reportStream, reportEnd) = AsyncStream.makeStream()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: directory)
    }

    var path: String { directory.appending(path: "apps.sock").path }

    /// A link as a launched app has it.
    func link(patience: Duration = .seconds(3_600)) -> AgentLink {
        AgentLink(origin: AgentLink.Origin(socket: nil, path: path, patience: patience))
    }

    func start(_ state: AppState? = nil) throws {
        let service = AppService(
            socketPath: path, controlPath: directory.appending(path: "control.sock").path, records: OurselvesOnRecord(),
            log: quiet, find: { _ in nil },
            report: { [reportEnd] in for report in $0 { reportEnd.yield(report) } }, reportsEvery: .milliseconds(1))
        try service.start()
        if let state { service.update([Self.app: state]) }
        self.service.withLock { $0 = service }
    }

    func tell(_ state: AppState?) {
        service.withLock { $0?.update(state.map { [Self.app: $0] } ?? [:]) }
    }

    func tell(_ configuration: Data?) {
        tell(AppState(managed: true, synchronised: true, configuration: configuration))
    }

    func stop() {
        service.withLock { service in
            service?.stop()
            service = nil
        }
    }

    /// Has this process try a configuration.
    ///
    /// Unless a test says how long that may take, it is tried again where a busy machine outlasts the longest that an app
    /// takes for a trial.
    func attempt(_ trial: TryConfiguration, within seconds: Int? = nil) async -> TrialVerdict {
        guard let service = service.withLock({ $0 }) else { return .untried(.ended) }
        if let seconds { return await service.attempt(trial, within: seconds) }
        var verdict = TrialVerdict.untried(.timedOut)
        for _ in 0..<3 where verdict == .untried(.timedOut) { verdict = await service.attempt(trial, within: 60) }
        return verdict
    }

    /// The next report that this test has not seen.
    func nextReport() async -> ConfigurationReport? {
        for await report in reportStream { return report }
        return nil
    }
}

/// A log that nobody reads.
let quiet = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

/// Says of this process that it was launched as the app.
private struct OurselvesOnRecord: LaunchRecords {
    func load() -> [LaunchRecord] {
        var ticks: UInt64 = 0
        guard unsafe clinux_process_start(getpid(), &ticks) == 0,
            let boot = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        else { return [] }
        return [
            LaunchRecord(
                bundleIdentifier: TestAgent.app, process: getpid(), startTime: ticks,
                boot: boot.trimmingCharacters(in: .whitespacesAndNewlines))
        ]
    }

    func save(_ records: [LaunchRecord]) throws {}
}

/// Gathers what a loop over configurations receives, as an app's loop would.
final class Loop<Element: Sendable>: Sendable {
    private let task: Task<Void, Never>
    private let stream: AsyncStream<Element>

    init(_ run: @escaping @Sendable (_ receive: (Element) -> Void) async -> Void) {
        let (stream, continuation) = AsyncStream<Element>.makeStream()
        self.stream = stream
        task = Task {
            await run { continuation.yield($0) }
            continuation.finish()
        }
    }

    deinit {
        task.cancel()
    }

    /// The next element; nil once the loop has ended.
    func next() async -> Element? {
        for await element in stream { return element }
        return nil
    }

    func cancel() { task.cancel() }
}

extension Loop {
    /// The loop of the talk.
    static func over<Configuration: Decodable & Sendable>(
        _ type: Configuration.Type, _ link: AgentLink, decoding: TimedDecoding = .patient
    ) -> Loop<Configuration?> where Element == Configuration? {
        Loop<Configuration?> { receive in
            let provider = ManagedAppConfigurationProvider(link: link, decoding: decoding)
            for await configuration in await provider.configurations(Configuration.self) { receive(configuration) }
        }
    }
}

extension TimedDecoding {
    /// Gives a decoder that ends the time that it takes on a busy machine.
    static let patient = TimedDecoding(limit: .seconds(3_600), abandoned: AbandonedThreads())
}

/// A property list of a value.
func propertyList(_ value: some Encodable, _ format: PropertyListDecoder.PropertyListFormat = .xml) throws -> Data {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    return try encoder.encode(value)
}
