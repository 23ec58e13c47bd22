package import Foundation

extension Management {
    package func device(_ id: String) async throws -> Device? {
        try await store.device(id).map(withPresentTime)
    }

    /// A page of the devices that are asked for; of these, where `unseen` says so, those not seen for so many seconds.
    package func devices(
        _ filter: DeviceFilter = DeviceFilter(), unseenFor unseen: TimeInterval? = nil, _ page: PageRequest
    ) async throws -> Page<Device> {
        var filter = filter
        if let unseen { filter.seenBefore = moment.addingTimeInterval(-unseen) }
        let page = try await store.devices(filter, page).map(withPresentTime)
        guard let before = filter.seenBefore else { return page }
        // Of who was seen a moment ago the store does not know yet.
        return Page(items: page.items.filter { $0.lastSeen ?? $0.enrolled < before }, next: page.next)
    }

    /// When a device was seen is written now and then; until it is, memory knows better than the store.
    private func withPresentTime(_ device: Device) -> Device {
        guard let latest = seen.latest(device.id), latest > device.lastSeen ?? .distantPast else { return device }
        var device = device
        device.lastSeen = latest
        return device
    }

    /// Ends an enrollment: from now on the server answers that it does not recognize the device.
    package func withdraw(_ id: String, author: String) async throws -> AdminRefusal? {
        // Its push token goes with the enrollment, and by its last push it learns that it is not recognized.
        let targets = push.queue.isActive ? try await store.pushTargets([id]) : []
        let refusal = try await store.withdraw(id, author: author, now: moment)
        contexts.forget(id)
        if refusal == nil { push.queue.sendFarewells(targets) }
        wakeHub.wake(id)
        wakeHub.disconnect(id)
        return refusal
    }

    /// Puts a device into a group, and says what else there is to say about it.
    ///
    /// What would break an app on the device is not done, unless that is forced. A dry run changes nothing.
    package func addDevice(
        _ id: String, toGroup group: String, isForced: Bool = false, isDryRun: Bool = false, author: String
    ) async throws -> Outcome<[String], AdminRefusal> {
        guard let device = try await store.device(id) else { return .refused(.unknownDevice) }
        guard try await store.group(named: group) != nil else { return .refused(.unknownGroup) }
        let judgement = try await judge(device, joining: group)
        guard isForced || judgement.errors.isEmpty else { return .refused(.violations(judgement.errors)) }
        let warnings = judgement.errors.map(\.warning) + judgement.warnings
        if isDryRun { return .accepted(warnings) }
        let refusal = try await regroup(id, store.addDevice(id, toGroup: group, author: author, now: moment))
        return refusal.map { .refused($0) } ?? .accepted(warnings)
    }

    package func removeDevice(_ id: String, fromGroup group: String, author: String) async throws -> AdminRefusal? {
        try await regroup(id, store.removeDevice(id, fromGroup: group, author: author, now: moment))
    }

    private func regroup(_ id: String, _ outcome: Outcome<Regrouped, AdminRefusal>) async throws -> AdminRefusal? {
        guard case .accepted(let regrouped) = outcome else { return outcome.refusal }
        contexts.forget(id)
        if !regrouped.concerned.isEmpty { manifests.forget(groups: regrouped.concerned) }
        guard let context = try await context(id) else { return nil }
        wakeHub.moved(id, to: context.groups)
        wakeHub.wake(id)
        return nil
    }
}
