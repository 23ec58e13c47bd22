import AppPackages
import CraftedPackages
import Foundation
import Testing

/// Packages that a signer or somebody on the way made to do harm: each is refused by the rule it breaks.
///
/// Where it says so the team has signed the attack: a signature says who, not that it is harmless.
struct PackageAttackTests {
    private let team: Team
    private let trust: TeamTrust
    private let folder: Folder

    init() throws {
        team = try Team("Team")
        trust = try TeamTrust([team.certificateDER])
        folder = try Folder()
    }

    /// Unpacks and says which rule ended it; nothing may be left then.
    private func outcome(_ bytes: [UInt8]) throws -> PackageRefusal.Rule? {
        let rule = refusal {
            _ = try VerifiedPackage.unpack(
                PackageBytes(bytes), to: folder.path("there"), trust: trust, now: Team.now)
        }
        if rule != nil { #expect(try folder.names.isEmpty) }
        return rule
    }

    private func outcome(_ change: (inout Craft) -> Void) throws -> PackageRefusal.Rule? {
        var craft = Craft()
        change(&craft)
        return try outcome(craft.bytes(by: team))
    }

    @Test func anHonestPackageIsUnpacked() throws {
        #expect(try outcome { _ in } == nil)
        #expect(try folder.tree("there").count == 5)
    }

    @Test(arguments: [
        "../escape", "a/../../escape", "/etc/cron.d/escape", "a//b", "a/", "./a", "a/./b", "..", ".", "a\\b", "a\nb",
        "a\u{7F}", "a\u{202E}b", "\u{1B}[2J",
    ])
    func aSignedPathThatLeadsElsewhereIsRefused(path: String) throws {
        let rule = try outcome { $0.files.append(.init(path: path, content: [1])) }
        // A line feed ends the line of the list before the path does.
        #expect(rule == .path || (path.contains("\n") && rule == .list))
    }

    /// S0-AUTH-02: two apps that name one keychain group are of one team, since no other team's signature may name it.
    @Test(arguments: [
        ("<key>keychain-access-groups</key><array><string>TEAM123456.shared</string></array>", true),
        ("<key>keychain-access-groups</key><array/>", true),
        ("<key>keychain-access-groups</key><array><string>OTHER54321.shared</string></array>", false),
        (
            "<key>keychain-access-groups</key><array><string>TEAM123456.a</string><string>TEAM1234567.b</string></array>",
            false
        ),
        ("<key>keychain-access-groups</key><array><integer>1</integer></array>", false),
        ("<key>keychain-access-groups</key><string>TEAM123456.shared</string>", false),
        ("<key>application-identifier</key><string>TEAM123456.com.example.app</string>", true),
        ("<key>application-identifier</key><string>TEAM123456.com.example.other</string>", false),
    ])
    func aTeamSpeaksForItsOwnKeychainGroupsAlone(entitlements: String, isTheirs: Bool) throws {
        let text = "<plist version=\"1.0\"><dict>\(entitlements)</dict></plist>"
        let rule = try outcome {
            $0.files.insert(.init(path: "_Package/entitlements.plist", content: Array(text.utf8)), at: 1)
        }
        #expect(rule == (isTheirs ? nil : .entitlementOfOthers))
    }

    @Test func aPathThatIsTooLongOrTooDeepIsRefused() throws {
        let long = Array(repeating: String(repeating: "a", count: 128), count: 8).joined(separator: "/")
        #expect(try outcome { $0.files.append(.init(path: String(long.dropLast(7)), content: [])) } == nil)
        try FileManager.default.removeItem(atPath: folder.path("there"))
        #expect(try outcome { $0.files.append(.init(path: long, content: [])) } == .path)
        #expect(try outcome { $0.files.append(.init(path: String(repeating: "a", count: 256), content: [])) } == .path)
        let deep = Array(repeating: "a", count: PackageLimits.depth + 1).joined(separator: "/")
        #expect(try outcome { $0.files.append(.init(path: deep, content: [])) } == .path)
    }

    @Test(arguments: ["_Package/list", "_Package/signature.p7s", "_Package/other", "_package/list", "_PACKAGES"])
    func aFileInThePlaceOfThePackagesOwnIsRefused(path: String) throws {
        #expect(try outcome { $0.files.append(.init(path: path, content: [1])) } == .pathReserved)
    }

    @Test func pathsThatAreOneOnSomeFileSystemAreRefused() throws {
        #expect(try outcome { $0.files.append(.init(path: "Resources/text", content: [9])) } == .listOrder)
        #expect(try outcome { $0.files.append(.init(path: "Resources/teXt", content: [9])) } == .listOrder)
        #expect(try outcome { $0.files.append(.init(path: "app", content: [9])) } == .pathTaken)
        #expect(try outcome { $0.files.append(.init(path: "resources/other", content: [9])) } == .pathTaken)
        #expect(
            try outcome {
                $0.files.append(.init(path: "u\u{308}", content: [1]))
                $0.files.append(.init(path: "\u{FC}", content: [2]))
            } == .pathTaken)
        #expect(
            try outcome {
                $0.files.append(.init(path: "Resources/text/inside", content: [9]))
            } == .pathTaken)
        #expect(
            try outcome {
                $0.files.append(.init(path: "z", content: [1]))
                $0.files.append(.init(path: "z/inside", content: [1]))
            } == .pathTaken)
    }

    /// The container knows links, devices and FIFOs; a package cannot say them.
    @Test(arguments: ["1", "2", "3", "4", "5", "6", "7", "g", "x", "L", "S"])
    func whatIsNoPlainFileIsRefused(type: String) throws {
        let rule = try outcome { craft in
            craft.files[2].header = Craft.header("Resources/text", size: 3) { header in
                header[156] = Array(type.utf8)[0]
                header.replaceSubrange(157..<168, with: "/etc/passwd".utf8)
            }
        }
        #expect(rule == .otherThanListed)
    }

    @Test(arguments: ["0004755", "0002755", "0001755", "0000777", "0000644"])
    func aModeThatWasNotListedIsRefused(mode: String) throws {
        let rule = try outcome { craft in
            craft.files[1].header = Craft.header("App", size: 21, isExecutable: true) { header in
                header.replaceSubrange(100..<107, with: mode.utf8)
            }
        }
        #expect(rule == .otherThanListed)
    }

    @Test func anotherNameOrOwnerInTheContainerIsRefused() throws {
        for place in [0, 108, 257, 265, 345] {
            let rule = try outcome { craft in
                craft.files[2].header = Craft.header("Resources/text", size: 3) { $0[place] ^= 1 }
            }
            #expect(rule == .otherThanListed, "place \(place)")
        }
    }

    @Test func aTamperedFileIsRefused() throws {
        let rule = try outcome { craft in
            craft.files[1].listedDigest = [UInt8](repeating: 7, count: 32)
        }
        #expect(rule == .digest)
    }

    @Test func aFileThatIsNotListedIsRefused() throws {
        let rule = try outcome { craft in
            craft.extra = TarMember.header(path: "extra", size: 0, isExecutable: false)
        }
        #expect(rule == .trailingBytes)
    }

    @Test func aListedFileThatIsMissingIsRefused() throws {
        var craft = Craft()
        craft.list = craft.listBytes
        craft.files.removeLast()
        #expect(try outcome(craft.bytes(by: team)) == .otherThanListed)
    }

    @Test func bytesBehindThePackageAreRefused() throws {
        #expect(try outcome { $0.trailing = [0] } == .trailingBytes)
        let frame = try Craft.frame([])
        #expect(try outcome { $0.trailing = frame } == .trailingBytes)
        // A frame that every decompressor skips.
        #expect(try outcome { $0.trailing = [0x50, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 9] } == .trailingBytes)
    }

    @Test func bytesHiddenInPaddingAreRefused() throws {
        var craft = Craft()
        craft.list = craft.listBytes
        craft.files[2].content += [1]
        craft.files[2].header = TarMember.header(path: "Resources/text", size: 3, isExecutable: false)
        #expect(try outcome(craft.bytes(by: team)) == .otherThanListed)
    }

    /// A quarter of a gibibyte of zeros in some ten kilobytes, where the list has three bytes.
    @Test func aFileThatUnpacksToMoreThanListedCostsNoMoreThanListed() throws {
        var craft = Craft()
        craft.files[2].content = [0, 0, 0]
        let list = craft.listBytes
        var package = try PackageWriter.signatureFrame(
            PackageSignature.sign(list, certificates: [team.certificateDER], key: team.key, now: Team.now))
        let files = Array(craft.content.dropLast(TarMember.end.count))
        let compressor = try Compressor(size: UInt64(files.count) + (256 << 20)) { (bytes) throws(PackageRefusal) in
            package += bytes
        }
        try compressor.add(files)
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        for _ in 0..<256 { try compressor.add(zeros) }
        try compressor.end()
        #expect(package.count < 65_536)

        var sink = CountingSink()
        let rule = refusal {
            _ = try VerifiedPackage.read(PackageBytes(package), trust: trust, now: Team.now, into: &sink)
        }
        #expect(rule == .trailingBytes)
        #expect(sink.counter.bytes == craft.files.reduce(0) { $0 + $1.content.count })
        #expect(try outcome(package) == .trailingBytes)
    }

    /// A bomb that says it is one.
    @Test func aListBeyondTheBoundsIsRefusedBeforeAnythingIsUnpacked() throws {
        #expect(try outcome { $0.files[2].listedSize = PackageLimits.file + 1 } == .fileTooLarge)
        #expect(
            try outcome { craft in
                for number in 1...2 {
                    craft.files.append(.init(path: "b\(number)", content: [], listedSize: PackageLimits.file))
                }
                craft.files[2].listedSize = 1
            } == .totalTooLarge)
        let entry = PackageEntry(
            path: .information, size: 0, isExecutable: false, digest: [UInt8](repeating: 0, count: 32))
        let many = [PackageEntry](repeating: entry, count: PackageLimits.files + 1)
        #expect(refusal { _ = try PackageList(many) } == .tooManyFiles)
    }

    @Test func aListOrSignatureThatIsTooLargeIsNotEvenRead() throws {
        let huge = TarMember.header(path: "_Package/list", size: 1 << 32, isExecutable: false)
        #expect(try outcome(Craft.frame(huge)) == .tooLarge)
        let signature = TarMember.header(path: "_Package/signature.p7s", size: 1 << 20, isExecutable: false)
        #expect(try outcome(Craft.frame(signature)) == .tooLarge)
    }

    /// A frame that asks for a window of gigabytes gets none.
    @Test func compressionThatAsksForTooMuchMemoryIsRefused() throws {
        // Magic, a descriptor without a content size, a window of 2^31.
        #expect(try outcome([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xA8, 0x01, 0x00, 0x00]) == .compression)
    }

    @Test func whatIsNoPackageIsRefused() throws {
        #expect(try outcome([]) == .notAPackage)
        #expect(try outcome([1, 2, 3]) == .truncated)
        #expect(try outcome(Array("PK\u{3}\u{4} some archive".utf8)) == .notAPackage)
        #expect(try outcome(Craft.frame([UInt8](repeating: 0, count: 4096))) == .notAPackage)
    }

    @Test func aPackageThatEndsEarlyIsRefusedWhereverItEnds() throws {
        let whole = try Craft().bytes(by: team)
        for length in stride(from: 0, to: whole.count, by: 7) {
            #expect(try outcome(Array(whole[..<length])) != nil, "\(length) of \(whole.count) bytes")
        }
    }

    @Test func aListInAnotherFormIsRefused() throws {
        let honest = String(decoding: Craft().listBytes, as: UTF8.self)
        for (what, replacement) in [
            ("martlet app package 1", "martlet app package 2"), ("- 3 ", "- 03 "), ("- 3 ", "-  3 "), ("- 3 ", "s 3 "),
            ("- 3 ", "- +3 "), ("- 3 ", "- 99999999999999999999 "), ("text\n", "text"), ("text\n", "text\n\n"),
            ("text\n", "text\r\n"), ("text\n", "text\nx"),
        ] {
            let rule = try outcome { $0.list = Array(honest.replacing(what, with: replacement).utf8) }
            #expect(rule == .list || rule == .path, "\(replacement)")
        }
        let upper = honest.split(separator: " ").map { $0.count == 64 ? $0.uppercased() : String($0) }
        #expect(try outcome { $0.list = Array(upper.joined(separator: " ").utf8) } == .list)
    }

    @Test func thereIsOneOrderOfFiles() throws {
        #expect(try outcome { $0.files.swapAt(1, 2) } == .listOrder)
        #expect(try outcome { $0.files.swapAt(0, 1) } == .informationMissing)
        #expect(try outcome { $0.files.removeFirst() } == .informationMissing)
    }

    @Test func aDirectoryThatIsThereIsNotTouched() throws {
        try folder.write([1], "there/mine")
        let bytes = try Craft().bytes(by: team)
        let rule = refusal {
            _ = try VerifiedPackage.unpack(PackageBytes(bytes), to: folder.path("there"), trust: trust, now: Team.now)
        }
        #expect(rule == .exists)
        #expect(try folder.tree("there").keys.sorted() == ["mine"])
        // A link in its place leads nowhere.
        try FileManager.default.removeItem(atPath: folder.path("there"))
        try FileManager.default.createSymbolicLink(atPath: folder.path("there"), withDestinationPath: "/nowhere")
        let linked = refusal {
            _ = try VerifiedPackage.unpack(PackageBytes(bytes), to: folder.path("there"), trust: trust, now: Team.now)
        }
        #expect(linked == .exists)
    }

    @Test func withoutRoomNothingIsUnpacked() throws {
        let bytes = try Craft().bytes(by: team)
        let rule = refusal {
            _ = try VerifiedPackage.unpack(
                PackageBytes(bytes), to: folder.path("there"), trust: trust, now: Team.now, freeSpace: { _ in 1_000 })
        }
        #expect(rule == .space)
        #expect(try folder.names.isEmpty)
    }
}

/// Counts what comes out of a package.
private struct CountingSink: PackageSink {
    final class Counter {
        var bytes = 0
    }

    let counter = Counter()

    mutating func begin(_ entry: PackageEntry) {}
    mutating func write(_ bytes: ArraySlice<UInt8>) { counter.bytes += bytes.count }
    mutating func end(_ entry: PackageEntry) {}
}
