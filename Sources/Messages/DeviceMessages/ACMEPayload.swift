import Foundation
import InputBounds

/// `com.apple.security.acme`: the same as the credential document, as a payload of a profile.
extension ACMEDocument {
    /// Reads the payload; its keys stand beside those that every payload has.
    init(_ payload: MessageFields) throws(InputRefusal) {
        let directoryURL = try payload.string("DirectoryURL")
        guard directoryURL.lowercased().hasPrefix("https://") else {
            throw InputRefusal("the key DirectoryURL is not an https URL")
        }
        guard let keyType = KeyType(rawValue: try payload.string("KeyType", limit: 64)) else {
            throw InputRefusal("the key KeyType has an unknown value")
        }
        let names = try payload.entries["SubjectAltName"].map { value throws(InputRefusal) in
            try SubjectAltName(MessageFields(value))
        }
        self.init(
            directoryURL: directoryURL, clientIdentifier: try payload.string("ClientIdentifier", limit: 255),
            keyType: keyType, keySize: try payload.int("KeySize"), hardwareBound: try payload.bool("HardwareBound"),
            subject: try payload.subject("Subject"), subjectAltName: names,
            usageFlags: try payload.intIfPresent("UsageFlags"),
            extendedKeyUsage: try payload.stringsIfPresent("ExtendedKeyUsage") ?? [],
            attest: try payload.bool("Attest"))
        guard extendedKeyUsage.count <= 32, extendedKeyUsage.allSatisfy({ $0.utf8.count <= 128 }) else {
            throw InputRefusal("the key ExtendedKeyUsage is too long")
        }
        try checkKey()
    }

    func write(to entries: inout MessageEntries) {
        entries.set("DirectoryURL", directoryURL)
        entries.set("ClientIdentifier", clientIdentifier)
        entries.set("KeyType", keyType.rawValue)
        entries.set("KeySize", keySize)
        entries.set("HardwareBound", hardwareBound)
        entries.set("Subject", .subject(subject))
        if let subjectAltName {
            var names = MessageEntries()
            names.set("rfc822Name", subjectAltName.emailAddress)
            names.set("dNSName", subjectAltName.dnsName)
            names.set("uniformResourceIdentifier", subjectAltName.uri)
            names.set("ntPrincipalName", subjectAltName.principalName)
            entries.set("SubjectAltName", names.value)
        }
        entries.set("UsageFlags", usageFlags)
        if !extendedKeyUsage.isEmpty { entries.set("ExtendedKeyUsage", .array(extendedKeyUsage.map { .string($0) })) }
        entries.set("Attest", attest)
    }
}

extension SubjectAltName {
    init(_ fields: MessageFields) throws(InputRefusal) {
        self.init(
            emailAddress: try fields.stringIfPresent("rfc822Name", limit: 1_024),
            dnsName: try fields.stringIfPresent("dNSName", limit: 1_024),
            uri: try fields.stringIfPresent("uniformResourceIdentifier", limit: 1_024),
            principalName: try fields.stringIfPresent("ntPrincipalName", limit: 1_024))
    }
}

extension MessageFields {
    /// Sets of attribute and value pairs.
    func subject(_ key: String) throws(InputRefusal) -> [[[String]]] {
        let refusal = InputRefusal("the key \(key) is not made of pairs of strings")
        var subject: [[[String]]] = []
        for outer in try arrayIfPresent(key) ?? [] {
            guard let pairs = outer.array else { throw refusal }
            var set: [[String]] = []
            for pair in pairs {
                let texts = (pair.array ?? []).compactMap(\.string)
                guard texts.count == 2, pair.array?.count == 2 else { throw refusal }
                set.append(texts)
            }
            subject.append(set)
        }
        return subject
    }
}

extension PropertyListValue {
    /// Sets of attribute and value pairs.
    static func subject(_ subject: [[[String]]]) -> PropertyListValue {
        .array(subject.map { set in .array(set.map { .array($0.map { .string($0) }) }) })
    }
}
