import COpenSSL
import Foundation

/// OpenSSL's own judgement of a detached signature, to hold ours against.
enum OpenSSLReference {
    /// Whether `CMS_verify` accepts; the certificate's own validity is left out, as in ours.
    static func accepts(_ cms: Data, over body: Data) -> Bool {
        defer { ERR_clear_error() }
        let cms = [UInt8](cms)
        let body = [UInt8](body)
        let message = unsafe cms.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return unsafe d2i_CMS_ContentInfo(nil, &cursor, buffer.count)
        }
        guard let message = unsafe message else { return false }
        defer { unsafe CMS_ContentInfo_free(message) }
        return unsafe body.withUnsafeBytes { bytes in
            let source = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer { unsafe BIO_free(source) }
            let flags = UInt32(CMS_NO_SIGNER_CERT_VERIFY | CMS_BINARY)
            return unsafe CMS_verify(message, nil, nil, source, nil, flags) == 1
        }
    }

    static var hasErrors: Bool { ERR_peek_error() != 0 }
}
