import Logging
import Management
import ServiceLifecycle

/// Works on jobs when there are some, also on those that were not done when the server ended.
struct JobRunner: Service {
    let management: Management
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in management.jobBell.rings {
                do {
                    try await management.workOnJobs()
                } catch is CancellationError {
                    return
                } catch {
                    // What waits is called for again once a minute.
                    logger.error("working on jobs failed", metadata: ["error": "\(type(of: error))"])
                }
            }
        }
    }
}
