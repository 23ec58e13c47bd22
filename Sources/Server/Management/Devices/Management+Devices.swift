import Foundation

extension Management {
    package func device(_ id: String) async throws -> Device? {
        try await store.device(id)
    }

    package func devices(inGroup group: String? = nil, _ page: PageRequest) async throws -> Page<Device> {
        try await store.devices(inGroup: group, page)
    }

    /// Ends an enrollment: from now on the device is told that it is not recognised.
    package func withdraw(_ id: String) async throws -> AdminRefusal? {
        let refusal = try await store.withdraw(id, now: moment)
        contexts.forget(id)
        wakeHub.wake(id)
        wakeHub.disconnect(id)
        return refusal
    }

    package func addDevice(_ id: String, toGroup group: String) async throws -> AdminRefusal? {
        let refusal = try await store.addDevice(id, toGroup: group, now: moment)
        if refusal == nil { try await regroup(id) }
        return refusal
    }

    package func removeDevice(_ id: String, fromGroup group: String) async throws -> AdminRefusal? {
        let refusal = try await store.removeDevice(id, fromGroup: group, now: moment)
        if refusal == nil { try await regroup(id) }
        return refusal
    }

    private func regroup(_ id: String) async throws {
        contexts.forget(id)
        guard let context = try await context(id) else { return }
        wakeHub.moved(id, to: context.groups)
        wakeHub.wake(id)
    }
}
