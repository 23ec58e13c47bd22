import Logging
import Management
import ServiceLifecycle

/// Publishes changes to listeners until the server stops.
struct ChangeFollower: Service {
    let management: Management
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await management.followChanges { error in
                logger.error("telling changes failed", metadata: ["error": "\(type(of: error))"])
            }
        }
    }
}
