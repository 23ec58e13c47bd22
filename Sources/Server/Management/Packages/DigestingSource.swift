import AppPackages
import Crypto
import Foundation

/// Reads a package and takes the digests of all that passes: of the whole, and of each piece.
final class DigestingSource: PackageSource {
    private let source: PackageFile
    private var whole = SHA256()
    private var piece = SHA256()
    private var inPiece = 0
    private(set) var size = 0
    private(set) var chunks: [Data] = []

    init(path: String) throws(PackageRefusal) {
        source = try PackageFile(path: path)
    }

    func read(into buffer: inout [UInt8], at place: Int) throws(PackageRefusal) -> Int {
        let count = try source.read(into: &buffer, at: place)
        var rest = buffer[place..<(place + count)]
        size += count
        while !rest.isEmpty {
            let part = rest.prefix(HostedPackage.chunkBytes - inPiece)
            whole.update(data: part)
            piece.update(data: part)
            inPiece += part.count
            rest = rest.dropFirst(part.count)
            if inPiece == HostedPackage.chunkBytes { endPiece() }
        }
        return count
    }

    /// Reads what is left and answers with the digest of the whole.
    func finish() throws(PackageRefusal) -> Data {
        var buffer = [UInt8](repeating: 0, count: 131_072)
        while try read(into: &buffer, at: 0) > 0 {}
        if inPiece > 0 { endPiece() }
        return Data(whole.finalize())
    }

    private func endPiece() {
        chunks.append(Data(piece.finalize()))
        piece = SHA256()
        inPiece = 0
    }
}
