import Crypto
import DeviceAgent
import DeviceMessages
import Foundation
import Testing

/// A download is gone on with only as far as the manifest speaks for it (A01).
struct PartFileTests {
    private let content = Data((0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 7) })

    private var pieces: AppManifest.Check {
        .pieces(
            size: 300,
            stride(from: 0, to: 1_000, by: 300).map { start in
                Data(SHA256.hash(data: content[start..<min(1_000, start + 300)]))
            })
    }

    private func withPath(_ body: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(directory.appending(path: "a.part").path)
    }

    private func open(_ path: String, _ check: AppManifest.Check, limit: Int = 1_000) throws -> PartFile {
        try PartFile(path, check: check, limit: limit)
    }

    @Test(arguments: [1, 7, 299, 300, 301, 1_000]) func whateverPartsItComesInItIsWholeInTheEnd(size: Int) throws {
        try withPath { path in
            let part = try open(path, pieces)
            for start in stride(from: 0, to: 1_000, by: size) {
                try part.write(content[start..<min(1_000, start + size)])
            }
            #expect(part.isWhole)
            try part.finish()
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
        }
    }

    @Test func itGoesOnAfterTheLastGoodPiece() throws {
        try withPath { path in
            try open(path, pieces).write(content.prefix(700))
            let again = try open(path, pieces)
            #expect(again.position == 600)
            try again.write(content.dropFirst(600))
            try again.finish()
            #expect(try open(path, pieces).isWhole)
        }
    }

    @Test func aPieceThatIsAnotherIsRefusedAndNotKept() throws {
        try withPath { path in
            var wrong = content
            wrong[450] ^= 1
            let part = try open(path, pieces)
            #expect(throws: InstallRefusal.download("a piece of the download is not what the manifest describes")) {
                try part.write(wrong)
            }
            #expect(part.position == 300)
            try part.write(content.dropFirst(300))
            try part.finish()
        }
    }

    @Test func whatWasChangedOnTheDiskMeanwhileIsDownloadedAgain() throws {
        try withPath { path in
            try open(path, pieces).write(content.prefix(900))
            var stored = content.prefix(900)
            stored[10] ^= 1
            try stored.write(to: URL(fileURLWithPath: path))
            #expect(try open(path, pieces).position == 0)
        }
    }

    @Test func aDownloadThatEndsTooEarlyIsNotWhole() throws {
        try withPath { path in
            let part = try open(path, pieces)
            try part.write(content.prefix(600))
            #expect(throws: InstallRefusal.self) { try part.finish() }
            try part.write(content[600..<650])
            #expect(throws: InstallRefusal.self) { try part.finish() }
        }
    }

    @Test func aDigestOfTheWholeIsHeldAgainstTheWhole() throws {
        try withPath { path in
            let check = AppManifest.Check.whole(Data(SHA256.hash(data: content)))
            try open(path, check).write(content.prefix(400))
            let part = try open(path, check)
            #expect(part.position == 400)
            try part.write(content.dropFirst(400))
            try part.finish()
            try open(path, check).restart()
            let other = try open(path, check)
            try other.write(Data(count: 1_000))
            #expect(throws: InstallRefusal.self) { try other.finish() }
            #expect(try open(path, check).position == 0)
        }
    }

    @Test func withoutADigestEachAttemptBeginsAnew() throws {
        try withPath { path in
            try open(path, .none).write(content.prefix(400))
            #expect(try open(path, .none).position == 0)
            #expect(try Data(contentsOf: URL(filePath: path)).isEmpty)
        }
    }

    @Test func moreThanWasSaidIsRefused() throws {
        try withPath { path in
            let part = try open(path, .none, limit: 999)
            #expect(throws: InstallRefusal.self) { try part.write(content) }
        }
    }
}
