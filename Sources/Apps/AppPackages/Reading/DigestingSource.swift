import Crypto
package import Foundation

/// Reads a package and takes the digests of all that passes: of the whole, and of each piece.
package final class DigestingSource: PackageSource {
    /// Devices check a download in pieces of this size.
    package static let pieceBytes = 1_048_576

    private let source: PackageFile
    private var whole = SHA256()
    private var piece = SHA256()
    private var inPiece = 0
    package private(set) var size = 0
    package private(set) var pieces: [Data] = []

    package init(_ source: PackageFile) {
        self.source = source
    }

    package func read(into buffer: inout [UInt8], at place: Int) throws(PackageRefusal) -> Int {
        let count = try source.read(into: &buffer, at: place)
        var rest = buffer[place..<(place + count)]
        size += count
        while !rest.isEmpty {
            let part = rest.prefix(Self.pieceBytes - inPiece)
            whole.update(data: part)
            piece.update(data: part)
            inPiece += part.count
            rest = rest.dropFirst(part.count)
            if inPiece == Self.pieceBytes { endPiece() }
        }
        return count
    }

    /// Reads what is left and answers with the digest of the whole.
    package func finish() throws(PackageRefusal) -> Data {
        var buffer = [UInt8](repeating: 0, count: 131_072)
        while try read(into: &buffer, at: 0) > 0 {}
        if inPiece > 0 { endPiece() }
        return Data(whole.finalize())
    }

    private func endPiece() {
        pieces.append(Data(piece.finalize()))
        piece = SHA256()
        inPiece = 0
    }
}
