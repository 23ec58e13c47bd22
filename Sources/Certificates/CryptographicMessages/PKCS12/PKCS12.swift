import COpenSSL
package import Foundation

/// PKCS #12 files, as OpenSSL, Windows and Java write them.
package enum PKCS12 {
    /// Opens a file with its password.
    ///
    /// It bounds the work that the file asks for before it begins. If anything in the file is encrypted, the errors
    /// distinguish a wrong password from damage.
    package static func open(_ file: Data, password: String) throws(PKCS12Refusal) -> PKCS12Contents {
        guard file.count <= PKCS12Limits.bytes, password.utf8.count <= PKCS12Limits.passwordBytes else {
            throw .tooLarge
        }
        return try withEmptyErrorQueue { () throws(PKCS12Refusal) in
            guard let library = try? LibraryContext.of(.legacy) else { throw .library }
            return try PKCS12File.with([UInt8](file), library) { (file) throws(PKCS12Refusal) in
                try file.open(with: password)
            }
        }
    }
}

/// A file that was read but not yet opened; valid only while `with` lends it.
@safe
struct PKCS12File {
    private let pointer: OpaquePointer
    private let safes: OpaquePointer
    private let library: LibraryContext
    private var work = PKCS12Work()

    static func with<Result>(
        _ der: [UInt8], _ library: LibraryContext, _ body: (inout PKCS12File) throws(PKCS12Refusal) -> Result
    ) throws(PKCS12Refusal) -> Result {
        var pointer = unsafe PKCS12_init_ex(NID_pkcs7_data, library.pointer, nil)
        guard unsafe pointer != nil else { throw .library }
        let isWhole = unsafe der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return unsafe d2i_PKCS12(&pointer, &cursor, buffer.count) != nil
                && cursor == buffer.baseAddress.map { unsafe $0 + buffer.count }
        }
        defer { unsafe PKCS12_free(pointer) }
        guard isWhole, let pointer = unsafe pointer, let safes = unsafe PKCS12_unpack_authsafes(pointer) else {
            throw .malformed
        }
        defer { unsafe c_sk_PKCS7_pop_free(safes) }
        var file = unsafe PKCS12File(pointer: pointer, safes: safes, library: library)
        return try body(&file)
    }

    private init(pointer: OpaquePointer, safes: OpaquePointer, library: LibraryContext) {
        unsafe self.pointer = pointer
        unsafe self.safes = safes
        self.library = library
    }

    mutating func open(with password: String) throws(PKCS12Refusal) -> PKCS12Contents {
        // An empty password is written in two ways; files of both kinds are about.
        var candidates: [PKCS12Password] = [PKCS12Password(password)]
        if password.isEmpty { candidates.insert(PKCS12Password(nil), at: 0) }
        guard unsafe c_sk_PKCS7_num(safes) <= PKCS12Limits.safes else { throw .tooLarge }
        for candidate in candidates {
            try unsafe work.spend(macOf: pointer)
            guard unsafe candidate.verifiesMAC(of: pointer) else { continue }
            return try contents(candidate)
        }
        for candidate in candidates {
            if try opensAnything(candidate) { throw .damaged }
        }
        throw .password
    }

    /// Whether anything encrypted opens: then it is not the password that is wrong.
    private mutating func opensAnything(_ password: PKCS12Password) throws(PKCS12Refusal) -> Bool {
        var bags = PKCS12Bags()
        for index in 0..<max(0, unsafe c_sk_PKCS7_num(safes)) {
            let safe = unsafe c_sk_PKCS7_value(safes, index)
            do throws(PKCS12Refusal) {
                try unsafe read(safe, password, into: &bags)
                if unsafe c_PKCS7_cipher(safe) != nil { return true }
            } catch {
                if error == .tooMuchWork { throw error }
            }
        }
        return bags.decryptedKeys > 0
    }

    private mutating func contents(_ password: PKCS12Password) throws(PKCS12Refusal) -> PKCS12Contents {
        var bags = PKCS12Bags()
        for index in 0..<max(0, unsafe c_sk_PKCS7_num(safes)) {
            try unsafe read(c_sk_PKCS7_value(safes, index), password, into: &bags)
        }
        guard bags.keys.count == 1, let key = bags.keys.first else { throw .notExactlyOneKey }
        return PKCS12Contents(certificates: try PKCS12Chain.order(bags.certificates, of: key, library), key: key)
    }

    private mutating func read(
        _ safe: UnsafeMutablePointer<PKCS7>?, _ password: PKCS12Password, into found: inout PKCS12Bags
    ) throws(PKCS12Refusal) {
        guard let safe = unsafe safe else { throw .malformed }
        let bags: OpaquePointer?
        if let cipher = unsafe c_PKCS7_cipher(safe) {
            try unsafe work.spend(cipher)
            unsafe bags = password.with { unsafe PKCS12_unpack_p7encdata(safe, $0, $1) }
            guard unsafe bags != nil else { throw .damaged }
        } else {
            guard unsafe c_PKCS7_is_data(safe) == 1 else { throw .algorithm }
            unsafe bags = PKCS12_unpack_p7data(safe)
            guard unsafe bags != nil else { throw .malformed }
        }
        defer { unsafe c_sk_PKCS12_SAFEBAG_pop_free(bags) }
        for index in 0..<max(0, unsafe c_sk_PKCS12_SAFEBAG_num(bags)) {
            guard let bag = unsafe c_sk_PKCS12_SAFEBAG_value(bags, index) else { throw .malformed }
            try unsafe found.read(bag, password, library, &work)
        }
    }
}
