import CZstd

/// Reads Zstandard frames, as much of them as is asked for and no more.
///
/// What a frame unpacks to is never trusted to end: every read has its length, and the end of a frame is asked for. So a
/// small file that unpacks to a huge one costs what its list allows and not a byte more.
@safe
final class Decompressor {
    private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

    private let context: OpaquePointer
    private let source: any PackageSource
    private var input = [UInt8](repeating: 0, count: 131_072)
    private var begin = 0
    private var end = 0
    /// How many bytes of the compressed form were given to the frames so far.
    private(set) var consumed: UInt64 = 0
    private var received: UInt64 = 0
    private var isInFrame = false

    init(_ source: any PackageSource) throws(PackageRefusal) {
        guard let context = unsafe ZSTD_createDCtx() else { throw PackageRefusal(.compression) }
        unsafe self.context = context
        self.source = source
        guard unsafe ZSTD_isError(ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, PackageLimits.window)) == 0
        else {
            throw PackageRefusal(.compression)
        }
    }

    deinit {
        unsafe ZSTD_freeDCtx(context)
    }

    /// Begins a frame, of the usual kind: those that decompressors skip are not part of a package.
    func beginFrame() throws(PackageRefusal) {
        precondition(!isInFrame, "one frame at a time")
        while end - begin < Self.magic.count {
            guard try refill() else { throw PackageRefusal(received == 0 ? .notAPackage : .truncated) }
        }
        guard input[begin..<(begin + Self.magic.count)].elementsEqual(Self.magic) else {
            throw PackageRefusal(consumed == 0 ? .notAPackage : .trailingBytes)
        }
        isInFrame = true
    }

    /// Reads exactly `count` bytes, which the caller has bounded.
    func read(_ count: Int) throws(PackageRefusal) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count { filled += try step(into: &bytes, from: filled, to: count) }
        return bytes
    }

    /// Reads some bytes into `buffer`: at least one, at most `limit`.
    func read(into buffer: inout [UInt8], atMost limit: Int) throws(PackageRefusal) -> Int {
        var filled = 0
        let most = min(limit, buffer.count)
        while filled == 0 { filled = try step(into: &buffer, from: 0, to: most) }
        return filled
    }

    /// Makes sure that nothing more comes out of the frame.
    func endFrame() throws(PackageRefusal) {
        var extra: [UInt8] = [0]
        while isInFrame {
            if try advance(into: &extra, from: 0, to: 1) > 0 { throw PackageRefusal(.trailingBytes) }
        }
    }

    /// Makes sure that nothing follows the last frame.
    func finish() throws(PackageRefusal) {
        precondition(!isInFrame, "the last frame has ended")
        if begin == end, try !refill() { return }
        throw PackageRefusal(.trailingBytes)
    }

    private func step(into buffer: inout [UInt8], from: Int, to: Int) throws(PackageRefusal) -> Int {
        guard isInFrame else { throw PackageRefusal(.truncated) }
        return try advance(into: &buffer, from: from, to: to)
    }

    /// One step of the decompressor; answers how many bytes came out, which may be none.
    private func advance(into buffer: inout [UInt8], from: Int, to: Int) throws(PackageRefusal) -> Int {
        let (status, taken, produced) = unsafe input.withUnsafeBytes { input in
            unsafe buffer.withUnsafeMutableBytes { output in
                var source = unsafe ZSTD_inBuffer(src: input.baseAddress, size: end, pos: begin)
                var sink = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: to, pos: from)
                let status = unsafe ZSTD_decompressStream(context, &sink, &source)
                return unsafe (status, source.pos - begin, sink.pos - from)
            }
        }
        guard ZSTD_isError(status) == 0 else { throw PackageRefusal(.compression) }
        begin += taken
        consumed += UInt64(taken)
        if status == 0 {
            isInFrame = false
        } else if taken == 0, produced == 0 {
            guard begin == end else { throw PackageRefusal(.compression) }
            guard try refill() else { throw PackageRefusal(.truncated) }
        }
        return produced
    }

    /// Gets more of the compressed form; false at its end.
    private func refill() throws(PackageRefusal) -> Bool {
        if begin > 0 {
            input.replaceSubrange(0..<(end - begin), with: Array(input[begin..<end]))
            (begin, end) = (0, end - begin)
        }
        let count = try source.read(into: &input, at: end)
        end += count
        received += UInt64(count)
        guard received <= PackageLimits.compressed else { throw PackageRefusal(.tooLarge) }
        return count > 0
    }
}
