package import Foundation
package import InputBounds

/// `com.apple.credential.scep`: how a device is to have an identity from a certificate authority by SCEP.
///
/// The same parameters as a profile's, all on one level; three of the keys have a space in them.
package struct SCEPDocument: Hashable, Sendable {
    package var request: SCEPPayload
    package var subjectAltName: SubjectAltName?

    package init(_ request: SCEPPayload, subjectAltName: SubjectAltName? = nil) {
        self.request = request
        self.subjectAltName = subjectAltName
    }

    package init(parsing data: Data) throws(InputRefusal) {
        let fields = try JSONFields(JSONValue(parsing: data, limits: .credential))
        let keyType = try fields.stringIfPresent("Key Type", limit: 64) ?? "RSA"
        guard keyType == "RSA" else { throw InputRefusal("the key Key Type has an unknown value") }
        let keySize = try fields.intIfPresent("Keysize") ?? 1_024
        guard [1_024, 2_048, 4_096].contains(keySize) else {
            throw InputRefusal("the key Keysize has an unknown value")
        }
        let keyUsage = try fields.intIfPresent("Key Usage") ?? 0
        guard [0, 1, 4, 5].contains(keyUsage) else { throw InputRefusal("the key Key Usage has an unknown value") }
        let fingerprint = try fields.dataIfPresent("CAFingerprint")
        // Its length tells what it is. Servers that are not ours give SHA-1, too; MD5 names no authority any more.
        guard fingerprint.map({ [20, 32].contains($0.count) }) ?? true else {
            throw InputRefusal("the key CAFingerprint is neither SHA-256 nor SHA-1")
        }
        request = SCEPPayload(
            url: try fields.string("URL"), name: try fields.stringIfPresent("Name", limit: 256),
            subject: try fields.subject("Subject"), challenge: try fields.stringIfPresent("Challenge"),
            keySize: keySize, keyType: keyType, keyUsage: keyUsage, caFingerprint: fingerprint,
            retries: try fields.intIfPresent("Retries") ?? 3, retryDelay: try fields.intIfPresent("RetryDelay") ?? 10)
        guard (0...1_000).contains(request.retries), (0...86_400).contains(request.retryDelay) else {
            throw InputRefusal("retries or their delay are out of range")
        }
        subjectAltName = try fields.subjectAltName("SubjectAltName")
    }

    package func encoded() -> Data {
        var entries: [String: JSONValue] = [
            "URL": .string(request.url), "Keysize": .integer(Int64(request.keySize)),
            "Key Type": .string(request.keyType), "Key Usage": .integer(Int64(request.keyUsage)),
            "Retries": .integer(Int64(request.retries)), "RetryDelay": .integer(Int64(request.retryDelay)),
        ]
        if let name = request.name { entries["Name"] = .string(name) }
        if !request.subject.isEmpty { entries["Subject"] = .subject(request.subject) }
        if let challenge = request.challenge { entries["Challenge"] = .string(challenge) }
        if let fingerprint = request.caFingerprint {
            entries["CAFingerprint"] = .string(fingerprint.base64EncodedString())
        }
        if let subjectAltName { entries["SubjectAltName"] = subjectAltName.value }
        return JSONValue.object(entries).encoded()
    }
}
