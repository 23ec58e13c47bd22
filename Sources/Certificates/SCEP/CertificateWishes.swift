import SwiftASN1
import X509

/// What a requester asks to have in its certificate beside the subject; the authority decides.
package struct CertificateWishes: Sendable, Equatable {
    package var emailAddress: String?
    package var dnsName: String?
    package var uri: String?
    /// A user principal name, as Windows has them.
    package var principalName: String?
    /// The lasting name of a device (RFC 4043).
    package var permanentIdentifier: String?
    /// Dotted object identifiers of what the key is to be used for.
    package var extendedKeyUsage: [String] = []
    package var signs = false
    package var encrypts = false

    private static let longest = 1_024
    private static let mostUsages = 32

    /// Asks for nothing.
    package init() {}

    var extensions: Certificate.Extensions? {
        get throws {
            let names = try names
            let usages = try usages
            guard !names.isEmpty || !usages.isEmpty || signs || encrypts else { return nil }
            return try Certificate.Extensions {
                if !names.isEmpty { SubjectAlternativeNames(names) }
                if signs || encrypts { Critical(KeyUsage(digitalSignature: signs, keyEncipherment: encrypts)) }
                if !usages.isEmpty { try ExtendedKeyUsage(usages) }
            }
        }
    }

    private var names: [GeneralName] {
        get throws {
            let texts = [emailAddress, dnsName, uri, principalName, permanentIdentifier].compactMap { $0 }
            guard texts.allSatisfy({ (1...Self.longest).contains($0.utf8.count) }) else {
                throw CertificateRequestRefusal.subject
            }
            var names: [GeneralName] = []
            if let emailAddress { names.append(.rfc822Name(emailAddress)) }
            if let dnsName { names.append(.dnsName(dnsName)) }
            if let uri { names.append(.uniformResourceIdentifier(uri)) }
            if let principalName {
                names.append(
                    .otherName(
                        .init(typeID: .userPrincipalName, value: try ASN1Any(erasing: ASN1UTF8String(principalName)))))
            }
            if let permanentIdentifier {
                names.append(
                    .otherName(.init(typeID: .permanentIdentifier, value: try Self.sequence(of: permanentIdentifier))))
            }
            return names
        }
    }

    private var usages: [ExtendedKeyUsage.Usage] {
        get throws {
            guard extendedKeyUsage.count <= Self.mostUsages else { throw CertificateRequestRefusal.attributes }
            return try extendedKeyUsage.map { text in
                guard let identifier = ASN1ObjectIdentifier(dotted: text) else {
                    throw CertificateRequestRefusal.attributes
                }
                return ExtendedKeyUsage.Usage(oid: identifier)
            }
        }
    }

    private static func sequence(of text: String) throws -> ASN1Any {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { try $0.serialize(ASN1UTF8String(text)) }
        return try ASN1Any(derEncoded: serializer.serializedBytes)
    }
}

extension ASN1ObjectIdentifier {
    fileprivate static let userPrincipalName: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 311, 20, 2, 3]
    fileprivate static let permanentIdentifier: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 8, 3]
}
