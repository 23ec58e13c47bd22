import Attestation
import CertificateAuthority
import Crypto
import CryptographicMessages
import Foundation
import SwiftASN1
import TestInputs
import Testing
import X509

/// Changed attestations: no crash, and no key but the one that was attested.
struct AttestationFuzzTests {
    @Test(arguments: ["tpm", "apple"])
    func `a changed attestation is refused or speaks of the same key`(_ format: String) throws {
        let forged = try format == "tpm" ? ForgedStatement.tpm() : ForgedStatement.apple()
        let valid = try forged.judge(forged.object)
        var generator = SplitMix64(seed: Mutation.seed &+ 1)
        for _ in 0..<Mutation.iterations {
            let changed = Mutation.mutateDER(forged.object, using: &generator)
            guard let attested = try? forged.judge(changed) else { continue }
            #expect(attested == valid, "\(changed.base64EncodedString())")
        }
    }

    @Test func `structures of any form do not crash the reader`() throws {
        let statement = try ForgedStatement.tpm().statement
        var generator = SplitMix64(seed: Mutation.seed &+ 2)
        for _ in 0..<Mutation.iterations {
            let area = Mutation.mutateDER(statement.publicArea, using: &generator)
            if let read = try? TPMPublicArea(decoding: area) {
                #expect(read.encoded == area, "each area has one encoding, as its name depends on it")
                _ = read.publicKeyInfo
                _ = try? TPMCredential.make(Data(count: 32), for: read.name, to: read)
            }
            _ = try? TPMCertification(decoding: Mutation.mutateDER(statement.certification, using: &generator))
            _ = try? TPMSignature(decoding: Mutation.mutateDER(statement.signature, using: &generator)).standardForm
        }
    }
}

/// Statements made without a chip by somebody whom the authority was told to trust: true in form, and good to attack.
struct ForgedStatement {
    let object: Data
    let statement: TPMStatement
    let trust: AttestationTrust

    static let nonce = Data(SHA256.hash(data: Data("token".utf8)))

    func judge(_ object: Data, nonce: Data = nonce) throws -> AttestedKey {
        try AttestationStatement(decoding: object).verify(nonce: nonce, trust: trust, now: Identity.now)
    }

    static func tpm(attributes: TPMAttributes = [.fixedTPM, .fixedParent, .sensitiveDataOrigin, .sign]) throws
        -> ForgedStatement
    {
        let authority = try Identity.authority.get()
        let certifier = P256.Signing.PrivateKey()
        let certificate = try authority.issueAttestationKey(
            publicKeyDER: certifier.publicKey.derRepresentation, permanentIdentifier: "C02TEST", now: Identity.now)
        let point = P256.Signing.PrivateKey().publicKey.rawRepresentation
        let area = TPMPublicArea(
            attributes: attributes,
            kind: .ecc(
                .init(symmetric: nil, scheme: nil, curve: .p256, x: point.prefix(32), y: Data(point.suffix(32)))))
        var certification = TPMWriter()
        certification.integer(UInt32(0xff54_4347))
        certification.integer(UInt16(0x8017))
        certification.sized(Data())
        certification.sized(nonce)
        certification.octets(Data(count: 25))
        certification.sized(area.name)
        certification.sized(area.name)
        let raw = try certifier.signature(for: certification.data).rawRepresentation
        var signature = TPMWriter()
        signature.integer(TPMAlgorithm.ecdsa.rawValue)
        signature.integer(TPMHash.sha256.rawValue)
        signature.sized(raw.prefix(32))
        signature.sized(Data(raw.suffix(32)))
        let statement = TPMStatement(
            chain: [certificate], algorithm: -7, signature: signature.data, certification: certification.data,
            publicArea: area.encoded)
        return ForgedStatement(
            object: AttestationStatement.tpm(statement).encoded, statement: statement,
            trust: AttestationTrust(tpmRoots: [authority.certificateDER]))
    }

    /// A chain as Apple sends it, under a root of our own.
    static func apple(freshness: Data? = nonce, serial: String = "F2LTEST") throws -> ForgedStatement {
        let root = P384.Signing.PrivateKey()
        let key = P384.Signing.PrivateKey()
        var facts: [(ASN1ObjectIdentifier, Data)] = [
            ([1, 2, 840, 113635, 100, 8, 9, 1], Data(serial.utf8)),
            ([1, 2, 840, 113635, 100, 8, 10, 1], Data("26.1".utf8)),
        ]
        if let freshness { facts.append(([1, 2, 840, 113635, 100, 8, 11, 1], freshness)) }
        let name = try DistinguishedName { CommonName("Test Attestation Root") }
        func certificate(_ key: P384.Signing.PublicKey, _ subject: DistinguishedName, _ rest: Certificate.Extensions)
            throws -> Data
        {
            let made = try Certificate(
                version: .v3, serialNumber: .init(), publicKey: .init(key), notValidBefore: Identity.now - 60,
                notValidAfter: Identity.now + 3_600, issuer: name, subject: subject,
                signatureAlgorithm: .ecdsaWithSHA384, extensions: rest, issuerPrivateKey: .init(root))
            var serializer = DER.Serializer()
            try serializer.serialize(made)
            return Data(serializer.serializedBytes)
        }
        let authority = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
        }
        var extensions = try Certificate.Extensions { Critical(BasicConstraints.notCertificateAuthority) }
        for (identifier, value) in facts {
            try extensions.append(.init(oid: identifier, critical: false, value: [UInt8](value)[...]))
        }
        let rootDER = try certificate(root.publicKey, name, authority)
        let leaf = try certificate(key.publicKey, try DistinguishedName { CommonName("key") }, extensions)
        let unused = TPMStatement(
            chain: [], algorithm: 0, signature: Data(), certification: Data(), publicArea: Data())
        return ForgedStatement(
            object: AttestationStatement.apple(chain: [leaf]).encoded, statement: unused,
            trust: AttestationTrust(appleRoots: [rootDER]))
    }
}
