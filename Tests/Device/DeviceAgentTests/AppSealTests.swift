import AppPackages
import CraftedPackages
import DeviceAgent
import Foundation
import Testing

/// What a signed app's files must be, each time it is launched or known.
struct AppSealTests {
    private let root: URL
    private let bundle: AppBundle
    private let seals: AppSeals

    init() throws {
        root = try Fixture.directory()
        let team = try Team("Team")
        var craft = Craft()
        craft.files.append(.init(path: "Resources/whole", content: [UInt8](repeating: 7, count: 262_144)))
        craft.files.append(.init(path: "Resources/\u{FC}", content: [1]))
        let place = root.appending(path: "Signed.app").path
        _ = try VerifiedPackage.unpack(
            PackageBytes(try craft.bytes(by: team)), to: place, trust: try TeamTrust([team.certificateDER]),
            now: Team.now)
        bundle = AppBundle(
            directory: place, identifier: "com.example.app", name: "App", version: "1", shortVersion: "1",
            executable: place + "/App")
        let certificate = team.certificateDER
        seals = AppSeals(teams: { KnownTeams(certificates: [certificate]) })
    }

    private func file(_ path: String) -> URL { URL(filePath: bundle.directory + "/" + path) }

    /// Judges the app before and after a change; both times as one whose files were read.
    private func refusal(after change: () throws -> Void) throws -> SealRefusal? {
        defer { try? FileManager.default.removeItem(at: root) }
        let before = try seals.check(bundle)
        #expect(before?.team == "TEAM123456")
        try change()
        let after = Result { () throws(SealRefusal) in try seals.check(bundle) }
        guard case .failure(let refusal) = after else { return nil }
        return refusal
    }

    @Test func whatIsAsItWasSignedIsTaken() throws {
        #expect(try refusal {} == nil)
    }

    @Test func anotherByteIsNoticedThoughSizeAndTimeAreTheSame() throws {
        let times = try FileManager.default.attributesOfItem(atPath: file("Resources/text").path)
        let rule = try refusal {
            let handle = try FileHandle(forWritingTo: file("Resources/text"))
            try handle.write(contentsOf: [9, 9, 9])
            try handle.close()
            try FileManager.default.setAttributes(
                [.modificationDate: times[.modificationDate] as Any], ofItemAtPath: file("Resources/text").path)
        }
        #expect(rule == .changed)
    }

    /// Also where what was signed ends with what is read at once.
    @Test(arguments: ["Resources/text", "Resources/whole"])
    func bytesBehindTheSignedOnesAreNoticed(path: String) throws {
        let rule = try refusal {
            let handle = try FileHandle(forWritingTo: file(path))
            try handle.seekToEnd()
            try handle.write(contentsOf: [4])
            try handle.close()
        }
        #expect(rule == .changed)
    }

    @Test(arguments: ["App", "Info.plist", "_Package/list", "_Package/signature.p7s"])
    func whatIsGoneIsMissed(path: String) throws {
        #expect(try refusal { try FileManager.default.removeItem(at: file(path)) } == .missing)
    }

    @Test(arguments: ["more", "Resources/more", "_Package/more"])
    func whatNobodySignedIsFound(path: String) throws {
        #expect(try refusal { try Data().write(to: file(path)) } == .unlisted)
    }

    /// Red with a set of texts: a name in another form of Unicode passed for the one that was signed.
    @Test func aFileWhoseNameIsOnlyTheSameToSwiftIsFound() throws {
        #expect(try refusal { try Data([1]).write(to: file("Resources/u\u{308}")) } == .unlisted)
    }

    @Test func aLinkToTheSameBytesIsNoFileOfTheApps() throws {
        let rule = try refusal {
            let elsewhere = root.appending(path: "elsewhere")
            try FileManager.default.moveItem(at: file("App"), to: elsewhere)
            try FileManager.default.createSymbolicLink(at: file("App"), withDestinationURL: elsewhere)
        }
        #expect(rule != nil)
    }

    @Test(arguments: ["App", "Resources", ""])
    func whatOthersMayWriteToIsNotTaken(path: String) throws {
        let rule = try refusal {
            try FileManager.default.setAttributes([.posixPermissions: 0o775], ofItemAtPath: file(path).path)
        }
        #expect(rule == .exposed)
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away"), arguments: ["App", "Resources", ""])
    func whatBelongsToSomebodyElseIsNotTaken(path: String) throws {
        let rule = try refusal {
            try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: file(path).path)
        }
        #expect(rule == .exposed)
    }
}
