package import AppSpecification
import Synchronization

/// Specifications that were read, so that each configuration that is set does not have up to fifty documents read anew.
///
/// They are named by the digests of their documents, so what is kept is never out of date.
package final class SpecificationCache: Sendable {
    /// Of documents; what was read of one takes some twenty times as much.
    private let capacityBytes: Int

    private struct State {
        /// Of a document that is refused nothing is kept but that.
        var read: [String: AppSpecification?] = [:]
        var bytes = 0
    }

    private let state = Mutex(State())

    package init(capacityBytes: Int = 2 << 20) { self.capacityBytes = capacityBytes }

    /// What was read of a document, if it was; inside is nothing if a later version of the rules refuses it.
    package func known(_ sha256: String) -> AppSpecification?? { state.withLock { $0.read[sha256] } }

    /// Reads a document unless it was read already.
    package func read(_ document: SpecificationDocument) -> AppSpecification? {
        let sha256 = document.record.sha256
        if let known = known(sha256) { return known }
        let specification = try? AppSpecification(parsing: document.bytes)
        state.withLock { state in
            guard state.read[sha256] == nil, document.bytes.count <= capacityBytes else { return }
            if state.bytes + document.bytes.count > capacityBytes { state = State() }
            state.read.updateValue(specification, forKey: sha256)
            state.bytes += document.bytes.count
        }
        return specification
    }
}
