import Foundation
import Synchronization

/// The compiled manifests in use, by set of groups.
///
/// Many askers of one manifest share one compilation.
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

    /// Different sets of groups with devices in them; beyond this the cache starts again.
    private static let capacity = 4_096

    private struct State {
        var generation: UInt64 = 0
        var entries: [[String]: Entry] = [:]
        var compiling: [[String]: Task<Entry, any Error>] = [:]
    }

    private let state = Mutex(State())

    func entry(
        _ groups: [String], compile: @escaping @Sendable () async throws -> Manifest
    ) async throws -> Entry {
        if let entry = state.withLock({ $0.entries[groups] }) { return entry }
        let task = state.withLock { state in
            if let task = state.compiling[groups] { return task }
            let generation = state.generation
            let task = Task { [self] in
                let result: Result<Entry, any Error>
                do {
                    result = .success(Entry(groups: groups, manifest: try await compile()))
                } catch {
                    result = .failure(error)
                }
                finish(groups, generation, result)
                return try result.get()
            }
            state.compiling[groups] = task
            return task
        }
        return try await task.value
    }

    /// Called after a change is on disk: what was read before it is not kept.
    func forget(groups: [String]) {
        let changed = Set(groups)
        state.withLock { state in
            state.generation += 1
            state.compiling = [:]
            for key in state.entries.keys where !changed.isDisjoint(with: key) { state.entries[key] = nil }
        }
    }

    private func finish(_ groups: [String], _ generation: UInt64, _ result: Result<Entry, any Error>) {
        state.withLock { state in
            guard state.generation == generation else { return }
            state.compiling[groups] = nil
            guard case .success(let entry) = result else { return }
            if state.entries.count >= Self.capacity { state.entries = [:] }
            state.entries[groups] = entry
        }
    }
}
