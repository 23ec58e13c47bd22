/// What a SCEP server says it can do (RFC 8894 §3.5.2).
package struct SCEPCapabilities: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let aes = Self(rawValue: 1)
    package static let postPKIOperation = Self(rawValue: 2)
    package static let sha256 = Self(rawValue: 4)
    package static let sha512 = Self(rawValue: 8)
    package static let renewal = Self(rawValue: 16)
    package static let scepStandard = Self(rawValue: 32)
    package static let sha1 = Self(rawValue: 64)
    package static let tripleDES = Self(rawValue: 128)

    private static let names: [(String, Self)] = [
        ("AES", .aes), ("POSTPKIOperation", .postPKIOperation), ("Renewal", .renewal), ("SHA-256", .sha256),
        ("SHA-512", .sha512), ("SCEPStandard", .scepStandard), ("SHA-1", .sha1), ("DES3", .tripleDES),
    ]

    /// Reads the answer to GetCACaps: one word per line, unknown ones skipped.
    package init(parsing text: String) {
        var found: Self = []
        for line in text.prefix(4096).split(whereSeparator: \.isWhitespace) {
            let known = Self.names.first { $0.0.lowercased() == line.lowercased() }
            if let known { found.insert(known.1) }
        }
        if found.contains(.scepStandard) { found.formUnion([.aes, .sha256, .postPKIOperation]) }
        self = found
    }

    /// The answer to GetCACaps.
    package var text: String {
        Self.names.filter { contains($0.1) }.map { $0.0 + "\n" }.joined()
    }
}
