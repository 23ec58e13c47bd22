/// Facts of a message that OpenSSL does not tell, read from its DER.
enum CMSShape {
    /// Bounds the lists of SignedData that make verification work grow.
    static func checkSignedData(_ der: [UInt8]) throws(CMSRefusal) {
        do {
            var signedData = try content(of: der)
            var digests = try signedData.enter(DERTag.set)
            try bound(&digests, CMSLimits.digestAlgorithms)
            _ = try signedData.next(DERTag.sequence)
            guard signedData.nextTag == DERTag.context0 else { return }
            var certificates = try signedData.enter(DERTag.context0)
            try bound(&certificates, CMSLimits.certificates)
        } catch let refusal as CMSRefusal {
            throw refusal
        } catch {
            throw .malformed
        }
    }

    /// The cipher of EnvelopedData.
    static func cipher(ofEnvelope der: [UInt8]) throws(CMSRefusal) -> ContentCipher {
        do {
            var enveloped = try content(of: der)
            if enveloped.nextTag == DERTag.context0 { _ = try enveloped.next() }
            _ = try enveloped.next(DERTag.set)
            var encrypted = try enveloped.enter(DERTag.sequence)
            _ = try encrypted.next(DERTag.objectIdentifier)
            var algorithm = try encrypted.enter(DERTag.sequence)
            let identifier = der[try algorithm.next(DERTag.objectIdentifier).content]
            let cipher = ContentCipher.allCases.first { identifier.elementsEqual($0.identifier) }
            guard let cipher else { throw CMSRefusal.algorithm }
            return cipher
        } catch let refusal as CMSRefusal {
            throw refusal
        } catch {
            throw .malformed
        }
    }

    /// A cursor behind the version of what ContentInfo holds.
    private static func content(of der: [UInt8]) throws -> DERCursor {
        var file = DERCursor(der)
        var contentInfo = try file.enter(DERTag.sequence)
        _ = try contentInfo.next(DERTag.objectIdentifier)
        var explicit = try contentInfo.enter(DERTag.context0)
        var content = try explicit.enter(DERTag.sequence)
        _ = try content.next(DERTag.integer)
        return content
    }

    private static func bound(_ list: inout DERCursor, _ limit: Int) throws {
        for _ in 0..<limit where !list.isAtEnd { _ = try list.next() }
        guard list.isAtEnd else { throw CMSRefusal.tooLarge }
    }
}
