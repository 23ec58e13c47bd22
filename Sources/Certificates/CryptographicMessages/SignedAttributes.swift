extension DetachedSignature {
    /// Checks the signed attributes and finds the message digest among them.
    ///
    /// Content type and message digest stand there once, with one value; no attribute stands there twice.
    static func messageDigest(in content: Range<Int>, of bytes: [UInt8]) throws -> Range<Int> {
        var cursor = DERCursor(bytes, within: content)
        var seen: [ArraySlice<UInt8>] = []
        var hasContentType = false
        var digest: Range<Int>?
        while !cursor.isAtEnd {
            guard seen.count < MessageSignature.attributeLimit else { throw SignatureRefusal.attributes }
            var attribute = try cursor.enter(DERTag.sequence)
            let type = bytes[try attribute.next(DERTag.objectIdentifier).content]
            var values = try attribute.enter(DERTag.set)
            try attribute.finish()
            guard !type.isEmpty, !seen.contains(where: { $0.elementsEqual(type) }) else {
                throw SignatureRefusal.attributes
            }
            seen.append(type)

            if type.elementsEqual(ObjectIdentifiers.contentType) {
                let value = try values.onlyValue(DERTag.objectIdentifier)
                hasContentType = bytes[value].elementsEqual(ObjectIdentifiers.data)
            } else if type.elementsEqual(ObjectIdentifiers.messageDigest) {
                digest = try values.onlyValue(DERTag.octetString)
            } else if type.elementsEqual(ObjectIdentifiers.signingTime) {
                // Tolerated, not believed: freshness is the transport's, and clocks of devices are wrong.
                _ = try values.onlyValue(DERTag.utcTime, DERTag.generalizedTime)
            } else if type.elementsEqual(ObjectIdentifiers.countersignature) {
                throw SignatureRefusal.attributes
            } else {
                try values.skipOpaqueValues()
            }
        }
        guard hasContentType, let digest else { throw SignatureRefusal.attributes }
        return digest
    }
}

extension DERCursor {
    fileprivate mutating func onlyValue(_ tags: UInt8...) throws -> Range<Int> {
        let element = try next()
        guard isAtEnd, tags.contains(element.tag) else { throw SignatureRefusal.attributes }
        return element.content
    }

    fileprivate mutating func skipOpaqueValues() throws {
        guard !isAtEnd else { throw SignatureRefusal.attributes }
        while !isAtEnd { _ = try next() }
    }
}
