import COpenSSL
import Foundation

/// The keys and certificates found so far.
struct PKCS12Bags {
    private(set) var keys: [SigningKey] = []
    private(set) var certificates: [[UInt8]] = []
    /// How many keys the password opened.
    private(set) var decryptedKeys = 0
    private var count = 0

    mutating func read(
        _ bag: OpaquePointer, _ password: PKCS12Password, _ library: LibraryContext, _ work: inout PKCS12Work
    ) throws(PKCS12Refusal) {
        count += 1
        guard count <= PKCS12Limits.bags else { throw .tooLarge }
        switch unsafe PKCS12_SAFEBAG_get_nid(bag) {
        case NID_keyBag:
            guard let key = unsafe PKCS12_SAFEBAG_get0_p8inf(bag) else { throw .malformed }
            keys.append(try unsafe Self.key(key))
        case NID_pkcs8ShroudedKeyBag:
            guard let cipher = unsafe c_PKCS12_SAFEBAG_cipher(bag) else { throw .malformed }
            try unsafe work.spend(cipher)
            let opened = unsafe password.with { unsafe PKCS12_decrypt_skey_ex(bag, $0, $1, library.pointer, nil) }
            guard let opened = unsafe opened else { throw .damaged }
            // Frees and overwrites it.
            defer { unsafe PKCS8_PRIV_KEY_INFO_free(opened) }
            decryptedKeys += 1
            keys.append(try unsafe Self.key(opened))
        case NID_certBag:
            guard unsafe PKCS12_SAFEBAG_get_bag_nid(bag) == NID_x509Certificate else { return }
            guard let certificate = unsafe PKCS12_SAFEBAG_get1_cert(bag) else { throw .malformed }
            defer { unsafe X509_free(certificate) }
            guard let der = try? unsafe derBytes({ unsafe i2d_X509(certificate, $0) }) else { throw .malformed }
            certificates.append(der)
        case NID_safeContentsBag:
            // Nesting: nobody writes it.
            throw .algorithm
        default:
            // Revocation lists and whatever else is none of ours.
            return
        }
    }

    private static func key(_ info: OpaquePointer) throws(PKCS12Refusal) -> SigningKey {
        var start: UnsafeMutablePointer<UInt8>?
        let count = Int(unsafe i2d_PKCS8_PRIV_KEY_INFO(info, &start))
        guard count > 0, let start = unsafe start else { throw .key }
        defer {
            unsafe OPENSSL_cleanse(start, count)
            unsafe c_OPENSSL_free(start)
        }
        var der = unsafe Data(bytes: start, count: count)
        defer { der.resetBytes(in: 0..<der.count) }
        guard let key = try? SigningKey(pkcs8: der) else { throw .key }
        return key
    }
}

/// A password in the form that OpenSSL takes; its copy is overwritten when it is let go.
final class PKCS12Password {
    private var octets: [CChar]?

    init(_ text: String?) {
        octets = text.map { $0.utf8.map { CChar(bitPattern: $0) } + [0] }
    }

    deinit {
        unsafe octets?.withUnsafeMutableBytes { bytes in unsafe OPENSSL_cleanse(bytes.baseAddress, bytes.count) }
    }

    func with<Result>(_ body: (UnsafePointer<CChar>?, Int32) -> Result) -> Result {
        guard let octets else { return body(nil, 0) }
        return unsafe octets.withUnsafeBufferPointer { unsafe body($0.baseAddress, Int32($0.count - 1)) }
    }

    func verifiesMAC(of file: OpaquePointer) -> Bool {
        unsafe with { unsafe PKCS12_verify_mac(file, $0, $1) == 1 }
    }
}

/// Finds the certificate of a key and those above it.
enum PKCS12Chain {
    static func order(
        _ certificates: [[UInt8]], of key: SigningKey, _ library: LibraryContext
    ) throws(PKCS12Refusal) -> [Data] {
        guard let privateKey = try? unsafe library.key(key) else { throw .library }
        defer { unsafe EVP_PKEY_free(privateKey) }
        var rest: [(der: [UInt8], pointer: OpaquePointer)] = unsafe []
        defer { unsafe rest.forEach { unsafe X509_free($0.pointer) } }
        for der in certificates {
            guard let pointer = try? unsafe library.certificate(der) else { throw .malformed }
            unsafe rest.append((der, pointer))
        }
        var place = unsafe rest.firstIndex { unsafe X509_check_private_key($0.pointer, privateKey) == 1 }
        guard place != nil else { throw .certificate }
        var chain: [Data] = []
        var used: Set<Int> = []
        while let current = place {
            used.insert(current)
            chain.append(Data(unsafe rest[current].der))
            let below = unsafe rest[current].pointer
            place = unsafe rest.indices.first { index in
                unsafe !used.contains(index) && X509_check_issued(rest[index].pointer, below) == X509_V_OK
            }
        }
        return chain
    }
}
