import Logging
import Management
import ServiceLifecycle

/// Works on jobs when there are some, also on those that were not done when the server ended.
struct JobRunner: Service {
    let management: Management
    let logger: Logger

    func run() async throws {
        // Where jobs may do only so much a second: how long until they go on. The newest counts.
        let (waits, wait) = AsyncStream.makeStream(of: Duration.self, bufferingPolicy: .bufferingNewest(1))
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await ring(after: waits) }
                for await _ in management.jobBell.rings {
                    guard !Task.isCancelled else { break }
                    if let duration = await work() { wait.yield(duration) }
                }
                group.cancelAll()
            }
        }
    }

    private func work() async -> Duration? {
        do {
            return try await management.workOnJobs()
        } catch is CancellationError {
            return nil
        } catch {
            // What waits is called for again once a minute.
            logger.error("working on jobs failed", metadata: ["error": "\(type(of: error))"])
            return nil
        }
    }

    /// Rings the bell after each wait, one at a time.
    private func ring(after waits: AsyncStream<Duration>) async {
        for await duration in waits {
            guard (try? await Task.sleep(for: duration)) != nil else { return }
            management.jobBell.ring()
        }
    }
}
