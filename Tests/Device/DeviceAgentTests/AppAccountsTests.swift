import Foundation
import Testing

@testable import DeviceAgent

/// As whom apps run: D7.
struct AppAccountsTests {
    private static func folder() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "accounts-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    private static func app(_ identifier: String, in role: ExtensionRole? = nil) -> AppBundle {
        AppBundle(
            directory: "/a", identifier: identifier, name: "A", version: "1", shortVersion: "1", executable: "/a/b",
            role: role)
    }

    private static func accounts(_ folder: String, _ signer: (String) -> String? = { _ in nil }) throws -> AppAccounts {
        try AppAccounts(directory: folder, numbers: AppNumbers(directory: folder + "/machine"), signer: signer)
    }

    /// A13: what belongs to an app goes with it, and an app of an extension's identifier is somebody else.
    @Test(.enabled(if: geteuid() == 0, "only root gives users"))
    func anExtensionHasAUserOfItsOwnAndGoesWithItsApp() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let accounts = try Self.accounts(folder)
        defer { accounts.tidy() }
        let role = ExtensionRole(app: "com.example.a", isRestricted: false)
        let its = try accounts.account(
            of: Self.app("com.example.a.tunnel", in: role), signedBy: nil, openedBy: 0)
        let others = [
            try accounts.account(of: Self.app("com.example.a"), signedBy: nil, openedBy: 0),
            try accounts.account(of: Self.app("com.example.a.tunnel"), signedBy: nil, openedBy: 0),
        ]
        #expect(Set(([its] + others).map(\.user)).count == 3 && Set(([its] + others).map(\.home)).count == 3)
        try accounts.end("com.example.a")
        let left = ([its] + others).map { FileManager.default.fileExists(atPath: $0.home) }
        #expect(left == [false, false, true])
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives users"))
    func aUserIsGivenOnceForEachAppTeamAndPersonAndNeverToAnother() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let accounts = try Self.accounts(folder)
        defer { accounts.tidy() }
        let a = Self.app("com.example.once.a")
        let first = try accounts.account(of: a, signedBy: nil, openedBy: 1_000)
        let others = [
            try accounts.account(of: a, signedBy: nil, openedBy: 1_001),
            try accounts.account(of: a, signedBy: "TEAM123456", openedBy: 1_000),
            try accounts.account(of: a, signedBy: "OTHER23456", openedBy: 1_000),
            try accounts.account(of: Self.app("com.example.once.b"), signedBy: nil, openedBy: 1_000),
        ]
        #expect(Set(([first] + others).map(\.user)).count == 5)
        #expect(Set(([first] + others).map(\.home)).count == 5)
        #expect(Set(([first] + others).compactMap(\.cgroup?.path)).count == (first.cgroup == nil ? 0 : 5))
        #expect(try accounts.account(of: a, signedBy: nil, openedBy: 1_000) == first)
        let later = try Self.accounts(folder)
        #expect(try later.account(of: a, signedBy: nil, openedBy: 1_000) == first)
        let new = try later.account(of: Self.app("com.example.once.c"), signedBy: nil, openedBy: 1_000)
        #expect(new.user > others[3].user)
        // Both people's users of the app are in one range, which is no other app's, nor another team's.
        #expect(first.user % 16 == 0 && others[0].user == first.user + 1)
        #expect(others[1...].allSatisfy { $0.user % 16 == 0 && $0.user > first.user })
        let range = ListedUsers(signer: AppAccounts.unsigned, first: first.user, last: first.user + 15)
        #expect(later.users(of: a.identifier).first == range)
        #expect(later.users(of: a.identifier).count == 3)
    }

    /// B4: an account from before teams were part of its name keeps its home, with the app that lies here now.
    ///
    /// Its number comes from before blocks, too: it gets one of its app's block.
    @Test(.enabled(if: geteuid() == 0, "only root gives users"))
    func anOldAccountStaysWithTheAppThatLiesOnTheDevice() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let kept: [String: UInt32] = ["com.example.here+0": 4, "com.example.gone+0": 5]
        try JSONEncoder().encode(kept).write(to: URL(filePath: folder + "/app-users.json"))
        func number(_ accounts: AppAccounts, _ app: String, _ team: String?) throws -> UInt32 {
            try accounts.account(of: Self.app(app), signedBy: team, openedBy: 0).user - AppNumbers.first
        }
        let accounts = try Self.accounts(folder) { $0 == "com.example.here" ? "TEAM123456" : nil }
        defer { accounts.tidy() }
        #expect(try number(accounts, "com.example.here", nil) > 31)
        #expect(try number(accounts, "com.example.here", "TEAM123456") == 16)
        let home = try accounts.account(of: Self.app("com.example.here"), signedBy: "TEAM123456", openedBy: 0).home
        #expect(home == folder + "/app-homes/com.example.here+0")
        // What comes later is not who had it, whatever team it is of.
        #expect(try number(accounts, "com.example.gone", nil) > 5)
        let later = try Self.accounts(folder) { _ in "OTHER23456" }
        #expect(try number(later, "com.example.gone", "OTHER23456") > 5)
        #expect(try number(later, "com.example.here", "OTHER23456") > 31)
        #expect(try number(later, "com.example.here", "TEAM123456") == 16)
    }

    /// Whichever agent asks, a block is whole, aligned and given once, also beside an agent that knows no blocks.
    @Test func blocksBeginAtMultiplesOfTheirSizeAndAreGivenOnce() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(AppNumbers.first % AppNumbers.block == 0 && AppNumbers.most % AppNumbers.block == 0)
        let agents = [AppNumbers(directory: folder), AppNumbers(directory: folder)]
        #expect(try (0..<4).map { try agents[$0 % 2].takeBlock(atLeast: 0) } == [0, 16, 32, 48])
        try agents[0].keep(below: 70)
        #expect(try agents[1].takeBlock(atLeast: 0) == 80)
        #expect(try agents[0].takeBlock(atLeast: 100) == 112)
        try agents[0].keep(below: AppNumbers.most - 16)
        #expect(try agents[1].takeBlock(atLeast: 0) == AppNumbers.most - 16)
        let refusal = #expect(throws: FileRefusal.self) { try agents[1].takeBlock(atLeast: 0) }
        #expect(refusal?.number == ENOSPC && refusal?.step == "giving the app a block of users")
    }

    /// B12: files belong to numbers, and so may processes of another agent's apps.
    @Test(.enabled(if: geteuid() == 0, "only root gives users"))
    func twoAgentsOfOneMachineNeverGiveTheSameNumberOrCgroup() throws {
        let folders = [try Self.folder(), try Self.folder()]
        defer { for folder in folders { try? FileManager.default.removeItem(atPath: folder) } }
        let machine = AppNumbers(directory: folders[0] + "/machine")
        // One of them has numbers from before.
        try JSONEncoder().encode(["com.example.old+0": UInt32(7)])
            .write(to: URL(filePath: folders[1] + "/app-users.json"))
        let agents = try folders.map { try AppAccounts(directory: $0, numbers: machine) }
        defer { for agent in agents { agent.tidy() } }
        var given = try (0..<6).map {
            try agents[$0 % 2].account(of: Self.app("com.example.twin\($0 / 2)"), signedBy: nil, openedBy: 0)
        }
        #expect(Set(given.map(\.user)).count == 6 && given.allSatisfy { $0.user > AppNumbers.first + 7 })
        #expect(Set(given.compactMap(\.cgroup?.path)).count == (given[0].cgroup == nil ? 0 : 6))
        // An agent that begins anew does not begin with the numbers of files that are still there.
        try FileManager.default.removeItem(atPath: folders[1] + "/app-users.json")
        let anew = try AppAccounts(directory: folders[1], numbers: machine)
        given.append(try anew.account(of: Self.app("com.example.twin0"), signedBy: nil, openedBy: 0))
        #expect(Set(given.map(\.user)).count == 7)
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives users"))
    func afterTheLastNumberNoAppGetsAnothers() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let full = ["com.example.a+0@unsigned": AppNumbers.most - 1]
        try JSONEncoder().encode(full).write(to: URL(filePath: folder + "/app-users.json"))
        let accounts = try Self.accounts(folder)
        defer { accounts.tidy() }
        #expect(throws: FileRefusal.self) {
            try accounts.account(of: Self.app("com.example.b"), signedBy: nil, openedBy: 0)
        }
        let last = try accounts.account(of: Self.app("com.example.a"), signedBy: nil, openedBy: 0)
        #expect(last.user == 2_099_999_999)
    }

    /// As for the list: a guess of the next number would give one app's files to another.
    @Test func aNextNumberThatCannotBeReadGivesNone() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let numbers = AppNumbers(directory: folder)
        #expect(try numbers.takeBlock(atLeast: 3) == 16)
        #expect(try numbers.takeBlock(atLeast: 0) == 32)
        try Data("4.5\n".utf8).write(to: URL(filePath: folder + "/next-number"))
        #expect(throws: FileRefusal.self) { try numbers.takeBlock(atLeast: 0) }
    }

    /// An agent that loses the list must not give one app's files to another.
    @Test func aListOfUsersThatCannotBeReadStopsTheAgent() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("{".utf8).write(to: URL(filePath: folder + "/app-users.json"))
        #expect(throws: (any Error).self) { try Self.accounts(folder) }
    }

    @Test func theHierarchyIsFoundAmongOthers() {
        let mounts = """
            31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw
            32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
            41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:4 - cgroup2 cgroup2 rw
            """
        #expect(AppCgroups.root(mounts) == "/sys/fs/cgroup/unified")
        #expect(AppCgroups.root("32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu") == nil)
        #expect(AppCgroups.place("9:name=systemd:/\n0::/system.slice/agent.service\n") == "/system.slice/agent.service")
        #expect(AppCgroups.place("9:name=systemd:/\n") == nil)
    }

    @Test func anAppWithAUserIsNotToldWhereAPersonKeepsThings() {
        let given = ["HOME": "/root", "XDG_RUNTIME_DIR": "/run/user/0", "LANG": "C", "LD_PRELOAD": "/x"]
        #expect(AppEnvironment.filter(given, at: "/h") == ["HOME": "/h", "LANG": "C"])
        #expect(AppEnvironment.filter(given)["HOME"] == "/root")
    }

    /// B6: a path in one of these is a file that the app would read, and a catalog of texts is as good as code.
    @Test(arguments: [
        ("LANGUAGE", "de_CH:de:en", true), ("LANGUAGE", "", true), ("LANGUAGE", "../../../tmp/x", false),
        ("LANGUAGE", "de:/tmp/x", false), ("LANGUAGE", "de:..", false), ("LANG", "de_CH.UTF-8@euro", true),
        ("LANG", "C", true), ("LANG", "/tmp/x", false), ("LANG", "..", false), ("LANG", "de:en", false),
        ("LC_MESSAGES", "sr_RS@latin", true), ("LC_ALL", "../x", false), ("TZ", "America/Argentina/Ushuaia", true),
        ("TZ", ":Europe/Zurich", true), ("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", true), ("TZ", "<+03>-3", true),
        ("TZ", "/tmp/x", false), ("TZ", ":/tmp/x", false), ("TZ", "Europe/../../x", false), ("TZ", "./x", false),
        ("TERM", "xterm-256color", true), ("TERM", "../../x", false), ("TERM", ".", false), ("TERM", "a/b", false),
        ("COLUMNS", "80", true), ("COLUMNS", "80x", false), ("COLORFGBG", "15;0", true), ("NO_COLOR", "", true),
        ("TERM_PROGRAM", "Apple_Terminal", true), ("TERM_PROGRAM", "/x", false), ("TEXTDOMAINDIR", "/tmp", false),
    ])
    func aPersonsVariablesNameNoFiles(_ name: String, _ value: String, _ isPassed: Bool) {
        let passed = AppEnvironment.passed([name: value], by: 1_000)
        #expect(passed[name] == (isPassed ? value : nil))
        #expect(passed["PATH"] == "/usr/local/bin:/usr/bin:/bin")
    }
}
