package import Foundation
import Synchronization

/// The contents of a store, each sealed in a file of its own.
package struct SealedContents: Sendable {
    /// Far above an app configuration, the largest there is.
    private static let fileLimit = 64 << 20

    let directory: String
    let steps: any FileSteps
    let key: SealingKey
    let recent: RecentContents

    /// The content with this SHA-256, whole.
    package func content(_ digest: String) throws -> Data { try read(digest).content }

    /// The same for what is asked for often: its file is read once for each generation, and opened each time.
    package func frequentContent(_ digest: String) throws -> Data {
        if let sealed = recent.sealed(digest) {
            // Only `commit` seals for this purpose, and only what has this digest; from the disk it was checked again.
            return try key.open(sealed, purpose: Self.purpose(digest))
        }
        let moment = recent.moment
        let (sealed, content) = try read(digest)
        recent.keep(sealed, digest, since: moment)
        return content
    }

    private func read(_ digest: String) throws -> (sealed: Data, content: Data) {
        guard let sealed = try steps.read(path(digest), limit: Self.fileLimit),
            let content = try? key.open(sealed, purpose: Self.purpose(digest)), content.digest == digest
        else { throw StoreRefusal.blobMissing }
        return (sealed, content)
    }

    func path(_ digest: String) -> String { directory + "/" + key.name(of: digest) }

    static func purpose(_ digest: String) -> String { "blob " + digest }
}

/// Contents as they lie on the disk, sealed, so that their files need not be read again until the next generation.
final class RecentContents: Sendable {
    private struct State {
        var sealed: [String: Data] = [:]
        var bytes = 0
        var moment = 0
    }

    // A device has some dozens of secrets, most of them smaller than a page.
    private static let mostBytes = 1 << 20
    private static let largest = 64 << 10

    private let state = Mutex(State())

    /// Counts how often everything was forgotten.
    var moment: Int { state.withLock { $0.moment } }

    func sealed(_ digest: String) -> Data? { state.withLock { $0.sealed[digest] } }

    /// Keeps what was read, unless everything was forgotten since `moment`.
    func keep(_ sealed: Data, _ digest: String, since moment: Int) {
        guard sealed.count <= Self.largest else { return }
        state.withLock { state in
            guard state.moment == moment else { return }
            if state.bytes + sealed.count > Self.mostBytes { (state.sealed, state.bytes) = ([:], 0) }
            guard state.sealed.updateValue(sealed, forKey: digest) == nil else { return }
            state.bytes += sealed.count
        }
    }

    func forget() {
        state.withLock { state in
            state.moment += 1
            (state.sealed, state.bytes) = ([:], 0)
        }
    }
}
