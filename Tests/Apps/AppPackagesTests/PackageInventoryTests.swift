import AppPackages
import CraftedPackages
import Foundation
import Testing

/// L01: what the 2013 talk calls taking inventory, and using compression.
struct PackageInventoryTests {
    private func warnings(_ files: [Craft.File], information: String = Craft.information) throws -> [PackageWarning] {
        var craft = Craft(information: information)
        craft.files += files
        craft.files =
            [craft.files[0]] + craft.files.dropFirst().sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        craft.isSigned = false
        let reader = try PackageReader(PackageBytes(craft.bytes(by: Team("Team"))))
        var inventory = try PackageInventory(PackageList(parsing: reader.list))
        let found = try reader.describe(through: &inventory)
        return inventory.warnings(about: found, packageSize: 1)
    }

    private func kinds(_ path: String, _ content: [UInt8]) throws -> Set<PackageWarning.Kind> {
        Set(try warnings([Craft.File(path: path, content: content)]).filter { $0.file == path }.map(\.kind))
    }

    @Test func anAppWithoutWasteIsLeftInPeace() throws {
        #expect(try warnings([]).isEmpty)
    }

    /// S2-SIZE-03: "garbage that might be laying around".
    @Test(arguments: [
        ".DS_Store", "Resources/Thumbs.db", ".git/config", "a.o", "lib/x.a", "notes.txt~", ".main.swift.swp", "core",
        "__MACOSX/a", "x/__pycache__/y.pyc", "Makefile",
    ])
    func whatIsLeftOverIsNamed(path: String) throws {
        #expect(try kinds(path, [1, 2]) == [.leftover])
    }

    @Test func whatIsThereTwiceIsNamedOnce() throws {
        let found = try warnings([
            .init(path: "one.png", content: [9, 9]), .init(path: "other.png", content: [9, 9]),
            .init(path: "empty", content: []), .init(path: "empty2", content: []),
        ])
        #expect(found.map(\.kind) == [.duplicate])
        #expect(found.map(\.file) == ["other.png"])
    }

    /// S2-SIZE-03: flags what nothing refers to; a name counts with and without its ending.
    @Test func whatNoFileNamesIsAsked() throws {
        let bulk = [UInt8](repeating: 0xFF, count: 5_000)
        let found = try warnings([
            .init(path: "Images/used.png", content: bulk + [1]), .init(path: "Images/stem.png", content: bulk + [2]),
            .init(path: "Images/unused.png", content: bulk + Array("unused.png".utf8)),
            .init(path: "code", content: Array("load(\"used.png\"); image(named: \"stem\")".utf8)),
            .init(path: "Images/small.png", content: [1]),
        ])
        #expect(found.map(\.kind) == [.unmentioned])
        #expect(found.map(\.file) == ["Images/unused.png"])
        #expect(found.map(\.size) == [5_010])
    }

    /// A word that two pieces of a file share is one word.
    @Test func aNameAcrossThePiecesOfAFileIsFound() throws {
        let bulk = [UInt8](repeating: 0xFF, count: 5_000)
        let code = [UInt8](repeating: 0x20, count: 131_068) + Array("used.png ".utf8)
        #expect(
            try warnings([.init(path: "used.png", content: bulk), .init(path: "code", content: code)]).filter {
                $0.file == "used.png"
            }.isEmpty)
    }

    /// S2-SIZE-05, S2-SIZE-06: sound and video by what they are, not by their names.
    @Test func soundAndVideoOfOldFormsAreNamed() throws {
        func wave(format: UInt8, rate: Int) -> [UInt8] {
            Array("RIFF\0\0\0\0WAVEfmt ".utf8) + [16, 0, 0, 0, format, 0, 2, 0]
                + (0..<4).map { UInt8(truncatingIfNeeded: rate >> (8 * $0)) } + [UInt8](repeating: 0, count: 40)
        }
        #expect(try kinds("App.dat", wave(format: 1, rate: 44_100)) == [.uncompressedSound, .sampleRate])
        #expect(try kinds("App.dat", wave(format: 1, rate: 22_050)) == [.uncompressedSound])
        #expect(try kinds("App.dat", wave(format: 85, rate: 48_000)) == [.sampleRate])
        #expect(try kinds("App.dat", Array("FORM\0\0\0\0AIFF".utf8)) == [.uncompressedSound])
        let flac = Array("fLaC".utf8) + [UInt8](repeating: 0, count: 14) + [0x0A, 0xC4, 0x40]
        #expect(try kinds("App.dat", flac) == [.sampleRate])
        let vorbis =
            Array("OggS".utf8) + [UInt8](repeating: 0, count: 24) + [1] + Array("vorbis".utf8) + [0, 0, 0, 0, 2]
            + [0x44, 0xAC, 0, 0]
        #expect(try kinds("App.dat", vorbis) == [.sampleRate])
        #expect(try kinds("App.dat", Array("RIFF\0\0\0\0AVI ".utf8)) == [.oldVideo])
        #expect(try kinds("App.dat", [0, 0, 1, 0xBA, 0]) == [.oldVideo])
        #expect(try kinds("App.dat", Array("BM\u{1}\u{1}\u{1}\u{1}\0\0\0\0".utf8)) == [.uncompressedImage])
        #expect(try kinds("App.dat", Array("RIFF".utf8)) == [])
    }

    /// Symbols and debug information of a program: what `strip` would take.
    @Test func aProgramThatWasNotStrippedIsNamed() throws {
        func program(_ sections: [(type: UInt8, flags: UInt8, size: Int)], lie: UInt64? = nil) -> [UInt8] {
            func little(_ value: UInt64, _ count: Int) -> [UInt8] {
                (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
            }
            let body = [UInt8](repeating: 0, count: 200_000)
            var bytes: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1] + [UInt8](repeating: 0, count: 34)
            bytes += little(64 + UInt64(body.count), 8) + [UInt8](repeating: 0, count: 10)
            bytes += little(64, 2) + little(UInt64(sections.count), 2) + little(0, 2) + body
            for section in sections {
                bytes += little(0, 4) + little(UInt64(section.type), 4) + little(UInt64(section.flags), 8)
                bytes += little(0, 16) + little(lie ?? UInt64(section.size), 8) + [UInt8](repeating: 0, count: 24)
            }
            return bytes
        }
        let loaded: (UInt8, UInt8, Int) = (1, 2, 150_000)
        #expect(try kinds("App.dat", program([loaded, (2, 0, 100_000)])) == [.debugging])
        #expect(try kinds("App.dat", program([loaded, (3, 0, 1_000)])) == [])
        #expect(try kinds("App.dat", program([loaded, (8, 0, 190_000)])) == [])
        // A table that says more than there is.
        #expect(try kinds("App.dat", program([(2, 0, 1)], lie: .max)) == [])
        #expect(try kinds("App.dat", program([(2, 0, 190_000), (2, 0, 190_000)])) == [])
        #expect(try kinds("App.dat", Array(program([(2, 0, 100_000)]).dropLast())) == [])
    }

    /// S2-SIZE-01: the limit of the talk.
    @Test func aPackageOverAHundredMegabytesIsNamed() throws {
        var craft = Craft()
        craft.isSigned = false
        let reader = try PackageReader(PackageBytes(craft.bytes(by: Team("Team"))))
        var inventory = try PackageInventory(PackageList(parsing: reader.list))
        let found = try reader.describe(through: &inventory)
        #expect(inventory.warnings(about: found, packageSize: 100_000_000).isEmpty)
        #expect(inventory.warnings(about: found, packageSize: 100_000_001).map(\.kind) == [.largePackage])
    }
}
