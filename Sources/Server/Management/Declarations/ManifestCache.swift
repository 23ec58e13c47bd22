import Foundation
import InputBounds
import Synchronization

/// The compiled manifests in use: by set of groups and audience, and where a device's values count, by these as well.
///
/// Many askers of one set of groups share one reading, and those of one audience one compilation. Cost follows changes: a change of groups drops what was
/// compiled for them, a change of a device's values drops what is known of that device.
final class ManifestCache: Sendable {
    /// A manifest that was compiled, and whether its snapshot is kept.
    final class Entry: Sendable {
        let groups: [String]
        let manifest: Manifest
        private let keeping = Mutex<Task<Void, any Error>?>(nil)

        init(groups: [String], manifest: Manifest) {
            self.groups = groups
            self.manifest = manifest
        }

        /// Runs `keep` once; all askers wait for it, and after a failure the next one tries again.
        func keepSnapshot(_ keep: @escaping @Sendable () async throws -> Void) async throws {
            let task = keeping.withLock { keeping in
                if let keeping { return keeping }
                let task = Task { try await keep() }
                keeping = task
                return task
            }
            do {
                try await task.value
            } catch {
                keeping.withLock { $0 = nil }
                throw error
            }
        }
    }

    /// What was compiled for a set of groups and an audience.
    final class GroupEntry: Sendable {
        /// No other entry of this process has it, before or after.
        let number: UInt64
        let prepared: PreparedManifest
        /// The manifest of devices that need nothing of their own, or of whose values nothing is known.
        let plain: Entry

        init(number: UInt64, prepared: PreparedManifest, plain: Entry) {
            self.number = number
            self.prepared = prepared
            self.plain = plain
        }
    }

    /// What is assigned to a set of groups, and what was compiled of it for each audience that asked.
    final class AssignedEntry: Sendable {
        /// An audience is one of a few; only devices that make versions up come near this.
        private static let capacity = 64

        let groups: [String]
        let assigned: Assigned
        private let compiled = Mutex<[DeviceAudience: GroupEntry]>([:])

        init(groups: [String], assigned: Assigned) {
            self.groups = groups
            self.assigned = assigned
        }

        /// What is compiled so far.
        var entries: [GroupEntry] { compiled.withLock { Array($0.values) } }

        /// What is compiled for an audience: once for all that are given the same.
        func entry(
            for audience: DeviceAudience, number: () -> UInt64, _ compiler: ManifestCompiler
        ) -> GroupEntry {
            let representative = assigned.thresholds.representative(of: audience)
            if let entry = compiled.withLock({ $0[representative] }) { return entry }
            let prepared = compiler.prepare(assigned, for: representative)
            let plain = Entry(groups: groups, manifest: compiler.compile(prepared, for: .none))
            let entry = GroupEntry(number: number(), prepared: prepared, plain: plain)
            return compiled.withLock { compiled in
                if let first = compiled[representative] { return first }
                if compiled.count >= Self.capacity { compiled = [:] }
                compiled[representative] = entry
                return entry
            }
        }
    }

    /// What is known of a device that has a manifest of its own.
    struct DeviceEntry: Sendable {
        let group: UInt64
        let values: DeviceValues
        let digest: Data
        let brief: ManifestBrief
    }

    private struct OwnKey: Hashable {
        let group: UInt64
        let digest: Data
    }

    /// Different sets of groups with devices in them; beyond this the cache starts again.
    private static let capacity = 4_096
    /// Some 500 bytes each, beside the values.
    private static let deviceCapacity = 32_768
    /// Manifests of single devices: needed while a device synchronizes.
    ///
    /// Each holds its own items and what differs.
    private static let ownCapacity = 1_024

    private struct State {
        var generation: UInt64 = 0
        var number: UInt64 = 0
        var entries: [[String]: AssignedEntry] = [:]
        var reading: [[String]: Task<AssignedEntry, any Error>] = [:]
    }

    private let state = Mutex(State())
    private let devices = BoundedCache<ByteText, DeviceEntry>(capacity: deviceCapacity)
    private let own = BoundedCache<OwnKey, Entry>(capacity: ownCapacity, stripes: 16)

    /// What is assigned to a set of groups.
    func assigned(
        _ groups: [String], read: @escaping @Sendable () async throws -> Assigned
    ) async throws -> AssignedEntry {
        if let entry = state.withLock({ $0.entries[groups] }) { return entry }
        let task = state.withLock { state in
            if let task = state.reading[groups] { return task }
            let generation = state.generation
            let task = Task { [self] in
                let result: Result<AssignedEntry, any Error>
                do {
                    result = .success(AssignedEntry(groups: groups, assigned: try await read()))
                } catch {
                    result = .failure(error)
                }
                finish(groups, generation, result)
                return try result.get()
            }
            state.reading[groups] = task
            return task
        }
        return try await task.value
    }

    /// A number that no entry has had.
    func nextNumber() -> UInt64 {
        state.withLock { state in
            state.number += 1
            return state.number
        }
    }

    /// The manifest of a device that has values of its own, and what is known of the device.
    func entry(
        ofDevice key: String, in group: GroupEntry, values load: () async throws -> DeviceValues,
        compile: (PreparedManifest, DeviceValues) -> Manifest
    ) async throws -> Entry {
        let known = try await device(key, in: group, values: load, compile: compile)
        return compiled(known.values, known.digest, in: group, compile)
    }

    /// The brief of a manifest, which is remembered longer than the manifest.
    func brief(
        ofDevice key: String, in group: GroupEntry, values load: () async throws -> DeviceValues,
        compile: (PreparedManifest, DeviceValues) -> Manifest
    ) async throws -> ManifestBrief {
        try await device(key, in: group, values: load, compile: compile).brief
    }

    private func device(
        _ key: String, in group: GroupEntry, values load: () async throws -> DeviceValues,
        compile: (PreparedManifest, DeviceValues) -> Manifest
    ) async throws -> DeviceEntry {
        let key = ByteText(key)
        if let known = devices.value(key), known.group == group.number { return known }
        let ticket = devices.ticket(key)
        let values = try await load()
        let digest = values.digest
        let brief = ManifestBrief(compiled(values, digest, in: group, compile).manifest)
        let entry = DeviceEntry(group: group.number, values: values, digest: digest, brief: brief)
        devices.keep(entry, key, ticket)
        return entry
    }

    private func compiled(
        _ values: DeviceValues, _ digest: Data, in group: GroupEntry,
        _ compile: (PreparedManifest, DeviceValues) -> Manifest
    ) -> Entry {
        let key = OwnKey(group: group.number, digest: digest)
        if let entry = own.value(key) { return entry }
        let ticket = own.ticket(key)
        let entry = Entry(groups: group.plain.groups, manifest: compile(group.prepared, values))
        own.keep(entry, key, ticket)
        return entry
    }

    /// Called after a change is on disk: what was read before it is not kept.
    func forget(groups: [String]) {
        let changed = Set(groups)
        state.withLock { state in
            state.generation += 1
            state.reading = [:]
            for key in state.entries.keys where !changed.isDisjoint(with: key) { state.entries[key] = nil }
        }
    }

    /// The same for a change of one device's values.
    func forget(device key: String) { devices.forget(ByteText(key)) }

    private func finish(_ groups: [String], _ generation: UInt64, _ result: Result<AssignedEntry, any Error>) {
        state.withLock { state in
            guard state.generation == generation else { return }
            state.reading[groups] = nil
            guard case .success(let entry) = result else { return }
            if state.entries.count >= Self.capacity { state.entries = [:] }
            state.entries[groups] = entry
        }
    }
}
