package import Foundation
package import InputBounds

/// `com.apple.credential.acme`: how a device is to have an identity from a certificate authority by ACME.
package struct ACMEDocument: Hashable, Sendable {
    package enum KeyType: String, Hashable, Sendable {
        case rsa = "RSA"
        case ec = "ECSECPrimeRandom"
    }

    package var directoryURL: String
    /// What the order is for; a device uses it once.
    package var clientIdentifier: String
    package var keyType: KeyType
    package var keySize: Int
    package var hardwareBound: Bool
    package var subject: [[[String]]]
    package var subjectAltName: SubjectAltName?
    /// 1 signs, 4 encrypts, 5 both.
    package var usageFlags: Int?
    /// Dotted object identifiers.
    package var extendedKeyUsage: [String]
    /// Whether the key is to prove where it lives.
    package var attest: Bool

    package init(
        directoryURL: String, clientIdentifier: String, keyType: KeyType = .ec, keySize: Int = 256,
        hardwareBound: Bool = false, subject: [[[String]]], subjectAltName: SubjectAltName? = nil,
        usageFlags: Int? = nil, extendedKeyUsage: [String] = [], attest: Bool = false
    ) {
        self.directoryURL = directoryURL
        self.clientIdentifier = clientIdentifier
        self.keyType = keyType
        self.keySize = keySize
        self.hardwareBound = hardwareBound
        self.subject = subject
        self.subjectAltName = subjectAltName
        self.usageFlags = usageFlags
        self.extendedKeyUsage = extendedKeyUsage
        self.attest = attest
    }

    package init(parsing data: Data) throws(InputRefusal) {
        let fields = try JSONFields(JSONValue(parsing: data, limits: .credential))
        directoryURL = try fields.string("DirectoryURL")
        guard directoryURL.lowercased().hasPrefix("https://") else {
            throw InputRefusal("the key DirectoryURL is not an https URL")
        }
        clientIdentifier = try fields.string("ClientIdentifier", limit: 1_024)
        guard let keyType = KeyType(rawValue: try fields.string("KeyType", limit: 64)) else {
            throw InputRefusal("the key KeyType has an unknown value")
        }
        self.keyType = keyType
        guard let keySize = try fields.intIfPresent("KeySize") else { throw InputRefusal("the key KeySize is missing") }
        self.keySize = keySize
        hardwareBound = try fields.bool("HardwareBound")
        guard fields.entries["Subject"] != nil else { throw InputRefusal("the key Subject is missing") }
        subject = try fields.subject("Subject")
        subjectAltName = try fields.subjectAltName("SubjectAltName")
        usageFlags = try fields.intIfPresent("UsageFlags")
        extendedKeyUsage = try fields.stringsIfPresent("ExtendedKeyUsage") ?? []
        guard extendedKeyUsage.count <= 32, extendedKeyUsage.allSatisfy({ $0.utf8.count <= 128 }) else {
            throw InputRefusal("the key ExtendedKeyUsage is too long")
        }
        attest = try fields.boolIfPresent("Attest") ?? false
        try checkKey()
    }

    // What a key may be, by its kind and by where it lives.
    func checkKey() throws(InputRefusal) {
        switch keyType {
        case .rsa:
            guard (1_024...4_096).contains(keySize), keySize.isMultiple(of: 8) else {
                throw InputRefusal("the key KeySize is not one of an RSA key")
            }
            guard !hardwareBound else { throw InputRefusal("an RSA key cannot be hardware bound") }
        case .ec:
            guard [256, 384, 521].contains(keySize) else {
                throw InputRefusal("the key KeySize is not one of a curve")
            }
            guard !hardwareBound || keySize < 521 else {
                throw InputRefusal("a hardware bound key has 256 or 384 bits")
            }
        }
        guard !attest || hardwareBound else { throw InputRefusal("only a hardware bound key can be attested") }
    }

    package func encoded() -> Data {
        var entries: [String: JSONValue] = [
            "DirectoryURL": .string(directoryURL), "ClientIdentifier": .string(clientIdentifier),
            "KeyType": .string(keyType.rawValue), "KeySize": .integer(Int64(keySize)),
            "HardwareBound": .boolean(hardwareBound), "Subject": .subject(subject), "Attest": .boolean(attest),
        ]
        if let subjectAltName { entries["SubjectAltName"] = subjectAltName.value }
        if let usageFlags { entries["UsageFlags"] = .integer(Int64(usageFlags)) }
        if !extendedKeyUsage.isEmpty {
            entries["ExtendedKeyUsage"] = .array(extendedKeyUsage.map(JSONValue.string))
        }
        return JSONValue.object(entries).encoded()
    }
}
