import DeviceAgent
import Foundation
import TestLog
import Testing

/// A directory that says that it is an app, and is not used as one, is listed with its reason.
struct UnusableAppTests {
    private static let sound: [String: String] = ["CFBundleIdentifier": "com.example.app", "CFBundleExecutable": "App"]

    private func withRoot(_ body: (URL) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "martlet-unusable-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        try body(root)
    }

    /// Makes a directory with a program, and returns the place of its `Info.plist`.
    private func app(_ name: String, in root: URL) throws -> URL {
        let directory = root.appending(path: name)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let program = directory.appending(path: "App")
        try Data("#!/bin/sh\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        return directory.appending(path: "Info.plist")
    }

    private func unusable(_ prepare: (URL) throws -> Void) throws -> UnusableApp? {
        var found: [UnusableApp] = []
        try withRoot { root in
            try prepare(app("A", in: root))
            let all = AppCatalog.find(in: [root.path])
            #expect(all.apps.isEmpty)
            found = all.unusable
        }
        #expect(found.count <= 1 && found.allSatisfy { $0.directory.hasSuffix("/A") })
        return found.first
    }

    private func unusable(information: [String: String]) throws -> UnusableApp? {
        try unusable { try PropertyListEncoder().encode(information).write(to: $0) }
    }

    @Test func aFileThatIsNoFileIsNotRead() throws {
        let reason = "Info.plist is not a regular file"
        let directory = try unusable { file in
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        }
        #expect(directory?.reason == reason)
        // Was waited for, until somebody wrote into it.
        let pipe = try unusable { file in try #require(unsafe mkfifo(file.path, 0o600) == 0) }
        #expect(pipe?.reason == reason)
    }

    @Test func aFileThatCannotBeReachedIsUnreadable() throws {
        let found = try unusable { file in
            try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "nowhere")
        }
        #expect(found?.reason.hasPrefix("Info.plist cannot be read: ") == true)
    }

    @Test func aFileThatIsTooLargeIsNotParsed() throws {
        let found = try unusable { file in try Data(repeating: 0x20, count: 262_145).write(to: file) }
        #expect(found?.reason == "Info.plist is larger than 262144 bytes")
    }

    @Test(arguments: ["", "hostile", "{", "<plist version=\"1.0\"><array/></plist>"])
    func whatIsNoDictionaryIsMalformedAndNotRepeated(text: String) throws {
        let found = try unusable { file in try Data(text.utf8).write(to: file) }
        let reason = try #require(found?.reason)
        #expect(reason.hasPrefix("Info.plist is no property list of an app: ") && !reason.contains("hostile"))
        #expect(found?.identifier == nil)
    }

    @Test(arguments: ["CFBundleIdentifier", "CFBundleExecutable"])
    func aKeyThatIsMissingOrOfAnotherTypeIsNamed(key: String) throws {
        let missing = try unusable(information: Self.sound.filter { $0.key != key })
        #expect(missing?.reason == "Info.plist has no \(key)")
        let mistyped = try unusable { file in
            let other = Self.sound.filter { $0.key != key }
                .map { "<key>\($0.key)</key><string>\($0.value)</string>" }.joined()
            let text = "<plist version=\"1.0\"><dict><key>\(key)</key><array/>\(other)</dict></plist>"
            try Data(text.utf8).write(to: file)
        }
        #expect(mistyped?.reason == "Info.plist has a value of another type for \(key)")
    }

    @Test(arguments: ["", ".hidden", "a/b", "ä"])
    func anIdentifierThatIsNoneIsNotRepeated(identifier: String) throws {
        let found = try unusable(information: Self.sound.merging(["CFBundleIdentifier": identifier]) { $1 })
        #expect(found?.reason.hasPrefix("CFBundleIdentifier in Info.plist is not ") == true)
        #expect(found?.identifier == nil)
    }

    @Test func aProgramElsewhereOrNowhereIsNoProgram() throws {
        let elsewhere = try unusable(information: Self.sound.merging(["CFBundleExecutable": "../App"]) { $1 })
        #expect(elsewhere?.reason.hasPrefix("CFBundleExecutable in Info.plist is not the name of a file") == true)
        let nowhere = try unusable(information: Self.sound.merging(["CFBundleExecutable": "Other"]) { $1 })
        #expect(nowhere?.reason.hasSuffix("is missing, or cannot be executed") == true)
        #expect([elsewhere?.identifier, nowhere?.identifier] == ["com.example.app", "com.example.app"])
    }

    @Test func whatDoesNotSayThatItIsAnAppIsPassedOver() throws {
        try withRoot { root in
            try FileManager.default.createDirectory(
                at: root.appending(path: "folder"), withIntermediateDirectories: true)
            try Data("text".utf8).write(to: root.appending(path: "file"))
            let found = AppCatalog.find(in: [root.path, root.appending(path: "none").path])
            #expect(found.apps.isEmpty && found.unusable.isEmpty)
        }
    }

    /// Red: a directory `App.app` without `Info.plist` was in no list and in no log.
    @Test func aDirectoryThatIsCalledAnAppSaysThatItIsOne() throws {
        try withRoot { root in
            try FileManager.default.createDirectory(
                at: root.appending(path: "Empty.app"), withIntermediateDirectories: true)
            try Data("text".utf8).write(to: root.appending(path: "File.app"))
            let found = AppCatalog.find(in: [root.path])
            #expect(found.apps.isEmpty)
            #expect(found.unusable.map(\.reason) == ["Info.plist is missing"])
            #expect(found.unusable.first?.directory.hasSuffix("/Empty.app") == true)
        }
    }

    /// Red: of two directories with one identifier, the second was ignored in silence.
    @Test func ofTwoDirectoriesWithOneIdentifierTheSecondIsListedWithTheFirst() throws {
        try withRoot { root in
            for name in ["A", "B"] {
                try PropertyListEncoder().encode(Self.sound).write(to: app(name, in: root))
            }
            let found = AppCatalog.find(in: [root.path])
            let used = try #require(found.apps.first?.directory)
            #expect(found.apps.count == 1 && used.hasSuffix("/A"))
            let ignored = try #require(found.unusable.first)
            #expect(found.unusable.count == 1 && ignored.directory.hasSuffix("/B"))
            #expect(ignored.identifier == "com.example.app")
            #expect(ignored.reason == "another directory has the same CFBundleIdentifier and is used: \(used)")
        }
    }

    @Test func aLinkToAnAppIsNoSecondApp() throws {
        try withRoot { root in
            try PropertyListEncoder().encode(Self.sound).write(to: app("A", in: root))
            try FileManager.default.createSymbolicLink(
                at: root.appending(path: "Link"), withDestinationURL: root.appending(path: "A"))
            let found = AppCatalog.find(in: [root.path, root.path])
            #expect(found.apps.count == 1 && found.unusable.isEmpty)
        }
    }

    @Test func noMoreAreListedThanGoInOneAnswer() throws {
        try withRoot { root in
            for number in 0..<(UnusableApp.most + 3) { try Data().write(to: app("App\(number)", in: root)) }
            #expect(AppCatalog.find(in: [root.path]).unusable.count == UnusableApp.most)
            #expect(UnusableApp.readable("/apps/\u{1B}[2J\n" + String(repeating: "ä", count: 1_000)).utf8.count < 410)
            #expect(UnusableApp.readable("/apps/\u{1B}[2J\nA") == "/apps/\u{FFFD}[2J\u{FFFD}A")
        }
    }

    @Test func eachIsLoggedOnceForEachReason() {
        let lines = LogLines()
        let log = UnusableAppLog(lines.logger())
        let (one, other) = (
            UnusableApp(.identifier, directory: "/apps/A"), UnusableApp(.notRegular, directory: "/apps/A")
        )
        log.note([one])
        log.note([one])
        #expect(lines.all.count == 1)
        #expect(lines.say("warning", "directory=/apps/A", "CFBundleIdentifier in Info.plist"))
        log.note([other])
        log.note([])
        log.note([other])
        #expect(lines.all.count == 3)
    }

    @Test func anAppThatIsNotFoundIsExplained() throws {
        let broken = UnusableApp(.program, directory: "/apps/A", identifier: "com.example.app")
        let found = AppDirectories(["/apps", "/opt/apps"], unusable: [broken])
        for name in ["com.example.app", "/apps/A", "/apps/A/"] {
            #expect(found.explanation(of: name) == "the app in /apps/A cannot be used: \(broken.reason)")
        }
        let other = found.explanation(of: "com.example.other")
        #expect(other.hasSuffix("in the directories of apps: /apps, /opt/apps"))
        let answer = ControlMessages.AppsAnswer(.directories(found))
        let sent = try JSONDecoder().decode(ControlMessages.AppsAnswer.self, from: JSONEncoder().encode(answer))
        #expect(sent.answer == .directories(found))
    }
}
