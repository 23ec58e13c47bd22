import AppPackages
import CraftedPackages
import Foundation
import TestInputs
import Testing

/// Changed packages: no crash, no wait, nothing altered accepted.
struct AppPackageFuzzTests {
    private let team: Team
    private let trust: TeamTrust
    private let original: [UInt8]
    private let list: PackageList

    init() throws {
        team = try Team("Team")
        trust = try TeamTrust([team.certificateDER])
        original = try Craft().bytes(by: team)
        list = try PackageList(parsing: Craft().listBytes)
    }

    private func verify(_ bytes: [UInt8]) -> VerifiedPackage? {
        try? VerifiedPackage.verify(PackageBytes(bytes), trust: trust, now: Team.now)
    }

    @Test(arguments: [UInt64(1), 2])
    func aChangedPackageIsTheOneThatWasSignedOrNone(_ seed: UInt64) throws {
        var random = SplitMix64(seed: Mutation.seed &+ seed)
        for _ in 0..<Mutation.iterations / 4 {
            let changed = [UInt8](Mutation.mutate(Data(original), using: &random))
            if let verified = verify(changed) { #expect(verified.description.list == list) }
        }
    }

    /// What nobody signed is changed under the compression: the container itself.
    @Test(arguments: [UInt64(3)])
    func aChangedContainerIsTheOneThatWasSignedOrNone(_ seed: UInt64) throws {
        let content = Data(Craft().content)
        let signature = try PackageWriter.signatureFrame(
            PackageSignature.sign(
                Craft().listBytes, certificates: [team.certificateDER], key: team.key, now: Team.now))
        var random = SplitMix64(seed: Mutation.seed &+ seed)
        for _ in 0..<Mutation.iterations / 4 {
            let changed = Mutation.mutate(
                content, tokens: ["ustar", "../", "0000755", "PaxHeader", "\0"], octets: [0, 0x30, 0x31, 0x37],
                using: &random)
            let verified = verify(signature + (try Craft.frame([UInt8](changed))))
            // What else gets through is what has not changed.
            if verified != nil { #expect(changed == content) }
        }
    }

    /// A team may sign anything: lists that are wrong in every way.
    @Test(arguments: [UInt64(4)])
    func aChangedListIsReadInItsOneFormOrNotAtAll(_ seed: UInt64) throws {
        let honest = Data(Craft().listBytes)
        var random = SplitMix64(seed: Mutation.seed &+ seed)
        for _ in 0..<Mutation.iterations {
            let changed = [UInt8](
                Mutation.mutate(
                    honest, with: [honest], tokens: ["\n", " ", "- ", "x ", "../", "/", "0", "_Package/", "\u{FC}"],
                    using: &random))
            guard let read = try? PackageList(parsing: changed) else { continue }
            #expect(read.bytes == changed)
            #expect(read.total == read.entries.reduce(0) { $0 + $1.size })
            for entry in read.entries { #expect(!entry.path.components.contains("..")) }
        }
    }

    /// As the signer's own, so that the signature is good and everything behind it is looked at.
    @Test(arguments: [UInt64(5)])
    func aSignedPackageOfAnyListEndsWithoutHarm(_ seed: UInt64) throws {
        var random = SplitMix64(seed: Mutation.seed &+ seed)
        for _ in 0..<Mutation.iterations / 8 {
            var craft = Craft()
            let place = Int.random(in: 0..<craft.files.count, using: &random)
            craft.files[place].content = [UInt8](
                Mutation.mutate(Data(craft.files[place].content), tokens: ["<array/>", "<key>"], using: &random))
            craft.list = [UInt8](Mutation.mutate(Data(craft.listBytes), using: &random))
            _ = verify(try craft.bytes(by: team))
        }
    }
}
