import Crypto

/// Takes the content of a package's files as it comes out of the package.
///
/// Nothing is vouched for until `end` was called for a file, and the package as a whole not before reading has ended.
package protocol PackageSink {
    mutating func begin(_ entry: PackageEntry) throws(PackageRefusal)
    mutating func write(_ bytes: ArraySlice<UInt8>) throws(PackageRefusal)
    /// The file is whole, and the one that was listed.
    mutating func end(_ entry: PackageEntry) throws(PackageRefusal)
}

/// Reads a package front to back, in memory that does not depend on the sizes of its files.
///
/// The signature comes first and the list it is over second. Of everything behind them the list says what it must be, to
/// the byte: it is compared, not interpreted.
package struct PackageReader {
    private let stream: Decompressor

    /// The signature, not judged yet; nil in a package that is not signed.
    package let signature: [UInt8]?
    /// The list as it was signed.
    package let list: [UInt8]
    /// Where the part begins that is the same with and without a signature.
    package let contentOffset: UInt64

    /// Reads signature and list, and believes neither.
    package init(_ source: any PackageSource) throws(PackageRefusal) {
        stream = try Decompressor(source)
        try stream.beginFrame()
        var header = try stream.read(TarMember.block)
        if let signature = try Self.content(.signature, header, PackageLimits.signature, stream) {
            self.signature = signature
            try stream.endFrame()
            contentOffset = stream.consumed
            try stream.beginFrame()
            header = try stream.read(TarMember.block)
        } else {
            signature = nil
            contentOffset = 0
        }
        guard let list = try Self.content(.list, header, PackageLimits.list, stream) else {
            throw PackageRefusal(signature == nil ? .notAPackage : .otherThanListed)
        }
        self.list = list
    }

    /// The content behind `header`, if that is the header of the file at `path`.
    private static func content(
        _ path: PackagePath, _ header: [UInt8], _ limit: Int, _ stream: Decompressor
    ) throws(PackageRefusal) -> [UInt8]? {
        guard let size = TarMember.size(in: header),
            header == TarMember.header(path: path.text, size: size, isExecutable: false)
        else { return nil }
        guard size <= UInt64(limit) else { throw PackageRefusal(.tooLarge) }
        let bytes = try stream.read(Int(size))
        let padding = TarMember.padding(after: size)
        guard try stream.read(padding.count) == padding else { throw PackageRefusal(.otherThanListed) }
        return bytes
    }

    /// Reads all files and hands their content to `sink`, up to the very end of the package.
    package func readFiles(of list: PackageList, into sink: inout some PackageSink) throws(PackageRefusal) {
        var buffer = [UInt8](repeating: 0, count: 131_072)
        for entry in list.entries {
            let header = TarMember.header(
                path: entry.path.text, size: entry.size, isExecutable: entry.isExecutable)
            guard try stream.read(header.count) == header else {
                throw PackageRefusal(.otherThanListed, file: entry.path.text)
            }
            try sink.begin(entry)
            var hash = SHA256()
            var left = entry.size
            while left > 0 {
                let count = try stream.read(into: &buffer, atMost: Int(min(left, UInt64(buffer.count))))
                hash.update(data: buffer[..<count])
                try sink.write(buffer[..<count])
                left -= UInt64(count)
            }
            guard hash.finalize().elementsEqual(entry.digest) else {
                throw PackageRefusal(.digest, file: entry.path.text)
            }
            let padding = TarMember.padding(after: entry.size)
            guard try stream.read(padding.count) == padding else {
                throw PackageRefusal(.otherThanListed, file: entry.path.text)
            }
            try sink.end(entry)
        }
        guard try stream.read(TarMember.end.count) == TarMember.end else { throw PackageRefusal(.trailingBytes) }
        try stream.endFrame()
        try stream.finish()
    }
}
