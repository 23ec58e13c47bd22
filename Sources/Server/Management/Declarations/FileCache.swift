import Foundation
import Synchronization

/// Files and snapshots that devices fetch, kept in memory while many ask for them.
///
/// Both are named by their contents,
/// so what is kept is never out of date.
final class FileCache: Sendable {
    /// A change reaches many devices at once; this much of what they fetch stays in memory.
    private static let capacityBytes = 64 << 20
    private static let snapshotCapacity = 64

    private struct State {
        var files: [String: Data] = [:]
        var fileBytes = 0
        var snapshots: [String: ManifestSnapshot] = [:]
    }

    private let state = Mutex(State())

    func bytes(_ sha256: String, _ load: () async throws -> Data?) async throws -> Data? {
        if let bytes = state.withLock({ $0.files[sha256] }) { return bytes }
        guard let bytes = try await load() else { return nil }
        state.withLock { state in
            guard state.files[sha256] == nil else { return }
            if state.fileBytes + bytes.count > Self.capacityBytes {
                state.files = [:]
                state.fileBytes = 0
            }
            state.files[sha256] = bytes
            state.fileBytes += bytes.count
        }
        return bytes
    }

    func snapshot(_ token: String, _ load: () async throws -> ManifestSnapshot?) async throws -> ManifestSnapshot? {
        if let snapshot = state.withLock({ $0.snapshots[token] }) { return snapshot }
        guard let snapshot = try await load() else { return nil }
        state.withLock { state in
            if state.snapshots.count >= Self.snapshotCapacity { state.snapshots = [:] }
            state.snapshots[token] = snapshot
        }
        return snapshot
    }
}
