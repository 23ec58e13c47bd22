/// Finds which files of a package no other file names.
///
/// Words are told apart by their hash as they pass: `logo.png` and `logo` name the file `Images/logo.png`.
struct Mentions {
    /// Which files a word names, by its hash.
    private var wanted: [UInt64: [Int]] = [:]
    /// Which hashes are worth looking up, by their last bits: most words are not.
    private var filter = [Bool](repeating: false, count: 65_536)
    private(set) var isMentioned: [Bool]

    private var file = -1
    private var hash = Self.seed
    private var length = 0

    private static let seed: UInt64 = 0xCBF2_9CE4_8422_2325
    private static let isWord = (0...255).map { byte in
        byte >= 0x80 || UInt8(byte).isLetterOrDigit || "._-+@".utf8.contains(UInt8(byte))
    }

    init(_ list: PackageList) {
        isMentioned = [Bool](repeating: false, count: list.entries.count)
        for (index, entry) in list.entries.enumerated() {
            guard let name = entry.path.components.last else { continue }
            let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
            for word in Set([name, stem]) where !word.isEmpty {
                // A name of several words would never be found as one.
                guard word.utf8.allSatisfy({ Self.isWord[Int($0)] }) else {
                    isMentioned[index] = true
                    continue
                }
                let hash = word.utf8.reduce(Self.seed) { Self.step($0, $1) }
                wanted[hash, default: []].append(index)
                filter[Int(hash & 0xFFFF)] = true
            }
        }
    }

    mutating func begin() {
        file += 1
        (hash, length) = (Self.seed, 0)
    }

    mutating func read(_ bytes: ArraySlice<UInt8>) {
        var (hash, length) = (hash, length)
        for byte in bytes {
            if Self.isWord[Int(byte)] {
                hash = Self.step(hash, byte)
                length &+= 1
            } else if length > 0 {
                if filter[Int(hash & 0xFFFF)] { found(hash) }
                (hash, length) = (Self.seed, 0)
            }
        }
        (self.hash, self.length) = (hash, length)
    }

    mutating func end() {
        if length > 0, filter[Int(hash & 0xFFFF)] { found(hash) }
    }

    private mutating func found(_ hash: UInt64) {
        // Its own name in a file says nothing.
        for index in wanted[hash] ?? [] where index != file { isMentioned[index] = true }
    }

    private static func step(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
        (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }
}
