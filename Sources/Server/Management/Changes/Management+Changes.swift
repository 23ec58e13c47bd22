import Foundation

/// Publishing changes in their order, without delaying the requests that make them.
extension Management {
    /// Entries that are read at once.
    private static let part = 500

    /// Tells what changes until it is canceled.
    ///
    /// To be run once for each store; a second one would tell everything twice.
    package func followChanges(
        failed: @Sendable (any Error) -> Void = { _ in }
    ) async {
        // However this ends, no caller must wait for it.
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
        var read: Int?
        for await _ in changes.calls {
            do {
                told = try await tellChanges(after: told ?? 0, whereReadTo: &read)
            } catch is CancellationError {
                return
            } catch {
                // What was not read is read at the next call.
                failed(error)
            }
        }
    }

    /// Tells what is in the log after a place, then what devices did; answers the new place.
    package func tellChanges(after place: Int) async throws -> Int {
        var read: Int?
        return try await tellChanges(after: place, whereReadTo: &read)
    }

    /// The same; the log is read only if it grew more often than `read`, which says how often it had grown when it was read.
    private func tellChanges(after place: Int, whereReadTo read: inout Int?) async throws -> Int {
        // Taken first: what a device did follows upon what is in the log by now.
        let left = changes.take()
        // If the change cannot be published now, callers do not wait for it either.
        defer { changes.keepUp(with: left.grown) }
        var place = place
        while read.map({ $0 < left.grown }) ?? true {
            let entries = try await store.auditEntries(after: place, limit: Self.part)
            guard let last = entries.last else { break }
            var told: [Change] = []
            for entry in entries { told.append(try await located(Change(entry))) }
            changes.tell(told)
            try await followJourneys(of: told)
            place = last.sequence
            guard entries.count == Self.part else { break }
        }
        read = left.grown
        changes.keepUp(with: left.grown)
        if left.isGap { changes.tellGap() }
        changes.tell(
            left.changes.map { change, place in
                var change = change
                change.place = place
                return change
            })
        if left.isGap || left.changes.contains(where: { $0.change.kind == Change.DeviceKind.move.rawValue }) {
            changes.miscount()
        }
        return place
    }

    /// Adds the groups of the device, which decide whether an owner of apps sees the change.
    private func located(_ change: Change) async throws -> Change {
        guard let device = change.device else { return change }
        var change = change
        change.deviceGroups = try await context(device)?.groups ?? []
        return change
    }
}
