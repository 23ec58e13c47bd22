import COpenSSL

/// Counts what a file makes us compute, and refuses before it is computed.
struct PKCS12Work {
    private var left = PKCS12Limits.work

    /// The digests that a MAC may be made with.
    private static let macDigests = [NID_sha1, NID_sha224, NID_sha256, NID_sha384, NID_sha512]

    /// The password-based schemes of PKCS #12 itself, as old files have them.
    private static let oldSchemes = [
        NID_pbe_WithSHA1And128BitRC4, NID_pbe_WithSHA1And40BitRC4, NID_pbe_WithSHA1And3_Key_TripleDES_CBC,
        NID_pbe_WithSHA1And2_Key_TripleDES_CBC, NID_pbe_WithSHA1And128BitRC2_CBC, NID_pbe_WithSHA1And40BitRC2_CBC,
    ]

    /// Takes the iterations of one derivation from what is left.
    mutating func spend(_ iterations: Int64) throws(PKCS12Refusal) {
        guard iterations >= 1 else { throw .malformed }
        guard iterations <= PKCS12Limits.iterations, iterations <= left else { throw .tooMuchWork }
        left -= iterations
    }

    /// Takes what the MAC costs.
    mutating func spend(macOf file: OpaquePointer) throws(PKCS12Refusal) {
        guard unsafe PKCS12_mac_present(file) == 1 else { throw .unauthenticated }
        guard Self.macDigests.contains(unsafe c_PKCS12_mac_digest(file)) else { throw .algorithm }
        try spend(unsafe c_PKCS12_mac_iterations(file))
    }

    /// Takes what decrypting with `cipher` costs.
    mutating func spend(_ cipher: UnsafePointer<X509_ALGOR>) throws(PKCS12Refusal) {
        var start: UnsafePointer<UInt8>?
        let count = unsafe c_X509_ALGOR_parameters(cipher, &start)
        guard count > 0, let start = unsafe start else { throw .algorithm }
        let parameters = unsafe [UInt8](UnsafeBufferPointer(start: start, count: Int(count)))
        let identifier = unsafe c_X509_ALGOR_identifier(cipher)
        do {
            var file = DERCursor(parameters)
            var sequence = try file.enter(DERTag.sequence)
            if identifier == NID_pbes2 {
                var derivation = try sequence.enter(DERTag.sequence)
                let function = parameters[try derivation.next(DERTag.objectIdentifier).content]
                // No scrypt: its memory is the file's choice.
                guard function.elementsEqual(ObjectIdentifiers.pbkdf2) else { throw PKCS12Refusal.algorithm }
                sequence = try derivation.enter(DERTag.sequence)
            } else if !Self.oldSchemes.contains(identifier) {
                throw PKCS12Refusal.algorithm
            }
            _ = try sequence.next(DERTag.octetString)
            try spend(Self.number(parameters[try sequence.next(DERTag.integer).content]))
        } catch let refusal as PKCS12Refusal {
            throw refusal
        } catch {
            throw .malformed
        }
    }

    private static func number(_ octets: ArraySlice<UInt8>) -> Int64 {
        guard let first = octets.first, first < 0x80 else { return 0 }
        guard octets.count <= 8 else { return .max }
        return octets.reduce(0) { $0 << 8 | Int64($1) }
    }
}
