/// One thing that the kernel noticed of a watched directory, read from its `struct inotify_event`.
struct DirectoryEvent: Equatable {
    // Number of the directory, mask, cookie and length of the name, four bytes each.
    private static let headLength = 16
    // IN_IGNORED: the kernel's word that it watches the directory no more.
    private static let ignored: UInt32 = 0x8000

    /// The directory's number in the watch; -1 where events were lost.
    let directory: Int32
    /// The name of the entry, in bytes; empty for what happened to the directory itself.
    let name: [UInt8]
    /// Whether it only says that the directory is watched no more; an event before it said why.
    let isFarewell: Bool

    /// The events in what was read from a watch; what is not whole is left out.
    static func all(in bytes: [UInt8]) -> [DirectoryEvent] {
        var events: [DirectoryEvent] = []
        var rest = bytes[...]
        while rest.count >= headLength {
            let length = Int(number(rest.dropFirst(12)))
            guard rest.count - headLength >= length else { break }
            let name = rest.dropFirst(headLength).prefix(length).prefix { $0 != 0 }
            events.append(
                DirectoryEvent(
                    directory: Int32(bitPattern: number(rest)), name: Array(name),
                    isFarewell: number(rest.dropFirst(4)) & ignored != 0))
            rest = rest.dropFirst(headLength + length)
        }
        return events
    }

    /// The number in the first four bytes, in this machine's order.
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        let number = bytes.prefix(4).reversed().reduce(UInt32(0)) { sum, byte in (sum << 8) | UInt32(byte) }
        return UInt32(littleEndian: number)
    }
}
