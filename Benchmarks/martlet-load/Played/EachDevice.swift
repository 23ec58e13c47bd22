/// Does something for each device, for as many of them at once as there are connections.
func forEach(
    _ devices: [PlayedDevice], connections: Int, _ body: @escaping @Sendable (PlayedDevice) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<connections {
            group.addTask {
                for index in stride(from: worker, to: devices.count, by: connections) {
                    try await body(devices[index])
                }
            }
        }
        try await group.waitForAll()
    }
}
