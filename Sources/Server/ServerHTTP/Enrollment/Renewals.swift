import Foundation
import Logging
import Management
import ServiceLifecycle

/// Tells devices to renew their identity when its time comes, for as long as the server runs.
struct Renewals: Service {
    /// More than were due at once are called in rounds a second apart.
    private static let pause = Duration.seconds(1)

    let management: Management
    let logger: Logger

    /// A twentieth of a life is early enough for a third of it; once a minute is often enough in any case.
    private var interval: Duration { .seconds(min(max(management.lifetimes.enrollment / 20, 1), 60)) }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let hasMore = await round()
                try? await Task.sleep(for: hasMore ? Self.pause : interval)
            }
        }
    }

    private func round() async -> Bool {
        do {
            let round = try await management.orderRenewals()
            if round.ordered > 0 {
                logger.info("devices told to renew their identity", metadata: ["count": "\(round.ordered)"])
            }
            for device in round.lapsed {
                logger.error(
                    "a device's identity has expired and its grace is over: it must be enrolled anew",
                    metadata: ["enrollment": "\(LogText(peer: device).text)"])
            }
            return round.hasMore
        } catch {
            logger.error("renewals failed", metadata: ["error": "\(type(of: error))"])
            return false
        }
    }
}
