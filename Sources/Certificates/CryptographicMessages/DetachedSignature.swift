import Foundation

/// The parts of a detached CMS signature in the strict form, found but not yet believed.
struct DetachedSignature {
    let bytes: [UInt8]
    /// The signer's certificate, picked by issuer and serial number.
    let certificate: Range<Int>
    let otherCertificates: [Range<Int>]
    /// The content of IssuerAndSerialNumber.
    let signerIdentifier: Range<Int>
    let digest: MessageDigest
    /// The object identifier's content.
    let signatureAlgorithm: Range<Int>
    /// The signed attributes, tag and length included.
    let attributes: Range<Int>
    /// The value of the message-digest attribute.
    let messageDigest: Range<Int>
    /// When the signer says that it signed; nothing where it does not say it.
    let signingTime: Date?
    /// The signature value.
    let value: Range<Int>

    init(parsing cms: Data) throws(SignatureRefusal) {
        guard cms.count <= MessageSignature.sizeLimit else { throw .tooLarge }
        let bytes = [UInt8](cms)
        do {
            try self.init(reading: bytes)
        } catch let refusal as SignatureRefusal {
            throw refusal
        } catch {
            throw .malformed
        }
    }

    private init(reading bytes: [UInt8]) throws {
        self.bytes = bytes
        var file = DERCursor(bytes)
        var contentInfo = try file.enter(DERTag.sequence)
        try file.finish()
        try Self.expect(ObjectIdentifiers.signedData, try contentInfo.next(DERTag.objectIdentifier), in: bytes)
        var explicit = try contentInfo.enter(DERTag.context0)
        try contentInfo.finish()
        var signedData = try explicit.enter(DERTag.sequence)
        try explicit.finish()

        // Version 1 follows from plain data and a signer named by issuer and serial number.
        try Self.expect([1], try signedData.next(DERTag.integer), in: bytes)
        var digests = try signedData.enter(DERTag.set)
        let announced = try Self.digestAlgorithm(&digests, in: bytes)
        guard digests.isAtEnd else { throw SignatureRefusal.notExactlyOneSigner }

        var content = try signedData.enter(DERTag.sequence)
        try Self.expect(ObjectIdentifiers.data, try content.next(DERTag.objectIdentifier), in: bytes)
        guard content.isAtEnd else { throw SignatureRefusal.notDetachedSignedData }

        guard signedData.nextTag == DERTag.context0 else { throw SignatureRefusal.signerCertificateMissing }
        let certificates = try Self.certificates(&signedData)
        var signers = try signedData.enter(DERTag.set)
        try signedData.finish()
        guard !signers.isAtEnd else { throw SignatureRefusal.notExactlyOneSigner }
        var signer = try signers.enter(DERTag.sequence)
        guard signers.isAtEnd else { throw SignatureRefusal.notExactlyOneSigner }

        try Self.expect([1], try signer.next(DERTag.integer), in: bytes)
        signerIdentifier = try signer.next(DERTag.sequence).content
        digest = try Self.digestAlgorithm(&signer, in: bytes)
        guard digest == announced else { throw SignatureRefusal.digestAlgorithm }
        guard signer.nextTag == DERTag.context0 else { throw SignatureRefusal.attributesMissing }
        let attributes = try signer.next(DERTag.context0)
        self.attributes = attributes.range
        (messageDigest, signingTime) = try Self.attributes(in: attributes.content, of: bytes)
        var algorithm = try signer.enter(DERTag.sequence)
        signatureAlgorithm = try algorithm.next(DERTag.objectIdentifier).content
        try Self.skipAbsentOrNull(&algorithm)
        value = try signer.next(DERTag.octetString).content
        guard signer.isAtEnd else { throw SignatureRefusal.unsignedAttributes }

        let picked = try Self.pick(from: certificates, named: signerIdentifier, in: bytes)
        certificate = picked
        otherCertificates = certificates.filter { $0 != picked }
    }

    private static func expect(_ octets: [UInt8], _ element: DERCursor.Element, in bytes: [UInt8]) throws {
        guard bytes[element.content].elementsEqual(octets) else { throw SignatureRefusal.notDetachedSignedData }
    }

    private static func certificates(_ signedData: inout DERCursor) throws -> [Range<Int>] {
        var set = try signedData.enter(DERTag.context0)
        var found: [Range<Int>] = []
        while !set.isAtEnd {
            guard found.count < MessageSignature.certificateLimit else { throw SignatureRefusal.tooManyCertificates }
            found.append(try set.next(DERTag.sequence).range)
        }
        return found
    }

    /// The one certificate whose issuer and serial number are those of the signer.
    private static func pick(
        from certificates: [Range<Int>], named identifier: Range<Int>, in bytes: [UInt8]
    ) throws -> Range<Int> {
        let name = bytes[identifier]
        let matching = try certificates.filter { range in
            let outline = try CertificateOutline(bytes, within: range)
            return name.count == outline.issuer.count + outline.serial.count
                && name.prefix(outline.issuer.count).elementsEqual(bytes[outline.issuer])
                && name.dropFirst(outline.issuer.count).elementsEqual(bytes[outline.serial])
        }
        guard matching.count == 1 else { throw SignatureRefusal.signerCertificateMissing }
        // Nothing vouches for the others: found by fuzzing, OpenSSL refuses a message whose chain it cannot read.
        for range in certificates where range != matching[0] {
            guard (try? LibraryContext.canReadCertificate(Array(bytes[range]))) == true else {
                throw SignatureRefusal.malformed
            }
        }
        return matching[0]
    }

    private static func digestAlgorithm(_ cursor: inout DERCursor, in bytes: [UInt8]) throws -> MessageDigest {
        guard !cursor.isAtEnd else { throw SignatureRefusal.digestAlgorithm }
        var algorithm = try cursor.enter(DERTag.sequence)
        let identifier = try algorithm.next(DERTag.objectIdentifier)
        try skipAbsentOrNull(&algorithm)
        guard let digest = MessageDigest(bytes[identifier.content]) else { throw SignatureRefusal.digestAlgorithm }
        return digest
    }

    private static func skipAbsentOrNull(_ algorithm: inout DERCursor) throws {
        if !algorithm.isAtEnd {
            guard try algorithm.next(DERTag.null).content.isEmpty else { throw SignatureRefusal.malformed }
        }
        try algorithm.finish()
    }
}
