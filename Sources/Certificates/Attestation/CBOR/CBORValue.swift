package import Foundation

/// A value of CBOR (RFC 8949), as far as attestation objects use it.
package indirect enum CBORValue: Sendable, Hashable {
    case integer(Int64)
    case bytes(Data)
    case text(String)
    case array([CBORValue])
    case map([Entry])
    case bool(Bool)
    case null

    /// A name and what stands under it.
    package struct Entry: Sendable, Hashable {
        package let key: CBORValue
        package let value: CBORValue

        package init(_ key: CBORValue, _ value: CBORValue) {
            self.key = key
            self.value = value
        }
    }

    /// What a map holds under a text.
    package subscript(_ key: String) -> CBORValue? {
        guard case .map(let entries) = self else { return nil }
        return entries.first { $0.key == .text(key) }?.value
    }

    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    package var bytes: Data? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    package var integer: Int64? {
        if case .integer(let integer) = self { integer } else { nil }
    }

    package var array: [CBORValue]? {
        if case .array(let values) = self { values } else { nil }
    }
}

/// Bounds of what is read: an attestation with four certificates takes about 5 KiB and is three levels deep.
package enum CBORLimits {
    package static let bytes = 65_536
    package static let depth = 8
    package static let values = 256
}

/// The bytes are not CBOR that is read here.
package struct CBORMalformed: Error, Equatable {}
