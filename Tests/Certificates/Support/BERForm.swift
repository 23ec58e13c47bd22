import CryptographicMessages
import Foundation

/// A way in which BER lets a message be written that DER does not.
enum BERForm: CaseIterable {
    /// Lengths left open, as Apple's devices and streaming programs write.
    case indefinite
    /// Lengths in more octets than needed.
    case padded
    /// Octet strings in two pieces.
    case chunked

    /// Writes a message of DER in this form, all but the `kept` elements: a certificate is known by its octets.
    func rewriting(_ der: Data, keeping kept: [Data]) throws -> Data {
        let bytes = [UInt8](der)
        var cursor = DERCursor(bytes)
        return Data(try rewritten(cursor.next(), of: bytes, kept))
    }

    private func rewritten(_ element: DERCursor.Element, of bytes: [UInt8], _ kept: [Data]) throws -> [UInt8] {
        let whole = bytes[element.range]
        guard !kept.contains(where: { $0.elementsEqual(whole) }) else { return Array(whole) }
        var content: [UInt8] = []
        if element.tag & 0x20 == 0 {
            content = Array(bytes[element.content])
        } else {
            var inner = DERCursor(bytes, within: element.content)
            while !inner.isAtEnd { content += try rewritten(inner.next(), of: bytes, kept) }
        }
        return written(element.tag, content)
    }

    private func written(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        switch self {
        case .indefinite where tag & 0x20 != 0: return [tag, 0x80] + content + [0, 0]
        case .padded where count > 0: return [tag, 0x84, 0, 0, UInt8(count >> 8 & 0xff), UInt8(count & 0xff)] + content
        case .chunked where tag == DERTag.octetString:
            let (first, rest) = (Array(content.prefix(count / 2)), Array(content.dropFirst(count / 2)))
            return CMSCraft.tlv(tag | 0x20, CMSCraft.tlv(tag, first) + CMSCraft.tlv(tag, rest))
        default: return CMSCraft.tlv(tag, content)
        }
    }
}
