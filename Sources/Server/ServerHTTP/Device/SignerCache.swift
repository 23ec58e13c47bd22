import CryptographicMessages
import Foundation
import InputBounds
import Synchronization

/// The verification keys of the enrollments that signed lately, so that a certificate is not parsed per request.
///
/// Two generations: when the young one is full the old one goes, and what is still used moves back.
final class SignerCache: Sendable {
    struct Known: Sendable {
        let signer: PinnedSigner
        let notAfter: Date
        /// Legacy where the enrollment may sign with SHA-1, and did.
        let policy: CryptographyPolicy
    }

    private struct Generations {
        var young: [ByteText: Known] = [:]
        var youngBytes = 0
        var old: [ByteText: Known] = [:]
    }

    private let generations = Mutex(Generations())
    private let generationBytes: Int

    /// Keeps as many as take about `bytes` of memory.
    init(bytes: Int) {
        generationBytes = bytes / 2
    }

    func signer(of enrollment: String) -> Known? {
        let enrollment = ByteText(enrollment)
        return generations.withLock { generations in
            if let known = generations.young[enrollment] { return known }
            guard let known = generations.old[enrollment] else { return nil }
            insert(known, enrollment, &generations)
            return known
        }
    }

    func keep(_ known: Known, of enrollment: String) {
        guard enrollment.utf8.count <= 512 else { return }
        generations.withLock { insert(known, ByteText(enrollment), &$0) }
    }

    private func insert(_ known: Known, _ enrollment: ByteText, _ generations: inout Generations) {
        let bytes = Self.size(known, enrollment)
        guard bytes <= generationBytes else { return }
        if let replaced = generations.young.removeValue(forKey: enrollment) {
            generations.youngBytes -= Self.size(replaced, enrollment)
        }
        if generations.youngBytes + bytes > generationBytes {
            (generations.old, generations.young, generations.youngBytes) = (generations.young, [:], 0)
        }
        generations.young[enrollment] = known
        generations.youngBytes += bytes
    }

    private static func size(_ known: Known, _ enrollment: ByteText) -> Int {
        known.signer.memoryBytes + enrollment.text.utf8.count + MemoryLayout<Known>.stride
    }
}
