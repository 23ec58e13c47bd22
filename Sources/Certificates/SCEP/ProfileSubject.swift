import SwiftASN1
import X509

extension DistinguishedName {
    var commonName: String? {
        let attribute = lazy.flatMap { $0 }.first { $0.type == .RDNAttributeType.commonName }
        return attribute.flatMap { String($0.value) }
    }

    /// Reads the subject of a SCEP profile: `[[["CN", "device"]], [["O", "Example"]]]`.
    ///
    /// A kind of name is one of the usual letters or a dotted object identifier.
    init(profileSubject: [[[String]]]) throws {
        guard profileSubject.count <= 16 else { throw CertificateRequestRefusal.subject }
        self.init(
            try profileSubject.map { names in
                guard !names.isEmpty, names.count <= 8 else { throw CertificateRequestRefusal.subject }
                return RelativeDistinguishedName(try names.map(Self.attribute))
            })
    }

    private static func attribute(_ pair: [String]) throws -> RelativeDistinguishedName.Attribute {
        guard pair.count == 2, pair[1].utf8.count <= 256, let type = type(pair[0]) else {
            throw CertificateRequestRefusal.subject
        }
        // RFC 5280: an address is IA5String, a country and a serial number are PrintableString.
        if type == .RDNAttributeType.emailAddress {
            guard let value = try? RelativeDistinguishedName.Attribute.Value(ia5String: pair[1]) else {
                throw CertificateRequestRefusal.subject
            }
            return RelativeDistinguishedName.Attribute(type: type, value: value)
        }
        if type == .RDNAttributeType.countryName || type == serialNumber {
            guard let value = try? RelativeDistinguishedName.Attribute.Value(printableString: pair[1]) else {
                throw CertificateRequestRefusal.subject
            }
            return RelativeDistinguishedName.Attribute(type: type, value: value)
        }
        return RelativeDistinguishedName.Attribute(type: type, value: .init(utf8String: pair[1]))
    }

    private static let serialNumber: ASN1ObjectIdentifier = [2, 5, 4, 5]

    private static func type(_ name: String) -> ASN1ObjectIdentifier? {
        switch name {
        case "CN": return .RDNAttributeType.commonName
        case "C": return .RDNAttributeType.countryName
        case "E": return .RDNAttributeType.emailAddress
        case "SERIALNUMBER": return serialNumber
        case "L": return .RDNAttributeType.localityName
        case "ST": return .RDNAttributeType.stateOrProvinceName
        case "O": return .RDNAttributeType.organizationName
        case "OU": return .RDNAttributeType.organizationalUnitName
        default: return ASN1ObjectIdentifier(dotted: name)
        }
    }
}

extension ASN1ObjectIdentifier {
    /// Reads numbers with dots between them.
    init?(dotted text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt($0) }
        let numbers = parts.compactMap { $0 }
        guard numbers.count == parts.count, numbers.count >= 2, numbers[0] <= 2,
            numbers[0] == 2 || numbers[1] < 40, numbers.allSatisfy({ $0 < 1 << 32 }),
            let identifier = try? ASN1ObjectIdentifier(elements: numbers)
        else { return nil }
        self = identifier
    }
}
