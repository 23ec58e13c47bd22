import DeviceAgent
import Foundation
import Testing

struct AppServiceCatalogTests {
    private func withApps(_ body: (URL) throws -> Void) throws {
        let root = try Fixture.directory()
        defer { try? FileManager.default.removeItem(at: root) }
        try body(root)
    }

    private func write(
        _ information: [String: String], _ name: String, in root: URL, executable: String? = "App"
    ) throws {
        let directory = root.appending(path: name)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try PropertyListEncoder().encode(information).write(to: directory.appending(path: "Info.plist"))
        guard let executable else { return }
        let file = directory.appending(path: executable)
        try Data("#!/bin/sh\n".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }

    private let landmarks = [
        "CFBundleIdentifier": "com.example.landmarks", "CFBundleExecutable": "App", "CFBundleName": "Landmarks",
        "CFBundleVersion": "7", "CFBundleShortVersionString": "1.0",
    ]

    @Test func findsAnAppByItsInformation() throws {
        try withApps { root in
            try write(landmarks, "Landmarks.app", in: root)
            let app = try #require(AppCatalog.scan([root.path]).first)
            #expect(app.identifier == "com.example.landmarks" && app.name == "Landmarks")
            #expect(app.version == "7" && app.shortVersion == "1.0")
            #expect(app.executable.hasSuffix("/Landmarks.app/App"))
            #expect(AppCatalog.find("com.example.landmarks", in: [root.path]) == app)
            #expect(AppCatalog.find("com.example.other", in: [root.path]) == nil)
        }
    }

    @Test func theFirstOfTwoWithOneIdentifierWins() throws {
        try withApps { root in
            try write(landmarks, "one/A", in: root)
            try write(landmarks, "two/A", in: root)
            let found = AppCatalog.scan(["one", "two"].map { root.appending(path: $0).path })
            #expect(found.count == 1 && found.first?.directory.hasSuffix("/one/A") == true)
        }
    }

    @Test(arguments: ["../App", "/bin/sh", "..", ".", "", "sub/App"])
    func aProgramOutsideItsDirectoryIsNoApp(executable: String) throws {
        try withApps { root in
            try write(landmarks.merging(["CFBundleExecutable": executable]) { $1 }, "A", in: root)
            #expect(AppCatalog.scan([root.path]).isEmpty)
        }
    }

    /// Was red: before a combining mark a slash is another character to Swift, and a slash to the system, so that an
    /// app could name a program and a menu entry beside its directory.
    @Test func aPathThatSwiftReadsInAnotherWayThanTheSystemLeadsNowhere() throws {
        try withApps { root in
            let outside = "../\u{301}App"
            try write(landmarks.merging(["CFBundleExecutable": outside]) { $1 }, "A", in: root, executable: outside)
            #expect(FileManager.default.fileExists(atPath: root.path + "/A/" + outside))
            #expect(AppCatalog.scan([root.path]).isEmpty)
            try write(landmarks.merging(["MartletDesktopEntry": outside]) { $1 }, "B", in: root)
            #expect(AppCatalog.scan([root.path]).map(\.desktopEntry) == [nil])
        }
    }

    @Test(arguments: ["", ".hidden", "a/b", "a b", "ä", String(repeating: "a", count: 256)])
    func anIdentifierThatIsNoneIsNoApp(identifier: String) throws {
        try withApps { root in
            try write(landmarks.merging(["CFBundleIdentifier": identifier]) { $1 }, "A", in: root)
            #expect(AppCatalog.scan([root.path]).isEmpty)
        }
    }

    @Test func aDirectoryWithoutProgramOrInformationIsNoApp() throws {
        try withApps { root in
            try write(landmarks, "A", in: root, executable: nil)
            try FileManager.default.createDirectory(
                at: root.appending(path: "B"), withIntermediateDirectories: true)
            try Data("hostile".utf8).write(to: root.appending(path: "B/Info.plist"))
            #expect(AppCatalog.scan([root.path, root.appending(path: "none").path]).isEmpty)
        }
    }
}
