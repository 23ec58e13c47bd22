import ServiceLifecycle

/// Keeps the service manager informed while a program's services run: that it is alive, and that it begins to stop.
package struct ServiceManagerReports: Service {
    private let manager: ServiceManager
    private let isAlive: @Sendable () async -> Bool

    /// `isAlive` may take as long as it likes: while it has not answered nothing is said.
    package init(_ manager: ServiceManager, isAlive: @escaping @Sendable () async -> Bool = { true }) {
        self.manager = manager
        self.isAlive = isAlive
    }

    package func run() async throws {
        try await withGracefulShutdownHandler {
            await cancelWhenGracefulShutdown { await manager.keepSaying(while: isAlive) }
            try await gracefulShutdown()
        } onGracefulShutdown: {
            manager.say(.stopping)
        }
    }
}
