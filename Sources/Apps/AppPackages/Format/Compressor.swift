import CZstd

/// Writes a Zstandard frame: of one thread and fixed settings, so that equal input gives equal bytes.
@safe
package final class Compressor {
    /// Half of what the highest level saves over the usual one, at a tenth of its time.
    private static let level: Int32 = 12

    private let context: OpaquePointer
    private let write: ([UInt8]) throws(PackageRefusal) -> Void
    private var output = [UInt8](repeating: 0, count: 131_072)

    /// Makes a frame of exactly `size` bytes: knowing that, a small one takes little memory here and at its readers.
    package init(
        size: UInt64, _ write: @escaping ([UInt8]) throws(PackageRefusal) -> Void
    ) throws(PackageRefusal) {
        guard let context = unsafe ZSTD_createCCtx() else { throw PackageRefusal(.compression) }
        unsafe self.context = context
        self.write = write
        for (parameter, value) in [
            (ZSTD_c_compressionLevel, Self.level), (ZSTD_c_windowLog, PackageLimits.window),
            (ZSTD_c_checksumFlag, 0), (ZSTD_c_contentSizeFlag, 0),
        ] where unsafe ZSTD_isError(ZSTD_CCtx_setParameter(context, parameter, value)) != 0 {
            throw PackageRefusal(.compression)
        }
        guard unsafe ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(context, size)) == 0 else {
            throw PackageRefusal(.compression)
        }
    }

    deinit {
        unsafe ZSTD_freeCCtx(context)
    }

    package func add(_ bytes: [UInt8]) throws(PackageRefusal) {
        _ = try compress(bytes, ZSTD_e_continue)
    }

    /// Ends the frame, which must have its size.
    package func end() throws(PackageRefusal) {
        while try compress([], ZSTD_e_end) != 0 {}
    }

    /// Answers how much is still to be written.
    private func compress(_ bytes: [UInt8], _ directive: ZSTD_EndDirective) throws(PackageRefusal) -> Int {
        var taken = 0
        var left = 0
        repeat {
            let (status, consumed, produced) = unsafe bytes.withUnsafeBytes { input in
                unsafe output.withUnsafeMutableBytes { output in
                    var source = unsafe ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: taken)
                    var sink = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
                    let status = unsafe ZSTD_compressStream2(context, &sink, &source, directive)
                    return unsafe (status, source.pos, sink.pos)
                }
            }
            guard ZSTD_isError(status) == 0 else { throw PackageRefusal(.compression) }
            (taken, left) = (consumed, status)
            if produced > 0 { try write(Array(output[..<produced])) }
        } while taken < bytes.count || (directive == ZSTD_e_end && left != 0)
        return left
    }
}
