import SwiftASN1
import X509

extension IdentityProfile {
    /// Refuses what no certificate can say: too long, too many, or of an unknown kind.
    package func check() throws(IssuanceRefusal) {
        _ = try distinguishedName
        _ = try alternativeNames
        guard signs || enciphers, validity > 0 else { throw .profile }
        guard Set(purposes).isSubset(of: Self.purposes) else { throw .profile }
    }

    var distinguishedName: DistinguishedName {
        get throws(IssuanceRefusal) {
            guard (1...16).contains(subject.count) else { throw .subject }
            do {
                return DistinguishedName(try subject.map { RelativeDistinguishedName([try Self.attribute($0)]) })
            } catch {
                throw .subject
            }
        }
    }

    var alternativeNames: [GeneralName] {
        get throws(IssuanceRefusal) {
            let texts = [names.email, names.dns, names.uri, names.principal, permanentIdentifier].compactMap { $0 }
            guard texts.allSatisfy({ (1...1_024).contains($0.utf8.count) }),
                // RFC 5280 §4.2.1.6: these three are IA5String.
                [names.email, names.dns, names.uri].allSatisfy({ $0.map(Self.isASCII) ?? true })
            else { throw .alternativeName }
            var found: [GeneralName] = []
            if let email = names.email { found.append(.rfc822Name(email)) }
            if let dns = names.dns {
                guard Authority.isDNSName(dns) else { throw .alternativeName }
                found.append(.dnsName(dns))
            }
            if let uri = names.uri { found.append(.uniformResourceIdentifier(uri)) }
            do {
                if let principal = names.principal {
                    found.append(
                        .otherName(
                            .init(
                                typeID: [1, 3, 6, 1, 4, 1, 311, 20, 2, 3],
                                value: try ASN1Any(erasing: ASN1UTF8String(principal)))))
                }
                if let permanentIdentifier { found.append(try Self.permanentIdentifier(permanentIdentifier)) }
            } catch {
                throw .alternativeName
            }
            return found
        }
    }

    private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { (0x21...0x7e).contains($0) } }

    /// `otherName` of type id-on-permanentIdentifier: a text, whose assigner is left out.
    private static func permanentIdentifier(_ text: String) throws -> GeneralName {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { try $0.serialize(ASN1UTF8String(text)) }
        let value = try ASN1Any(derEncoded: serializer.serializedBytes)
        return .otherName(.init(typeID: [1, 3, 6, 1, 5, 5, 7, 8, 3], value: value))
    }

    // MARK: The subject

    /// The bounds are those of X.520; what it does not know is bounded like a name.
    private static func attribute(_ attribute: Attribute) throws -> RelativeDistinguishedName.Attribute {
        let (type, bound) = try kind(attribute.type)
        let text = attribute.value
        guard (1...bound).contains(text.unicodeScalars.count), !text.unicodeScalars.contains(where: { $0.value < 32 })
        else { throw IssuanceRefusal.subject }
        switch attribute.type {
        case "E": return try .init(type: type, ia5String: text)
        case "C":
            guard text.utf8.count == 2 else { throw IssuanceRefusal.subject }
            return try .init(type: type, printableString: text)
        case "SERIALNUMBER": return try .init(type: type, printableString: text)
        default: return .init(type: type, utf8String: text)
        }
    }

    private static func kind(_ name: String) throws -> (ASN1ObjectIdentifier, bound: Int) {
        switch name {
        case "C": return (.RDNAttributeType.countryName, 2)
        case "CN": return (.RDNAttributeType.commonName, 64)
        case "E": return (.RDNAttributeType.emailAddress, 255)
        case "L": return (.RDNAttributeType.localityName, 128)
        case "O": return (.RDNAttributeType.organizationName, 64)
        case "OU": return (.RDNAttributeType.organizationalUnitName, 64)
        case "SERIALNUMBER": return ([2, 5, 4, 5], 64)
        case "ST": return (.RDNAttributeType.stateOrProvinceName, 128)
        default:
            guard let number = ASN1ObjectIdentifier(dotted: name) else { throw IssuanceRefusal.subject }
            return (number, 64)
        }
    }
}

extension ASN1ObjectIdentifier {
    /// Reads a dotted number; nothing where it is none.
    init?(dotted text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt($0) }
        let numbers = parts.compactMap { $0 }
        guard numbers.count == parts.count, numbers.count >= 2, numbers[0] <= 2, numbers[0] == 2 || numbers[1] < 40,
            numbers.allSatisfy({ $0 < 1 << 32 }), let identifier = try? ASN1ObjectIdentifier(elements: numbers)
        else { return nil }
        self = identifier
    }
}
