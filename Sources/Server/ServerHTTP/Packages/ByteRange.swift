/// Which part of a file is asked for (RFC 9110 §14): one range, or the whole.
///
/// What is not understood, several ranges among them, is answered with the whole, as the standard lets us.
enum ByteRange: Equatable {
    case whole
    case part(ClosedRange<Int>)
    /// It begins behind the end.
    case none

    init(_ header: String?, size: Int) {
        self = header.flatMap { Self.parsed($0, size) } ?? .whole
    }

    private static func parsed(_ text: String, _ size: Int) -> ByteRange? {
        guard text.utf8.count <= 80, text.hasPrefix("bytes=") else { return nil }
        let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        switch (number(ends[0]), number(ends[1])) {
        case (let first?, let last?):
            guard first <= last else { return nil }
            return first < size ? .part(first...min(last, size - 1)) : ByteRange.none
        case (let first?, nil) where ends[1].isEmpty:
            return first < size ? .part(first...(size - 1)) : ByteRange.none
        case (nil, let count?) where ends[0].isEmpty:
            return count > 0 && size > 0 ? .part(max(0, size - count)...(size - 1)) : ByteRange.none
        default: return nil
        }
    }

    /// A whole number without sign; more digits than any file needs are none.
    static func number(_ text: Substring) -> Int? {
        (1...18).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
