import Foundation

/// Telling what changed: off the way of whoever changes it, in the order in which it came to be.
extension Management {
    /// Entries that are read at once.
    private static let part = 500

    /// Tells what changes until it is cancelled.
    ///
    /// To be run once for each store; a second one would tell everything twice.
    package func followChanges(
        failed: @Sendable (any Error) -> Void = { _ in }
    ) async {
        // However it ends, nobody shall wait for it.
        defer { changes.end() }
        store.whenAuditGrows { [changes] in changes.logGrew() }
        var told: Int?
        while told == nil, !Task.isCancelled {
            do {
                told = try await store.auditEntries(AuditFilter(), PageRequest(limit: 1)).items.first?.sequence ?? 0
            } catch {
                failed(error)
                guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
            }
        }
        changes.begin()
        for await _ in changes.calls {
            do {
                told = try await tellChanges(after: told ?? 0)
            } catch is CancellationError {
                return
            } catch {
                // What was not read is read at the next call.
                failed(error)
            }
        }
    }

    /// Tells what is in the log after a place, then what devices did; answers the new place.
    func tellChanges(after place: Int) async throws -> Int {
        // Taken first: what a device did follows upon what is in the log by now.
        let left = changes.take()
        // If it cannot be told now, nobody waits for it either.
        defer { changes.keepUp(with: left.grown) }
        var place = place
        while true {
            let entries = try await store.auditEntries(after: place, limit: Self.part)
            guard let last = entries.last else { break }
            var told: [Change] = []
            for entry in entries { told.append(try await located(Change(entry))) }
            changes.tell(told)
            try await followJourneys(of: told)
            place = last.sequence
            guard entries.count == Self.part else { break }
        }
        changes.keepUp(with: left.grown)
        if left.isGap { changes.tellGap() }
        changes.tell(try await described(left.happenings))
        return place
    }

    /// With the groups of its device, by which an owner of apps is told of it or not.
    private func located(_ change: Change) async throws -> Change {
        guard let device = change.device else { return change }
        var change = change
        change.deviceGroups = try await context(device)?.groups ?? []
        return change
    }

    private func described(
        _ happenings: [(happening: ChangeHub.Happening, place: Int)]
    ) async throws -> [Change] {
        var told: [Change] = []
        var reported: [String: Device] = [:]
        for (happening, place) in happenings {
            switch happening {
            case .change(let change): told.append(change)
            case .fetched(let key):
                guard let device = try await context(key) else { continue }
                var fetch = Change(.fetch, device: key, groups: device.groups, time: moment)
                fetch.place = place
                told.append(fetch)
            case .reported(let key):
                guard let device = try await context(key) else { continue }
                told.append(Change(.report, device: key, groups: device.groups, time: moment))
                // Who settled on this already is not read anew at each report.
                guard !changes.hasSettled(key, on: try await manifestToken(of: device)), reported[key] == nil else {
                    continue
                }
                reported[key] = try await store.device(key)
            }
        }
        return try await told + settled(Array(reported.values))
    }

    /// Those that have come to hold exactly what they are given now, once for each set of it.
    private func settled(_ devices: [Device]) async throws -> [Change] {
        guard !devices.isEmpty else { return [] }
        let settled = try await synchronised(devices)
        var told: [Change] = []
        for device in devices where settled.contains(device.id) {
            let token = try await manifest(of: device).declarationsToken
            guard changes.settles(device.id, token) else { continue }
            told.append(Change(.settle, device: device.id, groups: device.groups, time: moment))
        }
        return told
    }
}
