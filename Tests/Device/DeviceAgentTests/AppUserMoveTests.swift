import Foundation
import Synchronization
import Testing

@testable import DeviceAgent

/// Accounts of apps from before blocks move into blocks with all their files, or stay as they are.
@Suite(.enabled(if: geteuid() == 0, "only root gives users"), .timeLimit(.minutes(5)))
struct AppUserMoveTests {
    /// A disk that stops at a step, as if the agent was killed there.
    private final class EndingSteps: FileSteps {
        struct Ended: Error {}

        private let disk = DiskSteps()
        private let left: Mutex<Int>

        init(after steps: Int) { left = Mutex(steps) }

        var isAtItsEnd: Bool { left.withLock { $0 < 0 } }

        private func step<Value>(_ body: () throws -> Value) throws -> Value {
            let isEnded = left.withLock { left in
                left -= 1
                return left < 0
            }
            if isEnded { throw Ended() }
            return try body()
        }

        func makeDirectory(_ path: String) throws { try step { try disk.makeDirectory(path) } }
        func write(_ data: Data, to path: String) throws { try step { try disk.write(data, to: path) } }
        func reserve(_ bytes: Int, at path: String) throws { try step { try disk.reserve(bytes, at: path) } }
        func overwrite(_ path: String, with data: Data) throws { try step { try disk.overwrite(path, with: data) } }
        func sync(_ path: String) throws { try step { try disk.sync(path) } }
        func rename(_ path: String, to newPath: String) throws { try step { try disk.rename(path, to: newPath) } }
        func remove(_ path: String) throws { try step { try disk.remove(path) } }
        func read(_ path: String, limit: Int) throws -> Data? { try disk.read(path, limit: limit) }
        func list(_ path: String) throws -> [String] { try disk.list(path) }
    }

    /// A directory of an agent from before blocks, with two apps; one has a second person.
    private final class Before {
        /// Users are the machine's: each test has its own, counted from here.
        let base: UInt32
        let accounts: [String: UInt32]
        let root: String

        init() throws {
            base = UInt32.random(in: 100_000..<10_000_000) * 16
            accounts = [
                "com.example.a+0@unsigned": base + 3, "com.example.a+1000@unsigned": base + 5,
                "com.example.b+0@unsigned": base + 4,
            ]
            root = FileManager.default.temporaryDirectory.appending(path: "move-\(UUID().uuidString)").path
            for (name, number) in accounts {
                let home = root + "/app-homes/" + name
                try FileManager.default.createDirectory(
                    atPath: home + "/deep/er", withIntermediateDirectories: true)
                try Data("mine".utf8).write(to: URL(filePath: home + "/deep/er/note"))
                try FileManager.default.createSymbolicLink(
                    atPath: home + "/deep/link", withDestinationPath: "/etc/passwd")
                for path in ["", "/deep", "/deep/er", "/deep/er/note", "/deep/link"] {
                    try own(home + path, AppNumbers.first + number)
                }
            }
            try FileManager.default.createDirectory(atPath: root + "/machine", withIntermediateDirectories: true)
            try Data("\(base + 6)\n".utf8).write(to: URL(filePath: root + "/machine/next-number"))
            try JSONEncoder().encode(accounts).write(to: URL(filePath: root + "/app-users.json"))
        }

        deinit { try? FileManager.default.removeItem(atPath: root) }

        func own(_ path: String, _ user: UInt32) throws {
            try #require(unsafe lchown(path, user, user) == 0)
        }

        func start(_ steps: any FileSteps = DiskSteps(), moving names: Int32 = 100) throws -> AppAccounts {
            try AppAccounts(
                directory: root, numbers: AppNumbers(directory: root + "/machine"), steps: steps, moving: names)
        }

        /// A user, counted from the first one.
        func user(_ number: UInt32) -> UInt32 { AppNumbers.first + base + number }

        /// The account of an app, opened by a person.
        func account(_ app: String, _ agent: AppAccounts, for person: UInt32 = 0) throws -> AppAccount {
            try agent.account(
                of: AppBundle(
                    directory: "/a", identifier: app, name: "A", version: "1", shortVersion: "1", executable: "/a/b"),
                signedBy: nil, openedBy: person)
        }

        /// The users and groups of a home and all in it.
        func owners(_ home: String) throws -> Set<UInt32> {
            let below = try FileManager.default.subpathsOfDirectory(atPath: home).map { home + "/" + $0 }
            return Set(
                try (below + [home]).flatMap { path in
                    let facts = try FileManager.default.attributesOfItem(atPath: path)
                    return [facts[.ownerAccountID], facts[.groupOwnerAccountID]]
                        .compactMap { ($0 as? NSNumber)?.uint32Value }
                })
        }

        /// Every account works, at its home with its files, in the block of its app.
        func expectMoved(_ agent: AppAccounts) throws {
            let accounts = [
                try account("com.example.a", agent), try account("com.example.a", agent, for: 1_000),
                try account("com.example.b", agent),
            ]
            #expect(Set(accounts.map(\.user)).count == 3)
            for account in accounts {
                #expect(account.user >= user(16))
                #expect(try owners(account.home) == [account.user])
                #expect(FileManager.default.fileExists(atPath: account.home + "/deep/er/note"))
            }
            #expect(accounts[0].user / 16 == accounts[1].user / 16 && accounts[0].user / 16 != accounts[2].user / 16)
            let app = agent.users(of: "com.example.a")
            #expect(app.count == 1 && app.allSatisfy { ($0.first...$0.last).contains(accounts[1].user) })
            let kept = try #require(try DiskSteps().read(root + "/app-users.json", limit: 10_000))
            let entries = try JSONDecoder().decode([String: UInt32].self, from: kept)
            #expect(entries.keys.allSatisfy { !$0.hasPrefix("from:") })
        }
    }

    /// Killed at any step on the way, the next start finishes it.
    @Test func anAgentThatIsKilledAtAnyStepLeavesNoAccountBetweenTwoUsers() throws {
        var steps = 0
        while true {
            let before = try Before()
            let ending = EndingSteps(after: steps)
            let isWhole = (try? before.start(ending)) != nil && !ending.isAtItsEnd
            let next = try before.start()
            defer { next.tidy() }
            try before.expectMoved(next)
            if isWhole { break }
            steps += 1
        }
        // The list is written once before a file changes hands, and once after.
        #expect(steps >= 8)
    }

    /// Killed while files change hands: some are the new user's, some the old one's.
    @Test func aHomeThatHasChangedHandsInPartChangesHandsWholly() throws {
        let before = try Before()
        let home = before.root + "/app-homes/com.example.b+0@unsigned"
        var entries = before.accounts
        entries["com.example.b+0@unsigned"] = before.base + 16
        entries["com.example.b@unsigned"] = before.base + 16
        entries["from:\(before.base + 4)"] = before.base + 16
        try JSONEncoder().encode(entries).write(to: URL(filePath: before.root + "/app-users.json"))
        try before.own(home + "/deep/er", before.user(16))
        let agent = try before.start()
        defer { agent.tidy() }
        try before.expectMoved(agent)
        #expect(try before.account("com.example.b", agent).user == before.user(16))
    }

    /// A hard link to another's file, which an app may make on some systems, does not make that file the app's.
    @Test func onlyTheOldUsersFilesChangeHands() throws {
        let before = try Before()
        let home = before.root + "/app-homes/com.example.b+0@unsigned"
        let others = before.root + "/others"
        try Data("not the app's".utf8).write(to: URL(filePath: others))
        try FileManager.default.linkItem(atPath: others, toPath: home + "/deep/hard")
        let outside = before.root + "/outside"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
        try before.own(outside, before.user(4))
        try FileManager.default.createSymbolicLink(atPath: home + "/out", withDestinationPath: outside)
        try before.own(home + "/out", before.user(4))
        let agent = try before.start()
        defer { agent.tidy() }
        let user = try before.account("com.example.b", agent).user
        #expect(try before.owners(home) == [user, 0])
        #expect(try before.owners(outside) == [before.user(4)])
        let facts = try FileManager.default.attributesOfItem(atPath: others)
        #expect((facts[.ownerAccountID] as? NSNumber)?.uint32Value == 0)
    }

    /// The agent starts in time: what is too much for one start keeps its user, works, and moves another time.
    @Test func aHomeOfTooManyFilesKeepsItsUser() throws {
        let before = try Before()
        let agent = try before.start(moving: 7)
        // Four names each, sorted by the accounts' names.
        #expect(try before.account("com.example.a", agent).user >= before.user(16))
        let kept = try before.account("com.example.b", agent)
        #expect(kept.user == before.user(4))
        #expect(try before.owners(kept.home) == [kept.user])
        #expect(agent.users(of: "com.example.b").map(\.first) == [kept.user])
        agent.tidy()
        let later = try before.start()
        defer { later.tidy() }
        try before.expectMoved(later)
    }

    /// What runs keeps its user, and so does what the same person opens beside it.
    @Test func anAppThatRunsKeepsItsUser() throws {
        let before = try Before()
        let user = before.user(4)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/setpriv")
        process.arguments = ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", "/usr/bin/cat"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        // It answers as the app's user.
        try input.fileHandleForWriting.write(contentsOf: Data("ready\n".utf8))
        #expect(output.fileHandleForReading.line() == "ready\n")
        let agent = try before.start()
        #expect(try before.account("com.example.b", agent).user == user)
        #expect(try before.account("com.example.a", agent).user >= before.user(16))
        agent.tidy()
        // That ends it.
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        let later = try before.start()
        defer { later.tidy() }
        try before.expectMoved(later)
    }

    /// A list that the disk does not take leaves all accounts as they were, and the agent serves.
    @Test func anAgentWhoseListCannotBeWrittenServesItsAppsAsBefore() throws {
        let before = try Before()
        // Two directories are made, then the list would be written.
        let agent = try before.start(EndingSteps(after: 2))
        #expect(agent.users(of: "com.example.b").map(\.first) == [before.user(4)])
        #expect(try before.owners(before.root + "/app-homes/com.example.b+0@unsigned") == [before.user(4)])
        agent.tidy()
        let later = try before.start()
        defer { later.tidy() }
        try before.expectMoved(later)
    }
}
