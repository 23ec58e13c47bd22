/// What a file holds, as far as its first bytes tell and waste can be made with it.
enum FileKind: Hashable {
    case sound(isCompressed: Bool, samplesPerSecond: Int?)
    case oldVideo
    case uncompressedImage

    /// How much of a file is looked at.
    static let beginning = 64

    init?(_ bytes: [UInt8]) {
        func has(_ text: String, at place: Int = 0) -> Bool { bytes.dropFirst(place).starts(with: text.utf8) }
        if has("RIFF"), has("WAVE", at: 8) {
            // Format 1 and 0xFFFE are samples as they are.
            let format = has("fmt ", at: 12) ? Self.number(bytes, 20, 2) : 1
            self = .sound(
                isCompressed: format != 1 && format != 0xFFFE,
                samplesPerSecond: has("fmt ", at: 12) ? Self.number(bytes, 24, 4) : nil)
        } else if has("FORM"), has("AIFF", at: 8) {
            self = .sound(isCompressed: false, samplesPerSecond: nil)
        } else if has("fLaC"), bytes.count >= 21 {
            self = .sound(
                isCompressed: true, samplesPerSecond: Int(bytes[18]) << 12 | Int(bytes[19]) << 4 | Int(bytes[20]) >> 4)
        } else if has("OggS"), has("\u{1}vorbis", at: 28) {
            self = .sound(isCompressed: true, samplesPerSecond: Self.number(bytes, 40, 4))
        } else if (has("RIFF") && has("AVI ", at: 8)) || bytes.starts(with: [0, 0, 1, 0xBA])
            || bytes.starts(with: [0, 0, 1, 0xB3])
        {
            self = .oldVideo
        } else if (has("BM") && Self.number(bytes, 6, 4) == 0) || has("II*\0") || has("MM\0*") {
            self = .uncompressedImage
        } else {
            return nil
        }
    }

    /// A little-endian number.
    private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int? {
        guard bytes.count >= place + count else { return nil }
        return bytes[place..<(place + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
