import DeviceAgent
import Foundation
import Testing

/// Software that Debian installed, managed by package and path (A01, C05).
struct DebianSoftwareTests {
    private let composed = "org.example.tool {debian tool /usr/bin/tool}"

    private func withRoot(
        _ status: String = "Package: tool\nStatus: install ok installed\nVersion: 1:2.3-4\n", mode: Int = 0o755,
        _ body: (String) throws -> Void
    ) throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "debian-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        for folder in ["var/lib/dpkg/info", "usr/bin"] {
            try FileManager.default.createDirectory(
                at: root.appending(path: folder), withIntermediateDirectories: true)
        }
        let other = "Package: other\nStatus: install ok installed\nVersion: 9\n\n"
        try Data((other + status).utf8).write(to: root.appending(path: "var/lib/dpkg/status"))
        try Data("/.\n/usr\n/usr/bin\n/usr/bin/tool\n".utf8).write(
            to: root.appending(path: "var/lib/dpkg/info/tool.list"))
        let tool = root.appending(path: "usr/bin/tool")
        try Data("#!/bin/sh\n".utf8).write(to: tool)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: tool.path)
        try body(root.path)
    }

    @Test(.enabled(if: geteuid() == 0, "the program must be root's")) func isAnAppByPackageAndPath() throws {
        try withRoot { root in
            let bundle = try #require(DebianSoftware(composedIdentifier: composed)?.bundle(root: root))
            #expect(bundle.identifier == "org.example.tool")
            #expect(bundle.version == "1:2.3-4")
            #expect(bundle.executable == root + "/usr/bin/tool")
        }
    }

    @Test func isNotThereUnlessThePackageIsInstalledAndOwnsTheProgram() throws {
        try withRoot("Package: tool\nStatus: deinstall ok config-files\nVersion: 1\n") { root in
            #expect(DebianSoftware(composedIdentifier: composed)?.bundle(root: root) == nil)
        }
        try withRoot { root in
            for text in ["org.example.tool {debian other /usr/bin/tool}", "org.example.tool {debian tool /usr/bin/x}"] {
                #expect(DebianSoftware(composedIdentifier: text)?.bundle(root: root) == nil)
            }
        }
    }

    @Test(arguments: [0o777, 0o775, 0o644]) func isNotTakenWhereOthersCouldHaveChangedIt(mode: Int) throws {
        try withRoot(mode: mode) { root in
            #expect(DebianSoftware(composedIdentifier: composed)?.bundle(root: root) == nil)
        }
    }

    @Test(arguments: [
        "org.example.tool", "org.example.tool (TEAM123456)", "org.example.tool {debian tool}",
        "org.example.tool {rpm tool /usr/bin/tool}", "org.example.tool {debian Tool /usr/bin/tool}",
        "org.example.tool {debian tool usr/bin/tool}", "org.example.tool {debian tool /usr/../etc/tool}",
        "org.example.tool {debian ../tool /usr/bin/tool}",
        // Was red: a slash before a combining mark is another character to Swift, and a slash to the system.
        "org.example.tool {debian tool /usr/../\u{301}etc/tool}",
        "org.example.tool {debian tool /usr/bin/./\u{301}tool}",
    ])
    func otherIdentifiersNameNoSoftwareOfTheSystem(text: String) {
        #expect(DebianSoftware(composedIdentifier: text) == nil)
    }
}
