import Foundation

extension DetachedSignature {
    /// Checks the signed attributes and finds the message digest among them, and the signing time if it is there.
    ///
    /// Content type and message digest stand there once, with one value; no attribute stands there twice.
    static func attributes(
        in content: Range<Int>, of bytes: [UInt8]
    ) throws -> (messageDigest: Range<Int>, signingTime: Date?) {
        var cursor = DERCursor(bytes, within: content)
        var seen: [ArraySlice<UInt8>] = []
        var hasContentType = false
        var digest: Range<Int>?
        var time: Date?
        while !cursor.isAtEnd {
            guard seen.count < MessageSignature.attributeLimit else { throw SignatureRefusal.attributes }
            var attribute = try cursor.enter(DERTag.sequence)
            let type = bytes[try attribute.next(DERTag.objectIdentifier).content]
            var values = try attribute.enter(DERTag.set)
            try attribute.finish()
            guard type.isObjectIdentifier, !seen.contains(where: { $0.elementsEqual(type) }) else {
                throw SignatureRefusal.attributes
            }
            seen.append(type)

            if type.elementsEqual(ObjectIdentifiers.contentType) {
                let value = try values.onlyValue(DERTag.objectIdentifier)
                hasContentType = bytes[value].elementsEqual(ObjectIdentifiers.data)
            } else if type.elementsEqual(ObjectIdentifiers.messageDigest) {
                digest = try values.onlyValue(DERTag.octetString)
            } else if type.elementsEqual(ObjectIdentifiers.signingTime) {
                let tag = values.nextTag ?? 0
                let value = try values.onlyValue(DERTag.utcTime, DERTag.generalizedTime)
                time = SigningTime.date(tag: tag, bytes[value])
            } else if type.elementsEqual(ObjectIdentifiers.countersignature) {
                throw SignatureRefusal.attributes
            } else {
                try values.skipOpaqueValues(of: bytes)
            }
        }
        guard hasContentType, let digest else { throw SignatureRefusal.attributes }
        return (digest, time)
    }
}

extension DERCursor {
    fileprivate mutating func onlyValue(_ tags: UInt8...) throws -> Range<Int> {
        let element = try next()
        guard isAtEnd, tags.contains(element.tag) else { throw SignatureRefusal.attributes }
        return element.content
    }

    /// Steps over values that mean nothing here, of the types in use and in the order of DER; a signer that encodes
    /// them otherwise is refused.
    fileprivate mutating func skipOpaqueValues(of bytes: [UInt8]) throws {
        guard !isAtEnd else { throw SignatureRefusal.attributes }
        var previous: ArraySlice<UInt8> = []
        while !isAtEnd {
            let element = try next()
            guard !bytes[element.range].lexicographicallyPrecedes(previous) else { throw SignatureRefusal.attributes }
            previous = bytes[element.range]
            let content = bytes[element.content]
            let isSound =
                switch element.tag {
                case DERTag.sequence, DERTag.set, DERTag.octetString, DERTag.utf8String, DERTag.printableString,
                    DERTag.ia5String, DERTag.utcTime, DERTag.generalizedTime:
                    true
                case DERTag.objectIdentifier: content.isObjectIdentifier
                case DERTag.integer: content.isInteger
                case DERTag.null: content.isEmpty
                default: false
                }
            guard isSound else { throw SignatureRefusal.attributes }
        }
    }
}

extension ArraySlice<UInt8> {
    /// Whether these are the content octets of an object identifier: whole numbers without leading zeros.
    fileprivate var isObjectIdentifier: Bool {
        guard let last, last < 0x80 else { return false }
        var startsNumber = true
        for octet in self {
            if startsNumber && octet == 0x80 { return false }
            startsNumber = octet < 0x80
        }
        return true
    }

    /// Whether these are the content octets of an integer in its shortest form.
    fileprivate var isInteger: Bool {
        guard let first else { return false }
        guard let second = dropFirst().first else { return true }
        return !(first == 0 && second < 0x80) && !(first == 0xff && second >= 0x80)
    }
}
