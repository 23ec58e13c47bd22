import Foundation
package import InputBounds

/// A command for all devices of a group.
extension Management {
    /// Queues a command for every device of a group, by a job, at most so many devices a second.
    ///
    /// `request` is the inner dictionary, as for one device. If it is forced, what an app would refuse of a configuration in
    /// it does not count, and neither does that a value there looks like a secret. A device that joins the group while the
    /// job goes on may get it or not, by its ID.
    package func startGroupCommand(
        _ request: PropertyListValue, toGroup group: String, perSecond: Int?, isForced: Bool = false, author: String
    ) async throws -> Outcome<Job, AdminRefusal> {
        guard try await store.group(named: group) != nil else { return .refused(.unknownGroup) }
        let requestType: String
        switch Self.sendableType(of: request) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let type): requestType = type
        }
        let judgement: AppCommandJudgement
        switch try await judgeAppCommand(request, for: nil, isForced: isForced) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let said): judgement = said
        }
        let wish: GroupCommand
        do {
            wish = try GroupCommand(
                group: group, requestType: requestType, request: request, perSecond: perSecond,
                warnings: KnownCommand.warnings(of: requestType) + judgement.warnings,
                suspectedSecrets: judgement.suspectedSecrets)
        } catch {
            return .refused(error)
        }
        return try await start(.groupCommand, wish.json, author: author)
    }

    /// Queues the command for the next devices of the group.
    ///
    /// A device that has it already keeps the one, so that a part may be done twice.
    func queuePart(of job: Job) async throws -> JobStep {
        guard let wish = GroupCommand(job.request) else {
            return .failed("It asks for what this server does not know.")
        }
        guard let group = try await store.group(named: wish.group) else {
            return .failed("The group was removed. Devices for which the command was queued before keep it.")
        }
        var place =
            try job.place.map { try JSONDecoder().decode(GroupCommand.Place.self, from: $0) } ?? GroupCommand.Place()
        let page = try await store.devices(
            DeviceFilter(group: wish.group), PageRequest(after: place.after, limit: wish.part))
        let moment = moment
        var meant: [(device: String, command: QueuedCommand)] = []
        for device in page.items {
            guard let outcome = wish.command(for: device, of: job, at: moment) else { continue }
            switch outcome {
            case .refused(let refusal): place.add(device.id, refusal)
            case .accepted(let command): meant.append((device: device.id, command: command))
            }
        }
        let refusals = try await store.enqueue(meant, by: .administrator(job.author))
        for (one, refusal) in zip(meant, refusals) {
            place.add(one.device, refusal)
            contexts.forget(one.device)
            if refusal == nil { wakeHub.wake(one.device) }
        }
        place.after = page.items.last?.id ?? place.after
        guard page.next != nil else {
            return .done(JobProgress(done: place.done, total: place.done), result: place.result(wish.warnings))
        }
        return .part(
            JobProgress(done: place.done, total: max(place.done, group.devices)),
            place: try JSONEncoder().encode(place))
    }
}
