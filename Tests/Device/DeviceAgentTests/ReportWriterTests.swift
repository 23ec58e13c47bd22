import AppMessages
import DeviceMessages
import Foundation
import Logging
import Synchronization
import Testing

@testable import DeviceAgent

/// B9: what an app's decoder says is on the disk before the app is answered, and costs the others nothing.
@Suite(.timeLimit(.minutes(10)))
struct ReportWriterTests {
    private static func outcome(_ number: Int) -> AppCall {
        .reportConfiguration(
            ConfigurationOutcome(
                version: String(repeating: "0", count: 64), valid: false, code: number, message: "no"))
    }

    /// Where a disk takes its time, until a test lets it go on.
    private final class SlowDisk: Sendable {
        let written = Mutex<[ConfigurationReport]>([])
        private let asked = DispatchSemaphore(value: 0)
        private let gate = DispatchSemaphore(value: 0)

        func write(_ reports: [ConfigurationReport]) {
            asked.signal()
            _ = gate.wait(timeout: .now() + 240)
            written.withLock { $0 += reports }
        }

        func waitUntilAsked() { asked.wait() }
        func goOn() { gate.signal() }
        var codes: [Int?] { written.withLock { $0.map(\.code) } }
    }

    @Test func aReportThatIsBeingWrittenKeepsNobodyWaiting() throws {
        let disk = SlowDisk()
        let fixture = try Fixture(ourselves: true, report: { disk.write($0) })
        let (reporting, other) = (try AppSocket(fixture), try AppSocket(fixture))
        try reporting.send(Self.outcome(1))
        disk.waitUntilAsked()
        #expect(try VarlinkReply<AppInterface>(parsing: try other.raw(.information)).result.get().version == "1")
        #expect(disk.codes == [])
        disk.goOn()
        _ = try VarlinkReply<Varlink.Nothing>(parsing: try reporting.next()).result.get()
        #expect(disk.codes == [1])
    }

    /// Each connection waits for its answer: so an app that changes its mind without end has one write a second.
    @Test func ofReportsInQuickSuccessionTheNewestIsWritten() throws {
        let disk = SlowDisk()
        let fixture = try Fixture(ourselves: true, reportsEvery: .milliseconds(1), report: { disk.write($0) })
        let sockets = try (0..<4).map { _ in try AppSocket(fixture) }
        try sockets[0].send(Self.outcome(0))
        disk.waitUntilAsked()
        for number in 1...3 {
            try sockets[number].send(Self.outcome(number))
            // Taken before the next one comes.
            for _ in 0..<2 { _ = try AppSocket(fixture).raw(.information) }
        }
        disk.goOn()
        disk.waitUntilAsked()
        disk.goOn()
        for socket in sockets { _ = try VarlinkReply<Varlink.Nothing>(parsing: try socket.next()).result.get() }
        #expect(disk.codes == [0, 3])
    }

    /// An app's next report waits for its time, also while those of other apps are written, which do not wait for it.
    @Test func anAppsNextReportWaitsAndKeepsNoOtherAppFromItsOwn() throws {
        let written = Mutex<[[Int?]]>([])
        let writer = ReportWriter(
            every: .seconds(3_600), log: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
            write: { reports in written.withLock { $0.append(reports.map(\.code)) } })
        let answered = DispatchSemaphore(value: 0)
        func take(_ code: Int, of app: String) {
            let report = ConfigurationReport(
                bundleIdentifier: app, version: "1", valid: false, code: code, at: Date(timeIntervalSince1970: 0))
            writer.take(report) { _ in answered.signal() }
        }
        take(1, of: "com.example.a")
        #expect(answered.wait(timeout: .now() + 240) == .success)
        // Were it written as soon as the thread is free, it would be before the other app's, which comes after it.
        take(2, of: "com.example.a")
        take(3, of: "com.example.b")
        #expect(answered.wait(timeout: .now() + 240) == .success)
        #expect(written.withLock { $0 } == [[1], [3]])
        writer.finish()
        #expect(written.withLock { $0 } == [[1], [3], [2]])
    }

    /// What waits for its time is written when the service stops.
    @Test func nothingThatWasTakenIsLostInAnOrderlyStop() throws {
        let written = Mutex<[Int?]>([])
        let fixture = try Fixture(
            ourselves: true, reportsEvery: .seconds(3_600),
            report: { reports in written.withLock { $0 += reports.map(\.code) } })
        let (first, second) = (try AppSocket(fixture), try AppSocket(fixture))
        _ = try first.ask(Self.outcome(1), Varlink.Nothing.self).get()
        try second.send(Self.outcome(2))
        for _ in 0..<2 { _ = try AppSocket(fixture).raw(.information) }
        #expect(written.withLock { $0 } == [1])
        fixture.service.stop()
        #expect(written.withLock { $0 } == [1, 2])
    }

    /// The app gets the error, and its report does not count as known.
    @Test func aReportThatCannotBeWrittenIsNotAcknowledged() throws {
        struct Full: Error {}
        let tries = Mutex(0)
        let fixture = try Fixture(
            ourselves: true, reportsEvery: .milliseconds(1),
            report: { _ in
                if tries.withLock({
                    $0 += 1
                    return $0 == 1
                }) {
                    throw Full()
                }
            })
        let socket = try AppSocket(fixture)
        let first = try socket.ask(Self.outcome(1), Varlink.Nothing.self)
        #expect(throws: VarlinkError.internalError) { try first.get() }
        _ = try socket.ask(Self.outcome(1), Varlink.Nothing.self).get()
        #expect(tries.withLock { $0 } == 2)
        // It is written down: the same again is answered at once.
        _ = try socket.ask(Self.outcome(1), Varlink.Nothing.self).get()
        #expect(tries.withLock { $0 } == 2)
    }
}
