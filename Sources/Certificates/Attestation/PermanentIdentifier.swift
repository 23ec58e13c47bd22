import CryptographicMessages
package import Foundation

/// The lasting name of a device among a certificate's alternative names (RFC 4043).
package enum PermanentIdentifier {
    // 1.3.6.1.5.5.7.8.3
    private static let identifier: [UInt8] = [0x2b, 6, 1, 5, 5, 7, 8, 3]

    /// Reads the first one out of the extension's value; `nil` where there is none.
    package static func read(_ alternativeNames: Data?) -> String? {
        guard let alternativeNames else { return nil }
        return try? first([UInt8](alternativeNames))
    }

    private static func first(_ bytes: [UInt8]) throws -> String? {
        var file = DERCursor(bytes)
        var names = try file.enter(DERTag.sequence)
        while !names.isAtEnd {
            guard names.nextTag == DERTag.context0 else {
                _ = try names.next()
                continue
            }
            var name = try names.enter(DERTag.context0)
            let type = bytes[try name.next(DERTag.objectIdentifier).content]
            guard type.elementsEqual(identifier) else { continue }
            var explicit = try name.enter(DERTag.context0)
            var value = try explicit.enter(DERTag.sequence)
            guard value.nextTag == DERTag.utf8String else { return nil }
            let text = bytes[try value.next(DERTag.utf8String).content]
            return text.contains(0) ? nil : String(validating: text, as: UTF8.self)
        }
        return nil
    }
}
