import AppPackages
import DeviceAgent
import Foundation
import Synchronization
import Testing

/// The agent verifies an app's signer once for each version of its list and signature.
struct KnownSignersTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(
            at: directory.appending(path: PackagePath.list.text).deletingLastPathComponent(),
            withIntermediateDirectories: true)
        try write("list", to: PackagePath.list.text)
        try write("signature", to: PackagePath.signature.text)
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: directory.appending(path: name))
    }

    @Test func aSignatureIsVerifiedOnceForEachVersionOfTheFilesAndTheTeams() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let count = Mutex(0)
        let signers = KnownSigners { _, _ in
            let verified = count.withLock { count in
                count += 1
                return count
            }
            return "TEAM\(verified)"
        }
        func team(_ teams: KnownTeams = KnownTeams()) -> String? { signers.team(of: directory.path, among: teams) }
        for _ in 0..<3 { #expect(team() == "TEAM1") }
        try write("another list", to: PackagePath.list.text)
        for _ in 0..<3 { #expect(team() == "TEAM2") }
        try write("another signature", to: PackagePath.signature.text)
        #expect(team() == "TEAM3")
        // Another team that is known, and who was not known is.
        let others = KnownTeams(certificates: [Data([1])])
        for _ in 0..<3 { #expect(team(others) == "TEAM4") }
        try FileManager.default.removeItem(at: directory.appending(path: PackagePath.signature.text))
        #expect(team() == nil)
        #expect(count.withLock { $0 } == 4)
    }

    /// What changes while it is looked at is looked at again.
    @Test func whatIsWrittenToMeanwhileIsNotRemembered() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let count = Mutex(0)
        let file = directory.appending(path: PackagePath.list.text)
        let signers = KnownSigners { _, _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 1 { try? Data("changed meanwhile".utf8).write(to: file) }
            return "TEAM\(number)"
        }
        #expect(signers.team(of: directory.path, among: KnownTeams()) == "TEAM1")
        for _ in 0..<2 { #expect(signers.team(of: directory.path, among: KnownTeams()) == "TEAM2") }
    }

    /// A directory that was another one's for a moment is not taken for that one.
    @Test func whatIsExchangedMeanwhileIsNotRemembered() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let count = Mutex(0)
        let (place, aside) = (directory.path, directory.path + ".aside")
        let signers = KnownSigners { _, _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 1 { _ = unsafe rename(place, aside) }
            return "TEAM\(number)"
        }
        #expect(signers.team(of: place, among: KnownTeams()) == "TEAM1")
        #expect(unsafe rename(aside, place) == 0)
        for _ in 0..<2 { #expect(signers.team(of: place, among: KnownTeams()) == "TEAM2") }
    }
}
