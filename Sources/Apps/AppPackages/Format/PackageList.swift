import Crypto

/// A file as the list states it.
package struct PackageEntry: Hashable, Sendable {
    package let path: PackagePath
    package let size: UInt64
    package let isExecutable: Bool
    /// The SHA-256 of the content.
    package let digest: [UInt8]

    package init(path: PackagePath, size: UInt64, isExecutable: Bool, digest: [UInt8]) {
        precondition(digest.count == SHA256.byteCount, "a digest is SHA-256")
        self.path = path
        self.size = size
        self.isExecutable = isExecutable
        self.digest = digest
    }

    package var digestText: String { HexText.of(digest) }
}

/// The list of everything in a package, which is what a team signs.
///
/// A line for each file, in the one order and form there is:
///
///     martlet app package 1
///     - 512 <SHA-256> Info.plist
///     x 70416 <SHA-256> Landmarks
package struct PackageList: Hashable, Sendable {
    package let entries: [PackageEntry]
    /// The sizes of all files together.
    package let total: UInt64

    private static let heading = "martlet app package 1\n"

    /// Takes entries that are in order and within bounds.
    package init(_ entries: [PackageEntry]) throws(PackageRefusal) {
        guard entries.count <= PackageLimits.files else { throw PackageRefusal(.tooManyFiles) }
        guard entries.first?.path == .information else { throw PackageRefusal(.informationMissing) }
        var collisions = PathCollisions()
        var total: UInt64 = 0
        var previous: PackagePath?
        for entry in entries {
            if let previous, !(previous < entry.path) { throw PackageRefusal(.listOrder, file: entry.path.text) }
            previous = entry.path
            try collisions.add(entry.path)
            try Self.checkSize(of: entry)
            // Both are below 2^33.
            total += entry.size
            guard total <= PackageLimits.total else { throw PackageRefusal(.totalTooLarge) }
        }
        self.entries = entries
        self.total = total
    }

    private static func checkSize(of entry: PackageEntry) throws(PackageRefusal) {
        guard entry.size <= PackageLimits.file else { throw PackageRefusal(.fileTooLarge, file: entry.path.text) }
        switch entry.path {
        case .information where entry.size > UInt64(PackageLimits.information) || entry.isExecutable:
            throw PackageRefusal(.information)
        case .entitlements where entry.size > UInt64(PackageLimits.entitlements) || entry.isExecutable:
            throw PackageRefusal(.entitlements)
        case .specification where entry.size > UInt64(PackageLimits.specification) || entry.isExecutable:
            throw PackageRefusal(.specification)
        default: break
        }
    }

    /// Reads the list's one form.
    package init(parsing bytes: [UInt8]) throws(PackageRefusal) {
        guard bytes.count <= PackageLimits.list else { throw PackageRefusal(.tooLarge) }
        guard bytes.starts(with: Self.heading.utf8), bytes.last == UInt8(ascii: "\n") else {
            throw PackageRefusal(.list)
        }
        var entries: [PackageEntry] = []
        var rest = bytes[Self.heading.utf8.count...]
        while !rest.isEmpty {
            guard entries.count < PackageLimits.files else { throw PackageRefusal(.tooManyFiles) }
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { throw PackageRefusal(.list) }
            entries.append(try Self.entry(rest[..<end]))
            rest = rest[(end + 1)...]
        }
        try self.init(entries)
    }

    private static func entry(_ line: ArraySlice<UInt8>) throws(PackageRefusal) -> PackageEntry {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count == 4, fields[0].count == 1, let mode = fields[0].first,
            mode == UInt8(ascii: "x") || mode == UInt8(ascii: "-"),
            let size = decimal(fields[1]), let digest = HexText.bytes(fields[2]), digest.count == SHA256.byteCount,
            let path = String(validating: fields[3], as: UTF8.self)
        else { throw PackageRefusal(.list) }
        return PackageEntry(
            path: try PackagePath(path), size: size, isExecutable: mode == UInt8(ascii: "x"), digest: digest)
    }

    /// A number without leading zeros that fits the container.
    private static func decimal(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard (1...10).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else {
            return nil
        }
        var value: UInt64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + UInt64(digit - UInt8(ascii: "0"))
        }
        return value
    }

    /// The list as it is signed.
    package var bytes: [UInt8] {
        var text = [UInt8](Self.heading.utf8)
        for entry in entries {
            text += "\(entry.isExecutable ? "x" : "-") \(entry.size) \(entry.digestText) \(entry.path.text)\n".utf8
        }
        return text
    }

    package func entry(_ path: PackagePath) -> PackageEntry? { entries.first { $0.path == path } }
}

/// Lowercase hexadecimal, the only form in which digests are written here.
package enum HexText {
    private static let digits = [UInt8]("0123456789abcdef".utf8)

    package static func of(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    static func bytes(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var high: UInt8?
        for character in text {
            let digit: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
            default: return nil
            }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }
}
