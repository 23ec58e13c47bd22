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

    /// A13: what belongs to an app goes with it, and an app of an extension's identifier is somebody else.
    @Test(.enabled(if: geteuid() == 0, "only root gives users"))
    func anExtensionHasAUserOfItsOwnAndGoesWithItsApp() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let accounts = try AppAccounts(directory: folder)
        let role = ExtensionRole(app: "com.example.a", isRestricted: false)
        let its = try accounts.account(of: Self.app("com.example.a.tunnel", in: role), openedBy: 0)
        let others = [
            try accounts.account(of: Self.app("com.example.a"), openedBy: 0),
            try accounts.account(of: Self.app("com.example.a.tunnel"), openedBy: 0),
        ]
        #expect(Set(([its] + others).map(\.user)).count == 3 && Set(([its] + others).map(\.home)).count == 3)
        try accounts.end("com.example.a")
        let left = ([its] + others).map { FileManager.default.fileExists(atPath: $0.home) }
        #expect(left == [false, false, true])
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives users"))
    func aUserIsGivenOnceForEachAppAndPersonAndNeverToAnother() throws {
        // Cgroups are one hierarchy for all tests, and others end the apps that they name.
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let accounts = try AppAccounts(directory: folder)
        let first = try accounts.account(of: Self.app("com.example.once.a"), openedBy: 1_000)
        let others = [
            try accounts.account(of: Self.app("com.example.once.a"), openedBy: 1_001),
            try accounts.account(of: Self.app("com.example.once.b"), openedBy: 1_000),
        ]
        #expect(Set(([first] + others).map(\.user)).count == 3)
        #expect(Set(([first] + others).map(\.home)).count == 3)
        #expect(try accounts.account(of: Self.app("com.example.once.a"), openedBy: 1_000) == first)
        let later = try AppAccounts(directory: folder)
        #expect(try later.account(of: Self.app("com.example.once.a"), openedBy: 1_000) == first)
        #expect(try later.account(of: Self.app("com.example.once.c"), openedBy: 1_000).user > others[1].user)
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives users"))
    func afterTheLastNumberNoAppGetsAnothers() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let full = ["com.example.a+0": AppAccounts.most - 1]
        try JSONEncoder().encode(full).write(to: URL(filePath: folder + "/app-users.json"))
        let accounts = try AppAccounts(directory: folder)
        #expect(throws: FileRefusal.self) { try accounts.account(of: Self.app("com.example.b"), openedBy: 0) }
        #expect(try accounts.account(of: Self.app("com.example.a"), openedBy: 0).user == 1_900_065_535)
    }

    /// Whoever forgot whose numbers are whose would hand one app's files to another.
    @Test func aListOfUsersThatCannotBeReadStopsTheAgent() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("{".utf8).write(to: URL(filePath: folder + "/app-users.json"))
        #expect(throws: (any Error).self) { try AppAccounts(directory: folder) }
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
}
