import COpenSSL
import Synchronization

/// A private key that OpenSSL reads once, for any number of messages, also at the same time.
///
/// To read one takes as long as to use it several times. OpenSSL locks what it keeps beside a key, and wipes both when
/// the last user has let go.
package final class LibraryKey: Sendable {
    /// One for each context: keys of one are not for the other.
    private struct Keys {
        var modern: ReadKey?
        var legacy: ReadKey?
    }

    private let key: SigningKey
    private let read = Mutex(Keys())

    /// Reads nothing before the first use.
    package init(_ key: SigningKey) {
        self.key = key
    }

    func of(_ policy: CryptographyPolicy) throws(CMSRefusal) -> ReadKey {
        try read.withLock { keys throws(CMSRefusal) in
            if let known = policy == .modern ? keys.modern : keys.legacy { return known }
            let new = try unsafe ReadKey(LibraryContext.of(policy).key(key))
            if policy == .modern { keys.modern = new } else { keys.legacy = new }
            return new
        }
    }
}

/// OpenSSL's own form of a key; lives as long as somebody holds it.
@safe
final class ReadKey: Sendable {
    nonisolated(unsafe) let pointer: OpaquePointer

    fileprivate init(_ pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit { unsafe EVP_PKEY_free(pointer) }
}
