import AppPackages
import CraftedPackages
import Foundation
import InputBounds
import Testing

/// The narrow road: a directory becomes a package, which is signed, verified and unpacked.
struct PackageTests {
    @Test(arguments: [false, true])
    func whatWasPackedAndSignedIsUnpackedAsItWas(withChain: Bool) throws {
        let folder = try Folder()
        try folder.write(Array(Craft.information.utf8), "App.app/Info.plist")
        try folder.write(Array("#!/bin/sh\n".utf8), "App.app/App", mode: 0o755)
        try folder.write(Array(repeating: 7, count: 300_000), "App.app/Resources/big")
        try folder.write([], "App.app/Resources/\(String(repeating: "long ", count: 40))/ä/empty")
        try folder.write(Array("<plist version=\"1.0\"><dict><key>a</key><true/></dict></plist>".utf8), "rights")
        try folder.write(Array("specified".utf8), "specification")
        let root = try Team.authority("Root")
        let middle = try Team.authority("Middle", units: ["TEAM123456"], issuer: root)
        let team = try Team("Team", issuer: withChain ? middle : root)

        let tree = try SourceTree(
            directory: folder.path("App.app"), entitlements: folder.path("rights"),
            specification: folder.path("specification"))
        let unsigned = try OutputFile(path: folder.path("unsigned"))
        _ = try PackageBuilder.build(tree, to: unsigned)
        try unsigned.commit()
        let output = try OutputFile(path: folder.path("signed"))
        let signed = try PackageBuilder.sign(
            packageAt: folder.path("unsigned"), certificates: [team, middle].map(\.certificateDER), key: team.key,
            now: Team.now, replacing: false, to: output)
        try output.commit()
        #expect(signed.composedIdentifier == "com.example.app (TEAM123456)")

        let trust = try TeamTrust([root.certificateDER])
        let verified = try VerifiedPackage.verify(
            PackageFile(path: folder.path("signed")), trust: trust, now: Team.now)
        #expect(verified.composedIdentifier == signed.composedIdentifier)
        #expect(verified.entitlements.values == ["a": .boolean(true)])
        #expect(verified.description.specification == Data("specified".utf8))
        #expect(verified.signer.commonName == "Team")

        let unpacked = try VerifiedPackage.unpack(
            PackageFile(path: folder.path("signed")), to: folder.path("there"), trust: trust, now: Team.now)
        #expect(unpacked.files.count == 6)
        var there = try folder.tree("there")
        #expect(there.removeValue(forKey: "_Package/signature.p7s")?.content == verified.signature)
        #expect(there.removeValue(forKey: "_Package/list")?.content == verified.description.list.bytes)
        #expect(there.removeValue(forKey: "_Package/specification")?.content == Array("specified".utf8))
        #expect(there.removeValue(forKey: "_Package/entitlements.plist") != nil)
        #expect(try there == folder.tree("App.app"))
        #expect(try folder.names == ["App.app", "rights", "signed", "specification", "there", "unsigned"])
    }
}
