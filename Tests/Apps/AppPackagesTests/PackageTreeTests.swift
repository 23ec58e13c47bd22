import AppPackages
import CraftedPackages
import Foundation
import TestInputs
import Testing

/// Any tree that can be packed comes out as it went in.
struct PackageTreeTests {
    private static let names = [
        "a", "B", "file.txt", "with space", "-rf", "ünïcode", "日本語", "😀", "x'\"$(id)", "lib.so.1.2", ".hidden",
        "CON", "e\u{301}", "a&b<c>", String(repeating: "long", count: 60),
    ]
    private static let sizes = [0, 1, 511, 512, 513, 1_024, 131_071, 131_072, 131_073, 400_000]

    @Test(arguments: [UInt64(1), 2, 3])
    func aTreeThatIsPackedAndUnpackedIsTheSame(_ seed: UInt64) throws {
        var random = SplitMix64(seed: Mutation.seed &+ seed)
        let folder = try Folder()
        try folder.write(Array(Craft.information.utf8), "in/Info.plist")
        try folder.write([1], "in/App", mode: 0o755)
        for number in 0..<Int.random(in: 0...40, using: &random) {
            // The number keeps names apart, also where a file system takes cases for one.
            let depth = Int.random(in: 0...4, using: &random)
            let path =
                (0..<depth).map { "d\($0) " + Self.names[(number + $0) % 3] } + [
                    "\(number) " + (Self.names.randomElement(using: &random) ?? "")
                ]
            let size = Self.sizes.randomElement(using: &random) ?? 0
            var content: [UInt8] = []
            while content.count < size {
                let byte = UInt8(truncatingIfNeeded: random.next())
                content += [UInt8](repeating: byte, count: min(size - content.count, Int(byte) + 1))
            }
            try folder.write(
                content, "in/" + path.joined(separator: "/"), mode: Bool.random(using: &random) ? 0o755 : 0o644)
        }
        let team = try Team("Team")
        for name in ["one", "other"] {
            let output = try OutputFile(path: folder.path(name))
            _ = try PackageBuilder.build(SourceTree(directory: folder.path("in")), to: output)
            try output.commit()
        }
        let built = try Data(contentsOf: URL(filePath: folder.path("one")))
        #expect(try built == Data(contentsOf: URL(filePath: folder.path("other"))))

        let output = try OutputFile(path: folder.path("signed"))
        _ = try PackageBuilder.sign(
            packageAt: folder.path("one"), certificates: [team.certificateDER], key: team.key, now: Team.now,
            replacing: false, to: output)
        try output.commit()
        let unpacked = try VerifiedPackage.unpack(
            PackageFile(path: folder.path("signed")), to: folder.path("out"),
            trust: TeamTrust([team.certificateDER]), now: Team.now)
        var out = try folder.tree("out")
        #expect(out.removeValue(forKey: "_Package/signature.p7s") != nil)
        #expect(out.removeValue(forKey: "_Package/list") != nil)
        #expect(try out == folder.tree("in"))
        #expect(unpacked.files.count == out.count)
        // What was signed is what was built: nothing behind the signature was packed anew.
        #expect(try Data(contentsOf: URL(filePath: folder.path("signed"))).suffix(built.count) == built)
    }

    @Test func anotherSignatureTakesThePlaceOfTheFirst() throws {
        let folder = try Folder()
        let (one, other) = (try Team("One"), try Team("Other"))
        try Data(Craft().bytes(by: one)).write(to: URL(filePath: folder.path("p")))
        func sign(_ replacing: Bool) throws {
            let output = try OutputFile(path: folder.path("p"))
            _ = try PackageBuilder.sign(
                packageAt: folder.path("p"), certificates: [other.certificateDER], key: other.key, now: Team.now,
                replacing: replacing, to: output)
            try output.commit()
        }
        #expect(refusal { try sign(false) } == .alreadySigned)
        try sign(true)
        let verified = try VerifiedPackage.verify(
            PackageFile(path: folder.path("p")), trust: TeamTrust([other.certificateDER]), now: Team.now)
        #expect(verified.signer.commonName == "Other")
        #expect(try folder.names == ["p"])
    }

    /// What does not hold is not signed: the signer would vouch for it.
    @Test func aDamagedPackageIsNotSigned() throws {
        let folder = try Folder()
        let team = try Team("Team")
        var craft = Craft()
        craft.isSigned = false
        craft.files[2].listedDigest = [UInt8](repeating: 1, count: 32)
        try Data(craft.bytes(by: team)).write(to: URL(filePath: folder.path("p")))
        let rule = refusal {
            let output = try OutputFile(path: folder.path("signed"))
            _ = try PackageBuilder.sign(
                packageAt: folder.path("p"), certificates: [team.certificateDER], key: team.key, now: Team.now,
                replacing: false, to: output)
            try output.commit()
        }
        #expect(rule == .digest)
        #expect(try folder.names == ["p"])
    }

    /// Files are read twice, and their progress ends with what they have.
    ///
    /// Red where both passes were counted, so that an app seemed twice as large.
    @Test func progressEndsWithTheSizeOfTheFiles() throws {
        let folder = try Folder()
        let information = Array(Craft.information.utf8)
        try folder.write(information, "in/Info.plist")
        try folder.write([UInt8](repeating: 7, count: 300_000), "in/App", mode: 0o755)
        var heard: [UInt64] = []
        let output = try OutputFile(path: folder.path("out"))
        _ = try PackageBuilder.build(SourceTree(directory: folder.path("in")), to: output) { heard.append($0) }
        #expect(heard.last == UInt64(information.count + 300_000))
        #expect(heard == heard.sorted())
    }

    @Test func aDirectoryWithWhatAPackageCannotHoldIsNotPacked() throws {
        func rule(_ change: (Folder) throws -> Void) throws -> PackageRefusal.Rule? {
            let folder = try Folder()
            try folder.write(Array(Craft.information.utf8), "in/Info.plist")
            try folder.write([1], "in/App", mode: 0o755)
            try change(folder)
            return refusal {
                let output = try OutputFile(path: folder.path("out"))
                _ = try PackageBuilder.build(SourceTree(directory: folder.path("in")), to: output)
            }
        }
        #expect(try rule { _ in } == nil)
        #expect(
            try rule {
                try FileManager.default.createSymbolicLink(atPath: $0.path("in/link"), withDestinationPath: "App")
            } == .link)
        #expect(
            try rule {
                try FileManager.default.createSymbolicLink(atPath: $0.path("in/link"), withDestinationPath: "/etc")
            } == .link)
        #expect(try rule { _ = unsafe mkfifo($0.path("in/pipe"), 0o600) } == .special)
        #expect(try rule { try $0.write([1], "in/tool", mode: 0o4755) } == .privileged)
        #expect(try rule { try $0.write([1], "in/tool", mode: 0o2755) } == .privileged)
        #expect(try rule { try $0.write([1], "in/back\\slash") } == .path)
        #expect(try rule { try $0.write([1], "in/new\nline") } == .path)
        #expect(try rule { try $0.write([1], "in/_Package/list") } == .pathReserved)
        #expect(try rule { try $0.write([1], "in/app") } == .pathTaken)
        #expect(
            try rule { try FileManager.default.removeItem(atPath: $0.path("in/Info.plist")) } == .informationMissing)
    }
}
