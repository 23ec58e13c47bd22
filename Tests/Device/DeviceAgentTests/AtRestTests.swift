import AppMessages
import DeviceAgent
import DeviceMessages
import Foundation
import SoftwareTPM
import Synchronization
import TPMKeys
import TestLog
import Testing

/// What lies on the device's disk, and what is made of a copy of it (D9, issue 3's "at rest").
@Suite(.serialized, .timeLimit(.minutes(10)))
struct AtRestTests {
    private static let value = Data("p a planted value".utf8)

    /// With a TPM a copy of the whole disk does not open elsewhere.
    @Test(.enabled(if: SoftwareTPM.isThere)) func aCopyOfTheWholeDiskDoesNotOpenWithoutItsChip() throws {
        let (chip, other) = (try SoftwareTPM(), try SoftwareTPM())
        try Self.inDirectory { directory, copy in
            try Self.withSecret(Self.device(directory, chip))
            try FileManager.default.copyItem(atPath: directory, toPath: copy)
            #expect(throws: StoreRefusal.guardMissing) { try Self.device(copy, nil) }
            #expect(throws: StoreRefusal.otherGuard) { try Self.device(copy, other) }
            #expect(throws: StoreRefusal.guardMissing) { try AgentSummary.read(directory: copy) }
            #expect(!FileManager.default.fileExists(atPath: copy + "/device.key"))
            let home = try Self.device(directory, chip)
            #expect(try home.secret(Self.value.digest) == .password(" a planted value"))
            #expect(!home.wasOlderCopy)
            #expect(try AgentSummary.read(directory: directory, tpm: chip.connect())?.keyHolder == "tpm")
        }
    }

    /// With a TPM an older copy that is put back is caught at once, without the server.
    @Test(.enabled(if: SoftwareTPM.isThere)) func anOlderCopyPutBackIsCaughtByTheChipsCounter() throws {
        let chip = try SoftwareTPM()
        try Self.inDirectory { directory, copy in
            let device = try Self.device(directory, chip)
            try Self.withSecret(device)
            try FileManager.default.copyItem(atPath: directory, toPath: copy)
            // What says nothing new is no older copy: the chip is spared.
            try device.heard(now: Date())
            try Self.putBack(copy, directory)
            #expect(try !Self.device(directory, chip).wasOlderCopy)

            try device.change(forgetting: true) { $0.applied = Applied() }
            try Self.putBack(copy, directory)
            let restored = try Self.device(directory, chip)
            #expect(restored.wasOlderCopy)
            #expect(restored.known.applied.apps.isEmpty && restored.known.declarations.token == nil)
            #expect(restored.known.enrollment?.pushMagic == "magic" && restored.known.declarations.enabled)
            #expect(throws: StoreRefusal.blobMissing) { try restored.secret(Self.value.digest) }
            #expect(try !Self.device(directory, chip).wasOlderCopy, "it goes on from there")
        }
    }

    /// Without a TPM the key lies in a file of its own: a copy that lacks it does not open.
    @Test func withoutAChipACopyLackingTheKeyFileDoesNotOpen() throws {
        try Self.inDirectory { directory, copy in
            try Self.withSecret(Self.device(directory, nil))
            try FileManager.default.copyItem(atPath: directory, toPath: copy)
            try FileManager.default.removeItem(atPath: copy + "/device.key")
            #expect(throws: StoreRefusal.keyMissing) { try Self.device(copy, nil) }
            let files = try #require(FileManager.default.enumerator(atPath: copy)?.allObjects as? [String])
            for file in files {
                let bytes = FileManager.default.contents(atPath: copy + "/" + file)
                #expect(bytes?.range(of: Data("planted".utf8)) == nil)
            }
            #expect(try AgentSummary.read(directory: directory)?.keyHolder == "file")
        }
    }

    /// Without a TPM an older copy serves until the server is reached, and no longer.
    @Test func withoutAChipAnOlderCopyIsCaughtAtTheNextContactWithTheServer() async throws {
        try await EnrolledDevice.run { fixture in
            fixture.management.give([.password("login", "withdrawn")])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("the password is here") { fixture.secrets.of(.password).count == 1 }
            let copy = fixture.steps.copy()
            fixture.management.give([])
            fixture.management.publish(3)
            fixture.doorbell.ring(.look)
            try await fixture.serves(3)

            let restored = try Device(
                directory: "/d", appDirectories: [], facts: fixture.device.facts, namesMachine: false, steps: copy)
            let app = { restored.known.applied.apps[PlayedManagement.app] }
            #expect(app()?.secrets.count == 1)
            let loop = DeviceLoop(
                device: restored, doorbell: Doorbell(), pace: EnrolledDevice.pace, publish: {},
                log: fixture.log.logger())
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    do { try await loop.run() } catch is CancellationError {}
                }
                defer { group.cancelAll() }
                try await fixture.eventually("it is forgotten") { app()?.secrets.isEmpty == true }
            }
            #expect(app()?.configuration == PlayedManagement.configuration(3).digest)
        }
    }

    /// S4-LIC-04: the agent reports a damaged newest generation before the server's declarations replace it.
    @Test(arguments: [true, false]) func aDamagedGenerationIsToldUntilItIsReplaced(isBehind: Bool) async throws {
        try await EnrolledDevice.run { fixture in
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            try await fixture.serves(2)
            let disk = fixture.steps.copy()
            let store = try GenerationStore<AgentState>(directory: "/d", steps: disk, readOnly: true)
            #expect(try Device.on(disk, fixture).known.damagedGeneration == nil)
            disk.tamper("/d/generations/\(store.number).generation") { $0 = $0.dropLast() }
            if isBehind { fixture.management.publish(3) }

            // Two starts: what was found is not forgotten by the next one that finds all in order.
            _ = try Device.on(disk, fixture)
            let device = try Device.on(disk, fixture)
            #expect(device.setAside == 0 && device.known.damagedGeneration == Int(store.number))
            let run = device.atRest.run
            func reports() throws -> [StatusReport] {
                try fixture.management.reports.filter { try $0.atRest().run == run }
            }
            let loop = DeviceLoop(
                device: device, doorbell: Doorbell(), pace: EnrolledDevice.pace, publish: {},
                log: fixture.log.logger())
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    do { try await loop.run() } catch is CancellationError {}
                }
                defer { group.cancelAll() }
                try await fixture.eventually("the damage is over") { device.known.damagedGeneration == nil }
                try await fixture.eventually("and the server heard that, too") {
                    try reports().count >= 2 && reports().last?.atRest().damaged == nil
                }
            }
            let first = try #require(try reports().first)
            #expect(try first.atRest().damaged == Int(store.number))
            #expect(first.value(at: "management.declarations") != nil)
            #expect(
                device.known.applied.apps[PlayedManagement.app]?.configuration
                    == PlayedManagement.configuration(isBehind ? 3 : 2).digest)
        }
    }

    /// A power cut at any step of a commit looks like no older copy.
    @Test(arguments: MemorySteps.Cut.allCases) func aCutAtAnyStepIsNoOlderCopy(_ cut: MemorySteps.Cut) throws {
        for stop in 0..<12 {
            let (steps, keeper) = (MemorySteps(), CountingGuard())
            var store = try Store(directory: "/d", steps: steps, guardedBy: keeper)
            try store.commit(Note(text: "old"))
            steps.stop(after: stop)
            try? store.commit(Note(text: "new"))
            steps.restart(after: cut)
            for _ in 0..<2 {
                let reopened = try Store(directory: "/d", steps: steps, guardedBy: keeper)
                #expect(!reopened.isOlderCopy)
                #expect(["old", "new"].contains(try #require(reopened.state?.text)))
            }
        }
    }

    /// A guard that stops counting lets nothing through that it did not count.
    @Test func whatTheGuardDidNotCountIsNotCommitted() throws {
        let (steps, keeper) = (MemorySteps(), CountingGuard())
        var store = try Store(directory: "/d", steps: steps, guardedBy: keeper)
        try store.commit(Note(text: "old"))
        keeper.stops(true)
        #expect(throws: CountingGuard.Stopped.self) { try store.commit(Note(text: "new")) }
        #expect(store.state?.text == "old")
        keeper.stops(false)
        try store.commit(Note(text: "newer"))
        #expect(try Store(directory: "/d", steps: steps, guardedBy: keeper).state?.text == "newer")
    }

    /// Two stores that count with one counter do not take each other for older copies while they run.
    @Test func aCounterThatSomebodyElseRaisedIsFollowed() throws {
        let (steps, keeper) = (MemorySteps(), CountingGuard())
        var store = try Store(directory: "/d", steps: steps, guardedBy: keeper)
        try store.commit(Note(text: "old"))
        _ = try keeper.raise()
        try store.commit(Note(text: "new"))
        let reopened = try Store(directory: "/d", steps: steps, guardedBy: keeper)
        #expect(!reopened.isOlderCopy && reopened.state?.text == "new")
    }

    // MARK: help

    private struct Note: StoredState, Equatable {
        var text: String
        var blobDigests: Set<String> { [] }
        mutating func forgetWhatMayBeOld() { text = "forgotten" }
    }

    private typealias Store = GenerationStore<Note>

    private static func device(_ directory: String, _ chip: SoftwareTPM?) throws -> Device {
        try Device(
            directory: directory, appDirectories: [], facts: DeviceFacts.read(), namesMachine: false,
            tpm: chip?.connect())
    }

    private static func withSecret(_ device: Device) throws {
        try device.change(contents: [value.digest: value]) { state in
            state.enrollment = Enrollment(
                origin: "", codeDigest: "", roots: [], profile: Data(), key: KeptKey(pem: ""), token: Data(),
                pushMagic: "magic")
            state.declarations.enabled = true
            state.declarations.token = "1"
            var app = AppliedApp(composedIdentifier: "a", declarationIdentifier: "d")
            app.secrets = [.init(.password, "login", digest: value.digest)]
            state.applied.apps["a"] = app
        }
    }

    private static func putBack(_ copy: String, _ directory: String) throws {
        try FileManager.default.removeItem(atPath: directory)
        try FileManager.default.copyItem(atPath: copy, toPath: directory)
    }

    private static func inDirectory(_ test: (String, String) throws -> Void) throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "martlet-rest-\(UUID())").path
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: place) }
        try test(place + "/d", place + "/copy")
    }
}

/// A guard in memory that counts, and stops when a test says so.
private final class CountingGuard: StoreGuard {
    struct Stopped: Error {}

    private let state = Mutex((count: UInt64?.none, stops: false))

    func stops(_ stops: Bool) { state.withLock { $0.stops = stops } }

    func seal(_ key: Data) throws -> Data { Data(key.map { $0 ^ 0x5a }) }
    func unseal(_ sealed: Data) throws -> Data { Data(sealed.map { $0 ^ 0x5a }) }
    func count() throws -> UInt64? { state.withLock { $0.count } }

    func raise() throws -> UInt64 {
        try state.withLock { state in
            guard !state.stops else { throw Stopped() }
            state.count = (state.count ?? 6) + 1
            return state.count ?? 0
        }
    }
}

extension Device {
    /// A device that finds this disk.
    fileprivate static func on(_ disk: MemorySteps, _ fixture: EnrolledDevice) throws -> Device {
        try Device(
            directory: "/d", appDirectories: [], facts: fixture.device.facts, namesMachine: false, steps: disk)
    }
}

extension StatusReport {
    fileprivate func atRest() throws -> AtRestStatus { try AtRestStatus(#require(value(at: AtRestStatus.name))) }
}
