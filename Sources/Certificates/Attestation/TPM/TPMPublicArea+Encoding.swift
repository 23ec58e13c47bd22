package import Foundation

extension TPMPublicArea {
    /// Reads TPMT_PUBLIC of an RSA key, a key on P-256 or P-384, or sealed bytes.
    package init(decoding data: Data) throws(TPMMalformed) {
        var reader = try TPMReader(data)
        let type = try reader.algorithm()
        guard let nameHash = TPMHash(rawValue: try reader.integer()) else { throw TPMMalformed() }
        self.nameHash = nameHash
        attributes = TPMAttributes(rawValue: try reader.integer())
        policy = try reader.sized()
        switch type {
        case .rsa:
            let symmetric = try reader.symmetric()
            let scheme = try reader.scheme()
            let bits = try reader.integer(UInt16.self)
            // The only exponent there is a reason for.
            let exponent = try reader.integer(UInt32.self)
            guard exponent == 0 || exponent == 65_537 else { throw TPMMalformed() }
            kind = .rsa(
                RSA(
                    symmetric: symmetric, scheme: scheme, bits: bits, exponent: exponent, modulus: try reader.sized()))
        case .ecc:
            let symmetric = try reader.symmetric()
            let scheme = try reader.scheme()
            guard let curve = TPMCurve(rawValue: try reader.integer()) else { throw TPMMalformed() }
            guard try reader.algorithm() == .null else { throw TPMMalformed() }
            let x = try reader.sized()
            let y = try reader.sized()
            guard x.count <= curve.size, y.count <= curve.size else { throw TPMMalformed() }
            kind = .ecc(ECC(symmetric: symmetric, scheme: scheme, curve: curve, x: x, y: y))
        case .keyedHash:
            guard try reader.algorithm() == .null else { throw TPMMalformed() }
            kind = .sealed(unique: try reader.sized())
        default: throw TPMMalformed()
        }
        try reader.finish()
    }

    /// TPMT_PUBLIC.
    package var encoded: Data {
        var writer = TPMWriter()
        switch kind {
        case .rsa(let key):
            writeHead(.rsa, &writer)
            writer.symmetric(key.symmetric)
            writer.scheme(key.scheme)
            writer.integer(key.bits)
            writer.integer(key.exponent)
            writer.sized(key.modulus)
        case .ecc(let key):
            writeHead(.ecc, &writer)
            writer.symmetric(key.symmetric)
            writer.scheme(key.scheme)
            writer.integer(key.curve.rawValue)
            writer.integer(TPMAlgorithm.null.rawValue)
            writer.sized(key.x)
            writer.sized(key.y)
        case .sealed(let unique):
            writeHead(.keyedHash, &writer)
            writer.integer(TPMAlgorithm.null.rawValue)
            writer.sized(unique)
        }
        return writer.data
    }

    private func writeHead(_ type: TPMAlgorithm, _ writer: inout TPMWriter) {
        writer.integer(type.rawValue)
        writer.integer(nameHash.rawValue)
        writer.integer(attributes.rawValue)
        writer.sized(policy)
    }
}

extension TPMReader {
    fileprivate mutating func algorithm() throws(TPMMalformed) -> TPMAlgorithm {
        guard let algorithm = TPMAlgorithm(rawValue: try integer()) else { throw TPMMalformed() }
        return algorithm
    }

    fileprivate mutating func symmetric() throws(TPMMalformed) -> TPMPublicArea.Symmetric? {
        switch try algorithm() {
        case .null: return nil
        case .aes:
            let bits = try integer(UInt16.self)
            guard bits == 128 || bits == 256, try algorithm() == .cfb else { throw TPMMalformed() }
            return TPMPublicArea.Symmetric(bits: bits)
        default: throw TPMMalformed()
        }
    }

    fileprivate mutating func scheme() throws(TPMMalformed) -> TPMPublicArea.Scheme? {
        let algorithm = try algorithm()
        switch algorithm {
        case .null: return nil
        case .rsaPKCS1Encryption: return TPMPublicArea.Scheme(algorithm)
        case .rsaPKCS1Signature, .rsaPSS, .oaep, .ecdsa, .ecdh:
            guard let hash = TPMHash(rawValue: try integer()) else { throw TPMMalformed() }
            return TPMPublicArea.Scheme(algorithm, hash)
        default: throw TPMMalformed()
        }
    }
}

extension TPMWriter {
    fileprivate mutating func symmetric(_ symmetric: TPMPublicArea.Symmetric?) {
        guard let symmetric else { return integer(TPMAlgorithm.null.rawValue) }
        integer(TPMAlgorithm.aes.rawValue)
        integer(symmetric.bits)
        integer(TPMAlgorithm.cfb.rawValue)
    }

    fileprivate mutating func scheme(_ scheme: TPMPublicArea.Scheme?) {
        guard let scheme else { return integer(TPMAlgorithm.null.rawValue) }
        integer(scheme.algorithm.rawValue)
        if let hash = scheme.hash { integer(hash.rawValue) }
    }
}
