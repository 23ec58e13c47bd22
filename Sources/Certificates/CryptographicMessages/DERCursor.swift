/// Walks the elements of strict DER without building a tree.
///
/// Only what the cursor is asked to enter is looked at, so an embedded certificate costs one step. Lengths are
/// definite and minimal, and tag numbers stay below 31: all that the messages here use.
package struct DERCursor {
    /// One element: its identifier octet, where it begins, and where its content lies.
    package struct Element {
        package let tag: UInt8
        package let start: Int
        package let content: Range<Int>

        /// The whole element: identifier, length and content.
        package var range: Range<Int> { start..<content.upperBound }
    }

    /// The bytes are not strict DER of the expected form.
    package struct Malformed: Error {}

    private let bytes: [UInt8]
    private var position: Int
    private let end: Int

    package init(_ bytes: [UInt8]) {
        self.init(bytes, within: 0..<bytes.count)
    }

    package init(_ bytes: [UInt8], within range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "a range of the bytes")
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    package var isAtEnd: Bool { position == end }

    /// The identifier octet of the next element, if there is one.
    package var nextTag: UInt8? { isAtEnd ? nil : bytes[position] }

    /// Steps over the next element.
    package mutating func next() throws(Malformed) -> Element {
        let start = position
        guard end - position >= 2 else { throw Malformed() }
        let tag = bytes[position]
        guard tag & 0x1f != 0x1f, tag != 0 else { throw Malformed() }
        var length = Int(bytes[position + 1])
        position += 2
        if length >= 0x80 {
            let octets = length & 0x7f
            guard (1...4).contains(octets), end - position >= octets else { throw Malformed() }
            length = 0
            for _ in 0..<octets {
                length = length << 8 | Int(bytes[position])
                position += 1
            }
            // The shortest form is the only one.
            guard length >= 0x80, octets == 1 || length >> (8 * (octets - 1)) != 0 else { throw Malformed() }
        }
        guard end - position >= length else { throw Malformed() }
        let content = position..<(position + length)
        position = content.upperBound
        return Element(tag: tag, start: start, content: content)
    }

    /// Steps over the next element, which must carry `tag`.
    package mutating func next(_ tag: UInt8) throws(Malformed) -> Element {
        let element = try next()
        guard element.tag == tag else { throw Malformed() }
        return element
    }

    /// Steps over the next element and returns a cursor on its content.
    package mutating func enter(_ tag: UInt8) throws(Malformed) -> DERCursor {
        DERCursor(bytes, within: try next(tag).content)
    }

    /// Fails unless everything was read.
    package func finish() throws(Malformed) {
        guard isAtEnd else { throw Malformed() }
    }
}

/// The identifier octets of the types in use.
package enum DERTag {
    package static let integer: UInt8 = 0x02
    package static let bitString: UInt8 = 0x03
    package static let octetString: UInt8 = 0x04
    package static let null: UInt8 = 0x05
    package static let objectIdentifier: UInt8 = 0x06
    package static let utf8String: UInt8 = 0x0c
    package static let printableString: UInt8 = 0x13
    package static let ia5String: UInt8 = 0x16
    package static let utcTime: UInt8 = 0x17
    package static let generalizedTime: UInt8 = 0x18
    package static let sequence: UInt8 = 0x30
    package static let set: UInt8 = 0x31
    /// `[0]`, constructed: explicit, or an implicit SET or SEQUENCE.
    package static let context0: UInt8 = 0xa0
}
