package import DeviceMessages

extension Manifest {
    /// The apps whose declarations a device reports as invalid, each with what the device says of its declaration.
    package func rejectedApps(by reported: DeclarationStatuses?) -> [String: [StatusReason]] {
        var rejected: [String: [StatusReason]] = [:]
        for status in reported?.configurations ?? [] where status.valid == .invalid {
            guard let app = apps[Self.name(kind: .configuration, identifier: status.identifier)] else { continue }
            rejected[app, default: []] += status.reasons
        }
        return rejected
    }
}

extension Management {
    /// The apps whose declarations a device reports as invalid, as the counts of the fleet have them.
    ///
    /// An app that was taken from the device since is among them until the device reports its declarations again.
    package func rejectedApps(on device: String) async throws -> Set<String> {
        try await store.rejectedApps(on: device)
    }

    /// The apps whose declarations an update reports as invalid; nil where it says nothing of declarations.
    func rejectedApps(in update: StatusUpdate, of device: DeviceContext) async throws -> Set<String>? {
        guard let value = update.items[DeclarationStatuses.name] else { return update.isFull ? [] : nil }
        guard let reported = try? DeclarationStatuses(value) else { return nil }
        guard reported.configurations.contains(where: { $0.valid == .invalid }) else { return [] }
        return Set(try await manifest(of: device).rejectedApps(by: reported).keys)
    }
}
