import DeviceAgent
import Foundation
import Logging
import TestLog
import Testing

/// The menus' entries of installed apps.
struct DesktopEntryTests {
    private static let developers = """
        # what the developer wrote
        [Desktop Entry]
        Type=Application
        Name=Viewer
        Name[de]=Betrachter
        Icon=Resources/viewer.svg
        Exec=/usr/bin/env LD_PRELOAD=./evil.so viewer %U
        TryExec=/usr/bin/evil
        DBusActivatable=true
        Terminal=true
        Categories=Utility;
        Actions=New;

        [Desktop Action New]
        Name=New
        NoDisplay=true
        Exec=rm -rf ~
        """

    private func app(_ directory: String, _ entry: String = developers) throws -> AppBundle {
        try FileManager.default.createDirectory(
            atPath: directory + "/Resources", withIntermediateDirectories: true)
        try Data(entry.utf8).write(to: URL(filePath: directory + "/viewer.desktop"))
        try Data("<svg/>".utf8).write(to: URL(filePath: directory + "/Resources/viewer.svg"))
        return AppBundle(
            directory: directory, identifier: "com.example.viewer", name: "Viewer", version: "1", shortVersion: "1",
            executable: directory + "/viewer", desktopEntry: directory + "/viewer.desktop")
    }

    private func inDirectory(_ body: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "desktop-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try body(directory)
    }

    private func entries(_ directory: String, _ log: Logger = Logger(label: "test")) -> DesktopEntries {
        DesktopEntries(
            in: directory + "/menu", agentDirectory: "/var/lib/mart let", program: "/usr/bin/martlet-agent", log: log)
    }

    @Test func anEntryIsShownAsItsDeveloperWroteItAndStartedByTheAgent() throws {
        try inDirectory { directory in
            entries(directory).settle([try app(directory + "/app")])
            let path = directory + "/menu/com.example.viewer.desktop"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(
                text == """
                    [Desktop Entry]
                    Type=Application
                    Name=Viewer
                    Name[de]=Betrachter
                    Icon=\(directory)/app/Resources/viewer.svg
                    Terminal=true
                    Categories=Utility;
                    Exec=/usr/bin/martlet-agent open com.example.viewer --directory "/var/lib/mart let" -- %U
                    X-Martlet-Directory=/var/lib/mart let

                    """)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o644)
        }
    }

    /// Neither a desktop nor a shell makes anything of what a directory is called.
    @Test func whatTheCommandIsGivenIsTakenAsItStands() throws {
        let entry = try #require(DesktopEntry(parsing: Data("[Desktop Entry]\nType=Application\nName=x".utf8)))
        try inDirectory { directory in
            let text = entry.text(of: try app(directory), opened: ["/a/b", #"5%U "$A" `b` \"#], byAgentOf: "/a")
            #expect(text.contains(#"Exec=/a/b "5%%U \\"\\$A\\" \\`b\\` \\\\""# + "\n"), "\(text)")
        }
    }

    /// Was red: quoting by characters left a quotation mark or a percent sign alone that has a combining mark behind
    /// it, and a line feed behind a carriage return; and such a slash hid the `..` of an icon's path.
    @Test func noTextEndsItsQuotesOrItsLineByWhatStandsBehindAMark() throws {
        let entry = try #require(
            DesktopEntry(parsing: Data("[Desktop Entry]\nType=Application\nName=x\nIcon=../\u{301}x".utf8)))
        try inDirectory { directory in
            try Data().write(to: URL(filePath: directory + "/\u{301}x"))
            let argument = "\"\u{301}$\u{301}%\u{301}`\u{301}\\\u{301}"
            let text = entry.text(
                of: try app(directory + "/app"), opened: ["/a/b", argument], byAgentOf: "/a\r\nb\\\u{301}")
            let exec = #"Exec=/a/b "\\"\#u{301}\\$\#u{301}%%\#u{301}\\`\#u{301}\\\\\#u{301}""# + "\n"
            #expect(text.utf8.contains(exec.utf8), "\(text)")
            #expect(text.utf8.contains((#"X-Martlet-Directory=/a\r\nb\\\#u{301}"# + "\n").utf8), "\(text)")
            #expect(text.utf8.contains("Icon=../\u{301}x\n".utf8), "\(text)")
        }
    }

    /// By what freedesktop.org itself checks entries with.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: validator), "desktop-file-utils is not installed"))
    func entriesAreValid() throws {
        try inDirectory { directory in
            entries(directory).settle([try app(directory + "/app")])
            let check = Process()
            check.executableURL = URL(filePath: Self.validator)
            check.arguments = [directory + "/menu/com.example.viewer.desktop"]
            let output = Pipe()
            check.standardOutput = output
            check.standardError = output
            try check.run()
            let said = try output.fileHandleForReading.readToEnd() ?? Data()
            check.waitUntilExit()
            #expect(check.terminationStatus == 0 && said.isEmpty, "\(String(decoding: said, as: UTF8.self))")
        }
    }
    private static let validator = "/usr/bin/desktop-file-validate"

    @Test func anEntryGoesWithItsAppAndOthersEntriesStay() throws {
        try inDirectory { directory in
            let menu = directory + "/menu"
            try FileManager.default.createDirectory(atPath: menu, withIntermediateDirectories: true)
            let others = ["com.example.other.desktop", "other.desktop"]
            for name in others {
                try Data("[Desktop Entry]\nX-Martlet-Directory=/elsewhere\n".utf8)
                    .write(to: URL(filePath: menu + "/" + name))
            }
            entries(directory).settle([try app(directory + "/app")])
            entries(directory).settle([])
            #expect(try FileManager.default.contentsOfDirectory(atPath: menu).sorted() == others)
        }
    }

    @Test func anEntryThatIsSomebodyElsesIsNotOverwritten() throws {
        try inDirectory { directory in
            let path = directory + "/menu/com.example.viewer.desktop"
            try FileManager.default.createDirectory(atPath: directory + "/menu", withIntermediateDirectories: true)
            try Data("[Desktop Entry]\nName=Debian's\n".utf8).write(to: URL(filePath: path))
            entries(directory).settle([try app(directory + "/app")])
            #expect(try String(contentsOfFile: path, encoding: .utf8).contains("Debian's"))
        }
    }

    @Test(arguments: [
        "", "[Desktop Entry]\nName=x", "[Desktop Entry]\nType=Link\nName=x\nURL=file:///", "Name=x\nType=Application",
        "[Other]\n[Desktop Entry]\nType=Application\nName=x",
        "[Desktop Entry]\nType=Application\nName=x\n" + String(repeating: "#", count: 131_072),
    ])
    func whatIsNoApplicationsEntryIsNotUsed(_ text: String) throws {
        #expect(DesktopEntry(parsing: Data(text.utf8)) == nil)
        try inDirectory { directory in
            entries(directory).settle([try app(directory + "/app", text)])
            #expect(
                try FileManager.default.subpathsOfDirectory(atPath: directory).filter { $0.hasPrefix("menu/") } == [])
        }
    }
}
