package import Foundation
import InputBounds

/// How a device asks for its identity certificate.
package struct SCEPPayload: Hashable, Sendable {
    package var url: String
    package var name: String?
    /// Sets of attribute and value pairs, such as `[[["CN", "device"]]]`.
    package var subject: [[[String]]]
    package var challenge: String?
    package var keySize: Int
    package var keyType: String
    /// 1 signs, 4 encrypts, 5 both, 0 unsaid.
    package var keyUsage: Int
    /// The authority's certificate by digest; the length tells which.
    package var caFingerprint: Data?
    package var retries: Int
    /// In seconds.
    package var retryDelay: Int
    package var subjectAltName: SubjectAltName?

    package init(
        url: String, name: String? = nil, subject: [[[String]]] = [], challenge: String? = nil, keySize: Int = 2048,
        keyType: String = "RSA", keyUsage: Int = 5, caFingerprint: Data? = nil, retries: Int = 3, retryDelay: Int = 10
    ) {
        self.url = url
        self.name = name
        self.subject = subject
        self.challenge = challenge
        self.keySize = keySize
        self.keyType = keyType
        self.keyUsage = keyUsage
        self.caFingerprint = caFingerprint
        self.retries = retries
        self.retryDelay = retryDelay
    }

    /// Reads the payload; everything that matters is one level down.
    init(_ payload: MessageFields) throws(InputRefusal) {
        guard let content = payload.entries["PayloadContent"] else {
            throw InputRefusal("the key PayloadContent is missing")
        }
        let fields = try MessageFields(content)
        url = try fields.string("URL")
        name = try fields.stringIfPresent("Name", limit: 256)
        subject = try fields.subject("Subject")
        challenge = try fields.stringIfPresent("Challenge")
        keySize = try fields.intIfPresent("Keysize") ?? 1024
        guard [1024, 2048, 3072, 4096].contains(keySize) else {
            throw InputRefusal("the key Keysize has an unknown value")
        }
        keyType = try fields.stringIfPresent("Key Type", limit: 64) ?? "RSA"
        keyUsage = try fields.intIfPresent("Key Usage") ?? 0
        caFingerprint = try fields.dataIfPresent("CAFingerprint")
        subjectAltName = try fields.entries["SubjectAltName"].map { value throws(InputRefusal) in
            try SubjectAltName(MessageFields(value))
        }
        retries = try fields.intIfPresent("Retries") ?? 3
        retryDelay = try fields.intIfPresent("RetryDelay") ?? 10
        guard (0...1000).contains(retries), (0...86_400).contains(retryDelay) else {
            throw InputRefusal("retries or their delay are out of range")
        }
    }

    var value: PropertyListValue {
        var entries = MessageEntries()
        entries.set("URL", url)
        entries.set("Name", name)
        if !subject.isEmpty { entries.set("Subject", .subject(subject)) }
        entries.set("Challenge", challenge)
        entries.set("Keysize", keySize)
        entries.set("Key Type", keyType)
        entries.set("Key Usage", keyUsage)
        entries.set("CAFingerprint", caFingerprint)
        entries.set("Retries", retries)
        entries.set("RetryDelay", retryDelay)
        return entries.value
    }
}
