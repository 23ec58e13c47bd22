import AppPackages
import Foundation
import Testing

@testable import DeviceAgent

/// An app that comes, changes or goes is heard of when it does.
@Suite(.timeLimit(.minutes(10)))
struct AppDirectoryNewsTests {
    private func withRoot(_ body: (URL) async throws -> Void) async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "martlet-news-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        try await body(root)
    }

    /// Puts an app there, whose specification lies beside its program.
    private func write(_ name: String, in directory: URL) throws {
        let app = directory.appending(path: name)
        let specification = app.appending(path: PackagePath.specification.text)
        try FileManager.default.createDirectory(
            at: specification.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("{}".utf8).write(to: specification)
        let program = app.appending(path: "App")
        try Data("#!/bin/sh\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        let information = ["CFBundleIdentifier": "com.example.\(name)", "CFBundleExecutable": "App"]
        try PropertyListEncoder().encode(information).write(to: app.appending(path: "Info.plist"))
    }

    /// Waits for a change; false if none is heard before the test's time is over.
    private func isHeard(_ news: AppDirectoryNews) async -> Bool {
        let change: Void? = await news.changes.first { _ in true }
        return change != nil
    }

    @Test(arguments: ["apps", "opt/martlet/apps"]) func aDirectoryThatIsMadeLaterIsWatched(path: String) async throws {
        try await withRoot { root in
            let apps = root.appending(path: path)
            let news = AppDirectoryNews(of: [apps.path])
            #expect(news.look().isEmpty)
            try write("late", in: apps)
            let heard = await isHeard(news)
            #expect(heard && news.look().count == 1)
        }
    }

    @Test func aDirectoryThatIsMovedAwayIsWatchedForItsReturn() async throws {
        try await withRoot { root in
            let (apps, away) = (root.appending(path: "apps"), root.appending(path: "away"))
            try write("app", in: apps)
            let news = AppDirectoryNews(of: [apps.path])
            let before = news.look()
            try FileManager.default.moveItem(at: apps, to: away)
            let isGone = await isHeard(news)
            #expect(isGone && news.look().isEmpty)
            #expect(news.count == 0)
            // The directory and the one above both say that it went, maybe not at once, so another one listens.
            let later = AppDirectoryNews(of: [apps.path])
            #expect(later.look().isEmpty)
            try FileManager.default.moveItem(at: away, to: apps)
            let isBack = await isHeard(later)
            #expect(isBack && later.look() == before)
        }
    }

    @Test(arguments: ["App", "Info.plist", PackagePath.specification.text, PackagePath.signature.text])
    func aFileThatIsReplacedWithinAnAppIsHeard(name: String) async throws {
        try await withRoot { root in
            let apps = root.appending(path: "apps")
            try write("app", in: apps)
            let news = AppDirectoryNews(of: [apps.path])
            let before = news.look()
            let (file, newer) = (apps.appending(path: "app/" + name), root.appending(path: "newer"))
            let content = (try? Data(contentsOf: file)) ?? Data("new".utf8)
            try content.write(to: newer)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: newer.path)
            // By one step, as package managers and editors do it.
            try #require(unsafe rename(newer.path, file.path) == 0)
            let heard = await isHeard(news)
            let after = news.look()
            #expect(heard && after.count == 1 && after != before)
        }
    }

    @Test func aProgramThatIsWrittenInItsPlaceIsHeard() async throws {
        try await withRoot { root in
            try write("app", in: root)
            let news = AppDirectoryNews(of: [root.path])
            let before = news.look()
            let program = try FileHandle(forWritingTo: root.appending(path: "app/App"))
            try program.write(contentsOf: Data("#!/bin/bash\n".utf8))
            try program.close()
            let heard = await isHeard(news)
            let after = news.look()
            #expect(heard && after.count == 1 && after != before)
        }
    }

    @Test func whatAnAppKeepsBesideItsFilesMakesItNoOther() async throws {
        try await withRoot { root in
            try write("app", in: root)
            let news = AppDirectoryNews(of: [root.path])
            let before = news.look()
            try Data("a line\n".utf8).write(to: root.appending(path: "app/log"))
            #expect(news.look() == before)
        }
    }

    @Test func noMoreDirectoriesAreWatchedThanAreAllowed() async throws {
        try await withRoot { root in
            for name in ["a", "b", "c"] { try write(name, in: root) }
            let news = AppDirectoryNews(of: [root.path], most: 2)
            #expect(news.look().count == 3)
            #expect(news.count == 2)
        }
    }

    /// Its last user keeps a removed directory in being: the directory itself says nothing then.
    @Test func aDirectoryThatIsHeldWhileItIsRemovedAndMadeAgainIsNoticed() async throws {
        try await withRoot { root in
            let apps = root.appending(path: "apps")
            try FileManager.default.createDirectory(at: apps, withIntermediateDirectories: true)
            let news = AppDirectoryNews(of: [apps.path])
            #expect(news.look().isEmpty)
            let held = unsafe open(apps.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            try #require(held >= 0)
            defer { close(held) }
            try FileManager.default.removeItem(at: apps)
            try write("app", in: apps)
            let heard = await isHeard(news)
            #expect(heard && news.look().count == 1)
        }
    }

    @Test func aDirectoryAboveThatIsRenamedAndReplacedIsNoticed() async throws {
        try await withRoot { root in
            let above = root.appending(path: "opt")
            let apps = above.appending(path: "martlet/apps")
            try write("old", in: apps)
            let news = AppDirectoryNews(of: [apps.path])
            let before = news.look()
            try FileManager.default.moveItem(at: above, to: root.appending(path: "away"))
            try write("new", in: apps)
            let heard = await isHeard(news)
            let after = news.look()
            #expect(heard && after.count == 1 && after != before)
        }
    }

    /// A directory of apps in an app of another one lies on the way to itself: both are watched whole.
    @Test(arguments: ["app/App", "app/apps/inner/App"])
    func aDirectoryOfAppsWithinAnotherTakesNothingFromIt(program: String) async throws {
        try await withRoot { root in
            let inner = root.appending(path: "app/apps")
            try write("app", in: root)
            try write("inner", in: inner)
            let news = AppDirectoryNews(of: [root.path, inner.path])
            let before = news.look()
            #expect(before.count == 2)
            let file = try FileHandle(forWritingTo: root.appending(path: program))
            try file.write(contentsOf: Data("#!/bin/bash\n".utf8))
            try file.close()
            let heard = await isHeard(news)
            let after = news.look()
            #expect(heard && after.count == 2 && after != before)
        }
    }

    /// Only names on the way to a directory of apps are news in the directories above it, which may be busy.
    @Test func whatElseHappensAboveADirectoryOfAppsIsNoNews() throws {
        var interests = WatchedDirectories.Interests()
        interests.insert(1, name: Array("opt".utf8))
        interests.insert(2, name: Array("apps".utf8))
        interests.insert(3, name: nil)
        func isNews(_ directory: Int32, _ name: String, isFarewell: Bool = false) -> Bool {
            interests.isNews(DirectoryEvent(directory: directory, name: Array(name.utf8), isFarewell: isFarewell))
        }
        #expect(isNews(1, "opt") && !isNews(1, "var"))
        #expect(isNews(2, "apps") && !isNews(2, "opt"))
        #expect(isNews(3, "whatever"))
        // It goes itself; events were lost; it is not known yet.
        #expect(isNews(1, "") && isNews(-1, "") && isNews(4, "var"))
        #expect(!isNews(1, "", isFarewell: true) && !isNews(3, "", isFarewell: true))
        // One inode may be both.
        interests.insert(1, name: nil)
        #expect(isNews(1, "var"))
    }

    @Test func eventsAreReadAsTheKernelWritesThem() {
        func bytes(_ directory: UInt32, _ mask: UInt32, _ name: String, room: Int) -> [UInt8] {
            let numbers: [UInt32] = [directory, mask, 0, UInt32(room)]
            var event: [UInt8] = []
            for number in numbers {
                let bytes = unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
                event.append(contentsOf: bytes)
            }
            event.append(contentsOf: name.utf8)
            return event + [UInt8](repeating: 0, count: room - name.utf8.count)
        }
        let named = bytes(7, 0x100, "apps", room: 16)
        let lost = bytes(.max, 0x4000, "", room: 0)
        let farewell = bytes(7, 0x8000, "", room: 0)
        let events = [
            DirectoryEvent(directory: 7, name: Array("apps".utf8), isFarewell: false),
            DirectoryEvent(directory: -1, name: [], isFarewell: false),
            DirectoryEvent(directory: 7, name: [], isFarewell: true),
        ]
        #expect(DirectoryEvent.all(in: named + lost + farewell) == events)
        // What is cut off is left out.
        #expect(DirectoryEvent.all(in: lost + named.dropLast()) == [events[1]])
        #expect(DirectoryEvent.all(in: lost + farewell.prefix(15)) == [events[1]])
        #expect(DirectoryEvent.all(in: []).isEmpty)
    }

    @Test func whatIsGoneIsWatchedNoMore() async throws {
        try await withRoot { root in
            let apps = root.appending(path: "apps")
            try write("app", in: apps)
            let news = AppDirectoryNews(of: [apps.path])
            _ = news.look()
            // The directory of apps, the app's, and that of its specification; those on the way are not counted.
            #expect(news.count == 3)
            try FileManager.default.moveItem(at: apps.appending(path: "app"), to: root.appending(path: "away"))
            _ = news.look()
            #expect(news.count == 1)
        }
    }

    @Test func aLookThatTakesLongIsRarer() {
        #expect(AppDirectoryNews.pause(afterLookOf: .zero) == .milliseconds(500))
        #expect(AppDirectoryNews.pause(afterLookOf: .milliseconds(100)) == .seconds(2))
        #expect(AppDirectoryNews.pause(afterLookOf: .seconds(60)) == .seconds(20))
    }
}
