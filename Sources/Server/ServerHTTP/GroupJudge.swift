import Logging
import Management
import ServiceLifecycle

/// Judges devices by the rules of groups when some wait for it, and does what else changes left to be done part by part;
/// also what waited when the server ended.
struct GroupJudge: Service {
    let management: Management
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in management.judging.calls {
                do {
                    try await management.judgeGroups()
                } catch is CancellationError {
                    return
                } catch {
                    // What waits is called for again once a minute.
                    logger.error("what changes left to be done failed", metadata: ["error": "\(type(of: error))"])
                }
            }
        }
    }
}
