import COpenSSL

/// OpenSSL with providers of its own, so that neither a system-wide configuration nor legacy algorithms leak in or out.
///
/// The two contexts live as long as the process.
@safe
struct LibraryContext: Sendable {
    nonisolated(unsafe) let pointer: OpaquePointer

    private init?(providers: [String]) {
        guard let context = unsafe OSSL_LIB_CTX_new() else { return nil }
        for name in providers where unsafe OSSL_PROVIDER_load(context, name) == nil {
            unsafe OSSL_LIB_CTX_free(context)
            ERR_clear_error()
            return nil
        }
        unsafe pointer = context
    }

    private static let modern = LibraryContext(providers: ["default"])
    private static let legacy = LibraryContext(providers: ["default", "legacy"])

    static func of(_ policy: CryptographyPolicy) throws(CMSRefusal) -> LibraryContext {
        switch policy {
        case .modern:
            guard let modern else { throw .library }
            return modern
        case .legacy:
            guard let legacy else { throw .library }
            return legacy
        }
    }

    // Each reader below returns an object that the caller frees, and refuses bytes after it.

    func message(_ der: [UInt8]) throws(CMSRefusal) -> OpaquePointer {
        guard der.count <= CMSLimits.bytes else { throw .tooLarge }
        var message = unsafe CMS_ContentInfo_new_ex(pointer, nil)
        guard unsafe message != nil else { throw .library }
        let isWhole = unsafe der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return unsafe d2i_CMS_ContentInfo(&message, &cursor, buffer.count) != nil
                && cursor == buffer.baseAddress.map { unsafe $0 + buffer.count }
        }
        guard isWhole, let found = unsafe message else {
            unsafe CMS_ContentInfo_free(message)
            throw .malformed
        }
        return unsafe found
    }

    func certificate(_ der: [UInt8]) throws(CMSRefusal) -> OpaquePointer {
        var certificate = unsafe X509_new_ex(pointer, nil)
        guard unsafe certificate != nil else { throw .library }
        let isWhole = unsafe der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return unsafe d2i_X509(&certificate, &cursor, buffer.count) != nil
                && cursor == buffer.baseAddress.map { unsafe $0 + buffer.count }
        }
        guard isWhole, let found = unsafe certificate else {
            unsafe X509_free(certificate)
            throw .signerCertificate
        }
        return unsafe found
    }

    static func canReadCertificate(_ der: [UInt8]) throws(CMSRefusal) -> Bool {
        try withEmptyErrorQueue { () throws(CMSRefusal) in
            unsafe X509_free(try of(.modern).certificate(der))
            return true
        }
    }

    func key(_ key: SigningKey) throws(CMSRefusal) -> OpaquePointer {
        var der = [UInt8](key.pkcs8)
        defer { unsafe der.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) } }
        let found = unsafe der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return unsafe d2i_AutoPrivateKey_ex(nil, &cursor, buffer.count, pointer, nil)
        }
        guard let found = unsafe found else { throw .library }
        return unsafe found
    }
}

/// Runs `body` and leaves the thread's error queue empty, whatever happens in it.
func withEmptyErrorQueue<Result, Refusal>(_ body: () throws(Refusal) -> Result) throws(Refusal) -> Result {
    ERR_clear_error()
    defer { ERR_clear_error() }
    return try body()
}

/// Lends `bytes` to OpenSSL as a source.
func withSource<Result>(
    _ bytes: [UInt8], _ body: (OpaquePointer) throws(CMSRefusal) -> Result
) throws(CMSRefusal) -> Result {
    guard let source = unsafe BIO_new(BIO_s_mem()) else { throw .library }
    defer { unsafe BIO_free(source) }
    guard unsafe BIO_write(source, bytes, Int32(bytes.count)) == Int32(bytes.count) || bytes.isEmpty else {
        throw .library
    }
    return try unsafe body(source)
}

/// Collects what OpenSSL writes.
func collect(_ body: (OpaquePointer) throws(CMSRefusal) -> Void) throws(CMSRefusal) -> [UInt8] {
    guard let sink = unsafe BIO_new(BIO_s_mem()) else { throw .library }
    defer { unsafe BIO_free(sink) }
    try unsafe body(sink)
    var start: UnsafeMutablePointer<UInt8>?
    let count = unsafe c_BIO_get_mem_data(sink, &start)
    return unsafe [UInt8](UnsafeBufferPointer(start: start, count: max(0, count)))
}

/// Runs one of OpenSSL's encoders.
func derBytes(
    _ encoder: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32
) throws(CMSRefusal) -> [UInt8] {
    var start: UnsafeMutablePointer<UInt8>?
    let count = unsafe encoder(&start)
    defer { unsafe c_OPENSSL_free(start) }
    guard count > 0, let start = unsafe start else { throw .library }
    return unsafe [UInt8](UnsafeBufferPointer(start: start, count: Int(count)))
}
