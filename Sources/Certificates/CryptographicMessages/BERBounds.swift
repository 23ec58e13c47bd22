/// Bounds how deep BER nests before a decoder sees it; the decoder judges everything else about its form.
///
/// BER leaves lengths open, and to find the end of such an element costs a walk on each level that it lies in.
enum BERBounds {
    private struct Level {
        /// Where it ends at the latest.
        let end: Int
        /// It ends before that, at two octets of zero.
        let isIndefinite: Bool
    }

    /// Refuses what nests deeper than `limit`; each octet is looked at once.
    static func check(_ bytes: [UInt8], depth limit: Int = MessageSignature.depthLimit) throws(SignatureRefusal) {
        var levels = [Level(end: bytes.count, isIndefinite: false)]
        var position = 0
        while let inner = levels.last {
            guard inner.isIndefinite || position < inner.end else {
                levels.removeLast()
                continue
            }
            guard let header = Header(bytes, at: position, before: inner.end) else {
                // A decoder that looks inside refuses this; to one that does not, the element around it is mere octets.
                while levels.last?.isIndefinite == true { levels.removeLast() }
                position = levels.last?.end ?? bytes.count
                continue
            }
            position = header.end
            if inner.isIndefinite && header.endsIndefinite {
                levels.removeLast()
            } else if header.isConstructed {
                guard levels.count <= limit else { throw .tooDeep }
                if let length = header.length {
                    levels.append(Level(end: header.end + length, isIndefinite: false))
                } else {
                    levels.append(Level(end: inner.end, isIndefinite: true))
                }
            } else {
                position += header.length ?? 0
            }
        }
    }

    /// Identifier and length of one element.
    private struct Header {
        let isConstructed: Bool
        /// Of the content, in octets; none where zeros end it.
        let length: Int?
        /// Two octets of zero.
        let endsIndefinite: Bool
        /// Where the content begins.
        let end: Int

        /// Nothing where the octets before `limit` are no header, or promise more content than there is.
        init?(_ bytes: [UInt8], at start: Int, before limit: Int) {
            guard limit - start >= 2 else { return nil }
            var position = start + 1
            if bytes[start] & 0x1f == 0x1f {
                while position < limit, bytes[position] & 0x80 != 0 { position += 1 }
                position += 1
            }
            guard position < limit else { return nil }
            isConstructed = bytes[start] & 0x20 != 0
            endsIndefinite = bytes[start] == 0 && bytes[position] == 0
            let first = Int(bytes[position])
            position += 1
            if first == 0x80 {
                guard isConstructed else { return nil }
                length = nil
            } else {
                var count = first
                if first > 0x80 {
                    let octets = first & 0x7f
                    guard limit - position >= octets else { return nil }
                    count = 0
                    for octet in bytes[position..<position + octets] {
                        count = count << 8 | Int(octet)
                        guard count <= limit else { return nil }
                    }
                    position += octets
                }
                guard limit - position >= count else { return nil }
                length = count
            }
            end = position
        }
    }
}
