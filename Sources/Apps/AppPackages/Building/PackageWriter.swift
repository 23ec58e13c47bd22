import Crypto

/// Writes packages: the signature in a frame of its own, everything else behind it.
package enum PackageWriter {
    /// The frame with the signature, to stand before the rest.
    package static func signatureFrame(_ signature: [UInt8]) throws(PackageRefusal) -> [UInt8] {
        var frame: [UInt8] = []
        let size = TarMember.size(path: PackagePath.signature.text, content: UInt64(signature.count))
        let compressor = try Compressor(size: size) { (bytes) throws(PackageRefusal) in frame += bytes }
        try write(.signature, signature, compressor)
        try compressor.end()
        return frame
    }

    /// The frame with the list and the files; `content` hands the bytes of each file over, piece by piece.
    package static func write(
        _ list: PackageList, to output: @escaping ([UInt8]) throws(PackageRefusal) -> Void,
        content: (PackageEntry, (ArraySlice<UInt8>) throws(PackageRefusal) -> Void) throws(PackageRefusal) -> Void
    ) throws(PackageRefusal) {
        let bytes = list.bytes
        guard bytes.count <= PackageLimits.list else { throw PackageRefusal(.tooLarge) }
        let size = list.entries.reduce(
            TarMember.size(path: PackagePath.list.text, content: UInt64(bytes.count)) + UInt64(TarMember.end.count)
        ) { $0 + TarMember.size(path: $1.path.text, content: $1.size) }
        let compressor = try Compressor(size: size, output)
        try write(.list, bytes, compressor)
        for entry in list.entries {
            try compressor.add(
                TarMember.header(path: entry.path.text, size: entry.size, isExecutable: entry.isExecutable))
            var hash = SHA256()
            var size: UInt64 = 0
            try content(entry) { (piece) throws(PackageRefusal) in
                hash.update(data: piece)
                size += UInt64(piece.count)
                try compressor.add(Array(piece))
            }
            guard size == entry.size, hash.finalize().elementsEqual(entry.digest) else {
                throw PackageRefusal(.changed, file: entry.path.text)
            }
            try compressor.add(TarMember.padding(after: entry.size))
        }
        try compressor.add(TarMember.end)
        try compressor.end()
    }

    private static func write(
        _ path: PackagePath, _ content: [UInt8], _ compressor: Compressor
    ) throws(PackageRefusal) {
        try compressor.add(TarMember.header(path: path.text, size: UInt64(content.count), isExecutable: false))
        try compressor.add(content)
        try compressor.add(TarMember.padding(after: UInt64(content.count)))
    }
}
