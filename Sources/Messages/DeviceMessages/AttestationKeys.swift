package import Foundation
package import InputBounds

/// Asks the server to certify the key with which the device's chip vouches for other keys.
///
/// `POST /mdm/attestation/keys`, a JSON object (`application/json`); the device shows its identity as for assets, by its
/// TLS certificate or by `Mdm-Signature` over the body. All bytes are Base64 with padding.
///
/// * `EndorsementCertificates`: the chip's certificate of its maker in DER, then what leads to the maker's root, leaf
///   first; an empty array where the chip has none.
/// * `EndorsementKey`, `AttestationKey`: TPMT_PUBLIC of each, as the TPM gives it (without the length before it).
///
/// The answer is 200 with an `AttestationKeyChallenge`, or 422 with a `DeviceErrorDocument` whose description names the
/// rule. Any other status is what it is for assets.
package struct AttestationKeyRequest: Hashable, Sendable {
    /// Beyond the chip's own: a maker has an authority or two between.
    package static let mostCertificates = 5
    package static let largestCertificate = 16_384
    /// Of a public area: RSA of 4096 bits takes 600.
    package static let largestKey = 2_048

    package static let path = "/mdm/attestation/keys"

    package var endorsementCertificates: [Data]
    package var endorsementKey: Data
    package var attestationKey: Data

    package init(endorsementCertificates: [Data], endorsementKey: Data, attestationKey: Data) {
        self.endorsementCertificates = endorsementCertificates
        self.endorsementKey = endorsementKey
        self.attestationKey = attestationKey
    }

    package init(parsing data: Data) throws(InputRefusal) {
        let fields = try JSONFields(JSONValue(parsing: data, limits: .credential))
        endorsementCertificates = try fields.octetStrings(
            "EndorsementCertificates", most: Self.mostCertificates, largest: Self.largestCertificate)
        endorsementKey = try fields.octets("EndorsementKey", largest: Self.largestKey)
        attestationKey = try fields.octets("AttestationKey", largest: Self.largestKey)
    }

    package func encoded() -> Data {
        JSONValue.object([
            "EndorsementCertificates": .array(endorsementCertificates.map { .string($0.base64EncodedString()) }),
            "EndorsementKey": .string(endorsementKey.base64EncodedString()),
            "AttestationKey": .string(attestationKey.base64EncodedString()),
        ]).encoded()
    }
}

/// What only the chip that was asked about can open, and only while it holds the key: `Credential` is TPM2B_ID_OBJECT,
/// `EncryptedSeed` is TPM2B_ENCRYPTED_SECRET, both without the length before them.
///
/// It is answered within ten minutes; a newer challenge for the device replaces it.
package struct AttestationKeyChallenge: Hashable, Sendable {
    package static let validSeconds: TimeInterval = 600
    private static let largest = 1_024

    package var credential: Data
    package var encryptedSeed: Data

    package init(credential: Data, encryptedSeed: Data) {
        self.credential = credential
        self.encryptedSeed = encryptedSeed
    }

    package init(parsing data: Data) throws(InputRefusal) {
        let fields = try JSONFields(JSONValue(parsing: data, limits: .credential))
        credential = try fields.octets("Credential", largest: Self.largest)
        encryptedSeed = try fields.octets("EncryptedSeed", largest: Self.largest)
    }

    package func encoded() -> Data {
        JSONValue.object([
            "Credential": .string(credential.base64EncodedString()),
            "EncryptedSeed": .string(encryptedSeed.base64EncodedString()),
        ]).encoded()
    }
}

/// The secret that the chip brought back: `POST /mdm/attestation/activation`, a JSON object with `Secret`, shown with the
/// device's identity as before.
///
/// The answer is 200 with an `AttestationKeyCertificate`, or 422 with a `DeviceErrorDocument`: then the device begins
/// again with a request. A challenge is answered once, whether well or not.
package struct AttestationKeyActivation: Hashable, Sendable {
    package static let path = "/mdm/attestation/activation"

    package var secret: Data

    package init(secret: Data) {
        self.secret = secret
    }

    package init(parsing data: Data) throws(InputRefusal) {
        let fields = try JSONFields(JSONValue(parsing: data, limits: .credential))
        secret = try fields.octets("Secret", largest: 64)
    }

    package func encoded() -> Data {
        JSONValue.object(["Secret": .string(secret.base64EncodedString())]).encoded()
    }
}

/// The certificate of an attestation key: `Certificates` in DER, leaf first, as they go into `x5c` of a statement.
///
/// It lives 90 days; a device asks for a new one when it nears its end.
package struct AttestationKeyCertificate: Hashable, Sendable {
    package var certificates: [Data]

    package init(certificates: [Data]) {
        self.certificates = certificates
    }

    package init(parsing data: Data) throws(InputRefusal) {
        let fields = try JSONFields(JSONValue(parsing: data, limits: .credential))
        certificates = try fields.octetStrings(
            "Certificates", most: AttestationKeyRequest.mostCertificates,
            largest: AttestationKeyRequest.largestCertificate)
        guard !certificates.isEmpty else { throw InputRefusal("the key Certificates is empty") }
    }

    package func encoded() -> Data {
        JSONValue.object(["Certificates": .array(certificates.map { .string($0.base64EncodedString()) })]).encoded()
    }
}

extension JSONFields {
    fileprivate func octets(_ key: String, largest: Int) throws(InputRefusal) -> Data {
        guard let data = try dataIfPresent(key) else { throw InputRefusal("the key \(key) is missing") }
        guard (1...largest).contains(data.count) else { throw InputRefusal("the key \(key) has no allowed length") }
        return data
    }

    fileprivate func octetStrings(_ key: String, most: Int, largest: Int) throws(InputRefusal) -> [Data] {
        guard let texts = try stringsIfPresent(key) else { throw InputRefusal("the key \(key) is missing") }
        guard texts.count <= most else { throw InputRefusal("the key \(key) has too many elements") }
        var found: [Data] = []
        for text in texts {
            guard let data = Data(base64Encoded: text), (1...largest).contains(data.count) else {
                throw InputRefusal("the key \(key) does not hold Base64 of an allowed length")
            }
            found.append(data)
        }
        return found
    }
}
