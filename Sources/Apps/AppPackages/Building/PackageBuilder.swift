package import CryptographicMessages
package import Foundation

/// Makes packages out of directories, and signs them.
package enum PackageBuilder {
    /// Packs a tree, not signed yet; equal trees give equal bytes.
    ///
    /// Files are read twice, listed first and packed then. Each pass is half of the way, so that `progress` ends with
    /// the size of the tree.
    package static func build(
        _ tree: SourceTree, to output: OutputFile, progress: (UInt64) -> Void = { _ in }
    ) throws(PackageRefusal) -> PackageDescription {
        let list = try tree.list { progress($0 / 2) }
        var description = DescribingSink(list, next: NoSink())
        // Errors in the description must come before the builder packs the large files.
        for file in tree.files where file.path == .information || file.path.isReserved {
            guard let entry = list.entry(file.path) else { continue }
            try pass(file, entry, to: &description)
        }
        let locations = Dictionary(tree.files.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        var done = list.total
        try PackageWriter.write(list, to: { (bytes) throws(PackageRefusal) in try output.write(bytes) }) {
            (entry, piece) throws(PackageRefusal) in
            guard let file = locations[entry.path] else { return }
            try SourceTree.read(file) { (bytes) throws(PackageRefusal) in
                done += UInt64(bytes.count)
                progress(done / 2)
                try piece(bytes)
            }
        }
        return try description.description()
    }

    private static func pass(
        _ file: SourceTree.File, _ entry: PackageEntry, to sink: inout some PackageSink
    ) throws(PackageRefusal) {
        var content: [UInt8] = []
        try SourceTree.read(file) { (bytes) throws(PackageRefusal) in
            content += bytes
            guard UInt64(content.count) <= entry.size else { throw PackageRefusal(.changed, file: file.location) }
        }
        try sink.begin(entry)
        try sink.write(content[...])
        try sink.end(entry)
    }

    /// Signs the package at `path`, after reading it to its end: nobody signs what does not hold.
    package static func sign(
        packageAt path: String, certificates: [Data], key: SigningKey, now: Date, replacing: Bool,
        to output: OutputFile, progress: (@Sendable (UInt64) -> Void)? = nil
    ) throws(PackageRefusal) -> VerifiedPackage {
        let reader = try PackageReader(try PackageFile(path: path, progress: progress))
        guard reader.signature == nil || replacing else { throw PackageRefusal(.alreadySigned) }
        let signature = try PackageSignature.sign(reader.list, certificates: certificates, key: key, now: now)
        var sink = NoSink()
        let description = try reader.describe(through: &sink)
        let signed = try VerifiedPackage(
            description: description, signer: try PackageSignature.signer(of: signature), signature: signature)

        try output.write(PackageWriter.signatureFrame(signature))
        try copy(path, from: reader.contentOffset, to: output)
        return signed
    }

    private static func copy(_ path: String, from offset: UInt64, to output: OutputFile) throws(PackageRefusal) {
        let source = try PackageFile(path: path)
        var skipped = offset
        var buffer = [UInt8](repeating: 0, count: 131_072)
        while true {
            let count = try source.read(into: &buffer, at: 0)
            guard count > 0 else { return }
            let skip = Int(min(skipped, UInt64(count)))
            skipped -= UInt64(skip)
            try output.write(Array(buffer[skip..<count]))
        }
    }
}
