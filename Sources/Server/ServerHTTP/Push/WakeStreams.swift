import ServiceLifecycle
import Synchronization

/// The wake streams this server holds open: gives each its heartbeat, and ends them when the server is asked to stop.
package final class WakeStreams: Service {
    private struct Streams {
        var open: [ObjectIdentifier: WakeStream] = [:]
        var stopped = false
    }

    private let streams = Mutex(Streams())
    private let heartbeat: Duration

    package init(heartbeat: Duration) {
        self.heartbeat = heartbeat
    }

    /// How many streams are open.
    package var count: Int { streams.withLock { $0.open.count } }

    /// Opens a stream; when the server is stopping it has already ended.
    func open() -> WakeStream {
        let stream = WakeStream()
        let stopped = streams.withLock { streams in
            if !streams.stopped { streams.open[ObjectIdentifier(stream)] = stream }
            return streams.stopped
        }
        if stopped { stream.finish() }
        return stream
    }

    /// Forgets a stream that ended.
    func close(_ stream: WakeStream) {
        stream.finish()
        streams.withLock { $0.open[ObjectIdentifier(stream)] = nil }
    }

    /// Beats until the server is asked to stop, then ends every stream.
    package func run() async throws {
        await cancelWhenGracefulShutdown { await self.beat() }
        let open = streams.withLock { streams in
            streams.stopped = true
            defer { streams.open = [:] }
            return streams.open
        }
        for stream in open.values { stream.finish() }
    }

    /// Reaches each stream once per heartbeat, a slice of them at a time, so that 10,000 do not write at once.
    private func beat() async {
        let slices = 20
        var slice = 0
        while !Task.isCancelled {
            guard (try? await Task.sleep(for: heartbeat / slices)) != nil else { return }
            let due = streams.withLock { streams in
                streams.open.filter { UInt(bitPattern: $0.key.hashValue) % UInt(slices) == UInt(slice) }
            }
            for stream in due.values { stream.beat() }
            slice = (slice + 1) % slices
        }
    }
}

/// What a wake stream writes.
enum WakeSignal: Sendable, Equatable {
    case wake
    case heartbeat
}

/// One open wake stream: says that something is to be written, and whether it is a wake or a heartbeat.
///
/// Wakes coalesce: however many come while the peer is slow, one is written.
final class WakeStream: Sendable {
    /// One element whenever something is to be written; ends with the stream.
    let signals: AsyncStream<Void>
    private let source: AsyncStream<Void>.Continuation
    private let wakePending = Atomic<Bool>(false)

    init() {
        (signals, source) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func wake() {
        wakePending.store(true, ordering: .releasing)
        source.yield()
    }

    func beat() {
        source.yield()
    }

    func finish() {
        source.finish()
    }

    /// What to write at a signal.
    func take() -> WakeSignal {
        wakePending.exchange(false, ordering: .acquiringAndReleasing) ? .wake : .heartbeat
    }
}
