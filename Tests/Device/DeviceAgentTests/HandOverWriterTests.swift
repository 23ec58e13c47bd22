import Foundation
import Synchronization
import TestLog
import Testing
import Waiting

@testable import DeviceAgent

/// A note of a configuration that an app was handed reaches the disk, also one that refuses it at first.
@Suite(.timeLimit(.minutes(10)))
struct HandOverWriterTests {
    private static func note(
        _ version: String, of app: String = "com.example.a", by way: ConfigurationHandOver.Way = .http
    ) -> ConfigurationHandOver {
        ConfigurationHandOver(bundleIdentifier: app, version: version, way: way)
    }

    /// A disk that takes nothing while it is full.
    private final class Disk: Sendable {
        private struct Full: Error {}
        private struct State {
            var isFull = false
            var refusals = 0
            var kept: [ConfigurationHandOver] = []
        }

        private let state = Mutex(State())

        var kept: [ConfigurationHandOver] { state.withLock { $0.kept } }
        var refusals: Int { state.withLock { $0.refusals } }

        func fill(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

        func write(_ note: ConfigurationHandOver) throws {
            try state.withLock { state in
                guard !state.isFull else {
                    state.refusals += 1
                    throw Full()
                }
                state.kept.append(note)
            }
        }
    }

    /// Red where a note that the disk refused was dropped: the app does not fetch the same version again.
    @Test func whatTheDiskRefusesIsWrittenLater() async throws {
        let (disk, log) = (Disk(), LogLines())
        let writer = HandOverWriter(retryingAfter: .milliseconds(5), log: log.logger()) { try disk.write($0) }
        writer.take(Self.note("1"))
        try await eventually("it is written") { disk.kept == [Self.note("1")] }
        disk.fill(true)
        writer.take(Self.note("1", of: "com.example.b"))
        writer.take(Self.note("2", by: .files))
        writer.take(Self.note("2"))
        try await eventually("it is tried again") { disk.refusals > 4 }
        // Of the app that has a newer version by then, only that counts.
        writer.take(Self.note("3"))
        disk.fill(false)
        try await eventually("all are written") { disk.kept.last == Self.note("3") }
        #expect(disk.kept == [Self.note("1"), Self.note("1", of: "com.example.b"), Self.note("3")])
        #expect(log.all.count { $0.contains("could not be kept") } == 1, "it is said once")
    }

    /// An agent that stops tries once more, and no longer afterwards.
    @Test func whatWaitsIsTriedALastTimeAtTheEnd() {
        let (disk, log) = (Disk(), LogLines())
        let writer = HandOverWriter(retryingAfter: .seconds(3_600), log: log.logger()) { try disk.write($0) }
        disk.fill(true)
        writer.take(Self.note("1"))
        disk.fill(false)
        writer.finish()
        #expect(disk.kept == [Self.note("1")])
        writer.finish()
        #expect(disk.kept == [Self.note("1")])
    }
}
