import InputBounds

/// The contacts of an account (RFC 8555 §7.3): a handful of mail addresses, kept and given back, not used.
enum ACMEContacts {
    private static let most = 4
    private static let longest = 256

    /// Reads the member `contact`; without it there are none.
    static func read(_ value: JSONValue?) throws(ACMEProblem) -> [String] {
        guard let value else { return [] }
        guard let items = value.array, items.count <= most else {
            throw ACMEProblem(.invalidContact, "Contacts are a list of at most \(most).")
        }
        var contacts: [String] = []
        for item in items {
            guard let text = item.string else { throw invalid }
            try check(text)
            contacts.append(text)
        }
        return contacts
    }

    /// Another scheme is not supported; a `mailto` URL has one address and no header fields.
    private static func check(_ text: String) throws(ACMEProblem) {
        let bytes = Array(text.utf8)
        guard bytes.count <= longest, bytes.allSatisfy({ (0x21...0x7e).contains($0) }),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")), isScheme(bytes[..<colon])
        else { throw invalid }
        guard String(decoding: bytes[..<colon], as: UTF8.self).lowercased() == "mailto" else {
            throw ACMEProblem(.unsupportedContact, "The scheme of a contact is not supported; mailto is.")
        }
        let parts = bytes[(colon + 1)...].split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ part in !part.isEmpty && !part.contains(where: endsAddress) }) else {
            throw invalid
        }
    }

    /// Begins the header fields, another address, or a fragment.
    private static func endsAddress(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "?") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "#")
    }

    /// A letter, then letters, digits and `+-.` (RFC 3986 §3.1).
    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, isLetter(first) else { return false }
        return bytes.allSatisfy { byte in
            isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".")
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }

    private static var invalid: ACMEProblem {
        ACMEProblem(
            .invalidContact,
            "A contact is a mailto URL of at most \(longest) printable ASCII characters, with one address alone.")
    }
}
