import AppMessages
import DeviceAgent
import DeviceMessages
import Foundation
import TestLog
import Testing

/// D14: a withdrawal beats everything, also a disk that an app has filled: B2.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct WithdrawalTests {
    private struct Note: StoredState, Equatable {
        var text: String
        var contents: [String] = []
        var blobDigests: Set<String> { Set(contents) }
    }

    /// A device on which the app lies that its server manages.
    private static func withApp(_ body: (EnrolledDevice) async throws -> Void) async throws {
        let apps = FileManager.default.temporaryDirectory.appending(path: "apps-\(UUID().uuidString)")
        let app = apps.appending(path: "A.app")
        try FileManager.default.createDirectory(at: app, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: apps) }
        let information = [
            "CFBundleIdentifier": PlayedManagement.app, "CFBundleExecutable": "App", "CFBundleVersion": "1",
        ]
        try PropertyListEncoder().encode(information).write(to: app.appending(path: "Info.plist"))
        try Data("#!/bin/sh\n".utf8).write(to: app.appending(path: "App"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: app.appending(path: "App").path)
        try await EnrolledDevice.run(apps: [apps.path], body)
    }

    @Test func anAppLosesWhatIsWithdrawnWhileTheDiskRefusesToKeepThat() async throws {
        try await Self.withApp { fixture in
            fixture.management.give([.password("login", "one"), .password("other", "two")])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("both are told") { fixture.told.app?.secrets.entries.count == 2 }
            fixture.steps.stop(after: 0)
            fixture.management.give([.password("other", "three", token: "2"), .password("new", "four")])
            fixture.management.publish(3)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("it is told of one") {
                fixture.told.app?.secrets.entries.map(\.identifier) == ["other"]
            }
            // What has another value goes on with the old one, as the configuration does: those are not withdrawn.
            let digest = try #require(fixture.told.app?.secrets.digest(.password, "other"))
            #expect(try fixture.device.secret(digest) == .password("two"))
            #expect(fixture.told.app?.configuration == PlayedManagement.configuration(2))
            #expect(fixture.secrets.entries.count == 2, "the disk has not taken it")
            fixture.steps.restart(after: .everythingKept)
            try await fixture.serves(3)
            try await fixture.eventually("all is told") {
                Set(fixture.told.app?.secrets.entries.map(\.identifier) ?? []) == ["new", "other"]
            }
        }
    }

    @Test func aDeviceThatIsLetGoServesNothingWhileTheDiskRefusesToKeepThat() async throws {
        try await Self.withApp { fixture in
            fixture.doorbell.ring(.look)
            try await fixture.eventually("it is told") { fixture.told.app?.managed == true }
            fixture.steps.stop(after: 0)
            fixture.management.publish(1) { asked in
                asked == "command"
                    ? .reply(403, body: Data("{\"code\":\"\(DeviceErrorDocument.unrecognizedDevice)\"}".utf8)) : nil
            }
            fixture.doorbell.ring(.commands)
            try await fixture.eventually("nothing is told") { fixture.told.app == nil }
            #expect(fixture.device.known.enrollment != nil, "the disk has not taken it")
            fixture.steps.restart(after: .everythingKept)
            try await fixture.eventually("it is kept") { fixture.device.known.enrollment == nil }
        }
    }

    /// A home can hold so many files that the disk has none left; a withdrawal is kept nevertheless, and only that.
    @Test(.enabled(if: geteuid() == 0, "only root mounts a disk"), arguments: ["files", "bytes"])
    func roomIsKeptForAWithdrawalOnAFullDisk(_ what: String) throws {
        let disk = FileManager.default.temporaryDirectory.appending(path: "full-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: disk) }
        guard unsafe mount("tmpfs", disk, "tmpfs", 0, "size=1m,nr_inodes=64") == 0 else {
            return print("no disk can be mounted here: whether room is kept for a withdrawal is not tried")
        }
        defer { unsafe umount2(disk, 2) }
        let secret = Data("a secret".utf8)
        var store = try GenerationStore<Note>(directory: disk + "/agent", steps: DiskSteps())
        try store.commit(Note(text: "given", contents: [secret.digest]), contents: [secret.digest: secret])
        if what == "files" {
            for number in 0..<100 { try? Data().write(to: URL(filePath: disk + "/\(number)")) }
        } else {
            let file = unsafe open(disk + "/all", O_WRONLY | O_CREAT, 0o600)
            defer { close(file) }
            let bytes = [UInt8](repeating: 1, count: 4_096)
            while unsafe write(file, bytes, bytes.count) > 0 {}
        }
        let other = Data("another secret".utf8)
        #expect(throws: (any Error).self) {
            try store.commit(Note(text: "more", contents: [other.digest]), contents: [other.digest: other])
        }
        #expect(throws: (any Error).self) { try store.commit(Note(text: "other", contents: [secret.digest])) }
        try store.commit(Note(text: "withdrawn"), forgetting: true)
        let reopened = try GenerationStore<Note>(directory: disk + "/agent", steps: DiskSteps())
        #expect(reopened.state == Note(text: "withdrawn"))
        #expect(throws: (any Error).self) { try reopened.content(secret.digest) }
    }

    /// B17: the agent could never read it again, and it would replace a generation that it can read.
    @Test func aStateThatCouldNotBeReadAgainIsNotWritten() throws {
        let steps = MemorySteps()
        var store = try GenerationStore<Note>(directory: "/d", steps: steps, limit: 1_000)
        try store.commit(Note(text: "small"))
        #expect(throws: StoreRefusal.tooLarge) { try store.commit(Note(text: String(repeating: "x", count: 1_000))) }
        #expect(try GenerationStore<Note>(directory: "/d", steps: steps, limit: 1_000).state?.text == "small")
        try store.commit(Note(text: "also small"))
        #expect(try GenerationStore<Note>(directory: "/d", steps: steps, limit: 1_000).state?.text == "also small")
    }

    /// Whatever interrupts the management, it is begun again: nobody restarts an agent by hand on a thousand devices.
    @Test func theAgentBeginsAgainAfterWhatItCouldNotGoOnWith() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "agent-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let management = PlayedManagement()
        try await ScriptedServer.run({ management.answer($0) }) { server in
            management.listens(at: server.url)
            let fixture = try EnrolledDevice(server, management, wake: false, signs: false, tpm: nil, apps: [])
            let enrollment = try #require(fixture.device.known.enrollment)
            var unreadable = Enrollment(
                origin: enrollment.origin, codeDigest: "", roots: [], profile: Data("torn".utf8),
                key: KeptKey(pem: ""), token: Data(), pushMagic: "")
            unreadable.stage = .isComplete
            try fixture.device.change { [unreadable] in $0.enrollment = unreadable }
            let agent = Agent(
                device: fixture.device, sockets: AgentPaths(directory: directory), pace: EnrolledDevice.pace,
                ready: { _ in }, log: fixture.log.logger())
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await agent.run() }
                defer { group.cancelAll() }
                try await fixture.eventually("it is tried again") {
                    fixture.log.all.count { $0.contains("is begun again") } > 2
                }
                #expect(management.asked.isEmpty)
                try fixture.device.change { $0.enrollment = enrollment }
                try await fixture.eventually("the management goes on") { management.asked.contains("command") }
            }
        }
    }
}
