import COpenSSL
import Foundation

/// OpenSSL's own judgement of a detached signature, to hold ours against.
enum OpenSSLReference {
    /// Whether `CMS_verify` accepts the whole of `cms`; the certificate's own validity is left out, as in ours.
    ///
    /// With `signer` it must also have taken that certificate for a signer's.
    static func accepts(_ cms: Data, over body: Data, by signer: Data? = nil) -> Bool {
        defer { ERR_clear_error() }
        let cms = [UInt8](cms)
        let body = [UInt8](body)
        let message = unsafe cms.withUnsafeBufferPointer { (buffer) -> OpaquePointer? in
            var cursor = buffer.baseAddress
            let message = unsafe d2i_CMS_ContentInfo(nil, &cursor, buffer.count)
            guard unsafe cursor == buffer.baseAddress.map({ unsafe $0 + buffer.count }) else {
                unsafe CMS_ContentInfo_free(message)
                return nil
            }
            return unsafe message
        }
        guard let message = unsafe message else { return false }
        defer { unsafe CMS_ContentInfo_free(message) }
        return unsafe body.withUnsafeBytes { bytes in
            let source = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer { unsafe BIO_free(source) }
            let flags = UInt32(CMS_NO_SIGNER_CERT_VERIFY | CMS_BINARY)
            guard unsafe CMS_verify(message, nil, nil, source, nil, flags) == 1 else { return false }
            return signer.map { signer in unsafe Self.signers(of: message).contains(signer) } ?? true
        }
    }

    private static func signers(of message: OpaquePointer) -> [Data] {
        let certificates = unsafe CMS_get0_signers(message)
        defer { unsafe c_sk_X509_free(certificates) }
        return (0..<max(0, unsafe c_sk_X509_num(certificates))).map { index in
            var start: UnsafeMutablePointer<UInt8>?
            let count = unsafe i2d_X509(c_sk_X509_value(certificates, index), &start)
            defer { unsafe c_OPENSSL_free(start) }
            return unsafe Data(UnsafeBufferPointer(start: start, count: Int(max(0, count))))
        }
    }

    static var hasErrors: Bool { ERR_peek_error() != 0 }
}
