import Foundation

/// How a PKCS #12 file begins (RFC 7292 §4): a sequence of the version 3 and a ContentInfo of data or signed data.
///
/// No other structure of keys and certificates begins so: a certificate begins with its content, CMS with its type, a
/// private key with another version.
enum PKCS12Beginning {
    private static let sequence: UInt8 = 0x30
    private static let version: [UInt8] = [0x02, 0x01, 0x03]
    // The object identifier 1.2.840.113549.1.7.x, without its last number.
    private static let contentType: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07]
    private static let data: UInt8 = 1
    private static let signedData: UInt8 = 2
    // At least as many as the beginning has, whatever form its lengths have; a multiple of 3, for Base64.
    private static let bytes = 33
    private static let letters = bytes / 3 * 4
    private static let dataAddress = "data:"
    private static let base64 = ";base64,"

    static func isIn(_ file: Data) -> Bool {
        var rest = Array(file.prefix(bytes))[...]
        guard enterSequence(&rest), rest.starts(with: version) else { return false }
        rest.removeFirst(version.count)
        guard enterSequence(&rest), rest.starts(with: contentType) else { return false }
        rest.removeFirst(contentType.count)
        return rest.first == data || rest.first == signedData
    }

    /// Whether such a file is in a text: in Base64 of either alphabet, in lines or not, or in a `data:` address.
    static func isIn(_ text: String) -> Bool {
        var rest = Substring(text)
        if text.hasPrefix(dataAddress), let mark = text.firstRange(of: base64) { rest = text[mark.upperBound...] }
        var written: [UInt8] = []
        for letter in rest.utf8 {
            switch letter {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): continue
            case UInt8(ascii: "-"): written.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): written.append(UInt8(ascii: "/"))
            default: written.append(letter)
            }
            if written.count == letters { break }
        }
        guard let file = Data(base64Encoded: Data(written.prefix(written.count / 4 * 4))) else { return false }
        return isIn(file)
    }

    /// Steps into a sequence, whatever form its length has: some programs write BER of indefinite length.
    private static func enterSequence(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.popFirst() == sequence, let length = rest.popFirst() else { return false }
        let octets = length < 0x80 ? 0 : Int(length & 0x7F)
        guard octets <= 4, octets <= rest.count else { return false }
        rest.removeFirst(octets)
        return true
    }
}
