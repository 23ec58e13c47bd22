import Foundation

/// What this library says of a certificate: whose it is, and its public key.
///
/// Nothing here judges it: `ManagedAppSecurity` does.
struct CertificateFields: Sendable {
    /// The name a person would call the subject by.
    let summary: String?

    /// The last common name of the subject; nil where it has none.
    let commonName: String?

    /// The public key; nil for a kind that nobody here can use.
    let publicKey: PublicKeyBits?

    // Far above what a certificate has; the agent delivers none that is larger.
    private static let largest = 65_536

    /// Reads a certificate in DER; nil when it is none.
    init?(_ der: Data) {
        guard der.count <= Self.largest else { return nil }
        var document = DERReader([UInt8](der)[...])
        guard var certificate = document.enter(0x30), document.isAtEnd, var signed = certificate.enter(0x30),
            certificate.next(0x30) != nil, certificate.next(0x03) != nil, certificate.isAtEnd
        else { return nil }
        _ = signed.next(0xa0)  // the version, where it is not the first
        guard signed.next(0x02) != nil, signed.next(0x30) != nil,  // serial number, algorithm
            signed.next(0x30) != nil, signed.next(0x30) != nil,  // issuer, validity
            let subject = signed.enter(0x30), let key = signed.enter(0x30)
        else { return nil }
        guard let names = Self.names(subject) else { return nil }
        commonName = names[Self.commonNamePart]
        summary = Self.summaryParts.lazy.compactMap { names[$0] }.first { !$0.isEmpty }
        publicKey = PublicKeyBits(key)
    }

    private static let commonNamePart: UInt8 = 3

    // Common name, organizational unit, organization, country: what is closest to a name of its own.
    private static let summaryParts: [UInt8] = [commonNamePart, 11, 10, 6]

    // The usual parts of a subject by the last byte of their type, the last of each; nil for garbage.
    private static func names(_ subject: DERReader) -> [UInt8: String]? {
        var subject = subject
        var names: [UInt8: String] = [:]
        while !subject.isAtEnd {
            guard var set = subject.enter(0x31) else { return nil }
            while !set.isAtEnd {
                guard var pair = set.enter(0x30), let type = pair.next(0x06), let value = pair.next() else {
                    return nil
                }
                // 2.5.4.x, one byte for x: the usual parts of a name.
                guard type.content.count == 3, type.content.starts(with: [0x55, 0x04]), let part = type.content.last,
                    let text = text(value)
                else { continue }
                names[part] = text
            }
        }
        return names
    }

    private static func text(_ value: DERReader.Element) -> String? {
        switch value.tag {
        case 0x0c, 0x13, 0x16: String(validating: value.content, as: UTF8.self)
        case 0x14: String(String.UnicodeScalarView(value.content.map { Unicode.Scalar($0) }))
        case 0x1e: String(bytes: value.content, encoding: .utf16BigEndian)
        default: nil
        }
    }
}

/// A public key, as its owner's certificate carries it.
package struct PublicKeyBits: Sendable {
    package enum Kind: Sendable {
        case rsa, ec
    }

    package let kind: Kind

    /// In bits.
    let size: Int

    /// PKCS #1 for RSA, the point of X9.63 for an elliptic curve.
    let bits: Data

    private static let rsa: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01]
    private static let ec: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]
    private static let curves: [([UInt8], Int)] = [
        ([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07], 256), ([0x2b, 0x81, 0x04, 0x00, 0x22], 384),
        ([0x2b, 0x81, 0x04, 0x00, 0x23], 521),
    ]

    /// Reads the content of a SubjectPublicKeyInfo.
    init?(_ info: DERReader) {
        var info = info
        guard var algorithm = info.enter(0x30), let type = algorithm.next(0x06), let bits = info.next(0x03),
            bits.content.first == 0
        else { return nil }
        let key = bits.content.dropFirst()
        self.bits = Data(key)
        switch Array(type.content) {
        case Self.rsa:
            var document = DERReader(key)
            guard var numbers = document.enter(0x30), let modulus = numbers.next(0x02) else { return nil }
            let digits = modulus.content.drop { $0 == 0 }
            kind = .rsa
            size = digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
        case Self.ec:
            guard let curve = algorithm.next(0x06),
                let known = Self.curves.first(where: { $0.0.elementsEqual(curve.content) })
            else { return nil }
            kind = .ec
            size = known.1
        default:
            return nil
        }
    }
}
