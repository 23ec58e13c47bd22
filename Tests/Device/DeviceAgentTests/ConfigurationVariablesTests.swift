import DeviceAgent
import Foundation
import Testing

/// What `martlet-agent exec` puts into the environment, and what it lets run.
struct ConfigurationVariablesTests {
    private func variables(_ body: String, prefix: String = ConfigurationVariables.usualPrefix) -> [String: String] {
        ConfigurationVariables.of(
            Data("<plist version=\"1.0\"><dict>\(body)</dict></plist>".utf8), prefix: prefix)
    }

    @Test func eachValueHasTheNameOfItsPlace() {
        let found = variables(
            """
            <key>server</key><dict><key>port</key><integer>22</integer><key>hostName</key><string>a b</string></dict>
            <key>list</key><array><true/><dict><key>x</key><real>1.5</real></dict></array>
            <key>when</key><date>2026-01-02T03:04:05Z</date><key>blob</key><data>AAEC</data><key>ä.b</key><string/>
            """)
        #expect(
            found == [
                "CONFIG_SERVER__PORT": "22", "CONFIG_SERVER__HOSTNAME": "a b", "CONFIG_LIST__0": "true",
                "CONFIG_LIST__1__X": "1.5", "CONFIG_WHEN": "2026-01-02T03:04:05Z", "CONFIG_BLOB": "AAEC",
                "CONFIG____B": "",
            ])
    }

    /// One of two is not picked by chance.
    @Test func whereTwoValuesHaveOneNameNeitherIsThere() {
        #expect(variables("<key>a.b</key><string>1</string><key>a_b</key><string>2</string>") == [:])
        #expect(
            variables("<key>a__b</key><string>1</string><key>a</key><dict><key>b</key><string>2</string></dict>") == [:]
        )
    }

    /// Whatever an administrator configures, no loader and no shell obeys it.
    @Test func noNameIsOneThatALoaderObeys() {
        #expect(variables("<key>D_PRELOAD</key><string>/evil.so</string>", prefix: "L") == [:])
        #expect(variables("<key>lib</key><string>x</string>", prefix: "A") == ["ALIB": "x"])
        #expect(ConfigurationVariables.prefix(nil) == "CONFIG_")
        #expect(ConfigurationVariables.prefix("MY_APP_") == "MY_APP_")
        for wrong in ["", "1A", "A=", "A B", "LD_", "LD", "MALLOC", "ä", String(repeating: "A", count: 65)] {
            #expect(ConfigurationVariables.prefix(wrong) == nil)
        }
    }

    @Test func aValueThatIsTooLongOrHasANULIsLeftOut() {
        let long = String(repeating: "x", count: 70_000)
        #expect(variables("<key>a</key><string>\(long)</string><key>b</key><string>y</string>") == ["CONFIG_B": "y"])
        let many = (0..<20).map { "<key>k\($0)</key><string>\(String(repeating: "x", count: 60_000))</string>" }
        #expect(variables(many.joined()).values.reduce(0) { $0 + $1.utf8.count } <= 524_288)
        #expect(ConfigurationVariables.of(Data("nonsense".utf8), prefix: "A") == [:])
        #expect(ConfigurationVariables.of(nil, prefix: "A") == [:])
    }

    // MARK: programs

    /// D7: who may run as the app is decided by where the program really lies.
    @Test func aProgramOfAnAppLiesInItsDirectory() throws {
        let root = try Fixture.directory()
        defer { try? FileManager.default.removeItem(at: root) }
        let home = root.appending(path: "App.app").path
        try FileManager.default.createDirectory(atPath: home + "/bin", withIntermediateDirectories: true)
        for file in ["/main", "/bin/tool", "/data", "/../outside"] {
            try Data().write(to: URL(filePath: home + file))
            try FileManager.default.setAttributes(
                [.posixPermissions: file == "/data" ? 0o644 : 0o755], ofItemAtPath: home + file)
        }
        try FileManager.default.createSymbolicLink(atPath: home + "/out", withDestinationPath: "/usr/bin/env")
        try FileManager.default.createSymbolicLink(atPath: home + "/in", withDestinationPath: "bin/tool")
        let app = AppBundle(
            directory: home, identifier: "a", name: "a", version: "1", shortVersion: "1", executable: home + "/main")
        func path(_ name: String, orAny: Bool = false) -> String? {
            AppProgram.path(name, of: app, orAny: orAny, searching: "relative:/usr/bin").map {
                $0.hasPrefix(home) ? String($0.dropFirst(home.count)) : $0
            }
        }
        // An app that does not describe itself, as those of the system, is its one program.
        #expect(path("main") == "/main")
        #expect(path("bin/tool") == nil)
        try Data().write(to: URL(filePath: home + "/Info.plist"))
        #expect(path("bin/tool") == "/bin/tool")
        #expect(path(home + "/bin/tool") == "/bin/tool")
        #expect(path("in") == "/bin/tool")
        for wrong in ["out", "../outside", "/usr/bin/env", "env", "data", "bin", "absent", "", "main\0"] {
            #expect(path(wrong) == nil, "\(wrong)")
        }
        #expect(path("env", orAny: true)?.hasSuffix("/env") == true)
        #expect(path("main", orAny: true) == "/main")
        #expect(path("bin/absent", orAny: true) == nil)
    }
}
