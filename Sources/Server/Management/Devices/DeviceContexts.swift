import Foundation
import InputBounds
import Synchronization

/// The contexts of the devices seen lately, so that a request with nothing to do costs no read.
struct DeviceContexts: Sendable {
    /// Some 500 bytes each.
    private let contexts = BoundedCache<ByteText, DeviceContext>(capacity: 32_768)
    private let keys = BoundedCache<Data, String>(capacity: 32_768)

    func context(_ key: String, _ load: () async throws -> DeviceContext?) async throws -> DeviceContext? {
        // What becomes of a device becomes of its users' channels, and they are few: those are read each time.
        guard !key.utf8.contains(UInt8(ascii: ":")) else { return try await load() }
        let key = ByteText(key)
        if let context = contexts.value(key) { return context }
        let ticket = contexts.ticket(key)
        guard let context = try await load() else { return nil }
        contexts.keep(context, key, ticket)
        return context
    }

    /// To be called after a change of enrollments that are not known one by one.
    func forgetAll() { contexts.forgetAll() }

    /// The enrollment to which a certificate is pinned, or that it was issued to renew.
    ///
    /// A certificate is pinned once and for all, that of a renewal to no other enrollment.
    func key(_ fingerprint: Data, _ load: () async throws -> String?) async throws -> String? {
        if let key = keys.value(fingerprint) { return key }
        let ticket = keys.ticket(fingerprint)
        guard let key = try await load() else { return nil }
        keys.keep(key, fingerprint, ticket)
        return key
    }

    /// To be called after every change of an enrollment, when it is on disk and before it is answered.
    func forget(_ key: String) { contexts.forget(ByteText(key)) }
}
