import Foundation
import Testing
import martlet

struct SessionFileTests {
    private let session = SavedSession(
        server: "https://s:1", name: "admin", authority: "pem", token: "secret",
        expires: Date(timeIntervalSince1970: 2_000_000_000))

    private func withFile(_ body: (SessionFile) throws -> Void) rethrows {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(SessionFile(path: directory.appending(path: "martlet/session.json").path))
    }

    @Test func comesBackAsItWasSaved() throws {
        try withFile { file in
            try file.save(session)
            #expect(try file.load() == session)
            try file.save(session)
            #expect(try file.load() == session)
        }
    }

    @Test func onlyItsOwnerMayReadIt() throws {
        try withFile { file in
            try file.save(session)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
    }

    @Test func withoutAFileNobodyIsLoggedIn() {
        withFile { file in
            let failure = #expect(throws: Failure.self) { try file.load() }
            #expect(failure?.status == .notLoggedIn)
        }
    }

    /// Red: a login replaced whatever file `MARTLET_SESSION` named.
    @Test(arguments: ["my notes\n", "{}", #"{"server": "https://s:1"}"#, "[1]"])
    func aFileThatNoLoginLeftStays(text: String) throws {
        try withFile { file in
            try file.requireOwn()
            try file.save(session)
            try file.requireOwn()
            try Data(text.utf8).write(to: URL(filePath: file.path))
            let failure = #expect(throws: Failure.self) { try file.requireOwn() }
            #expect(failure?.status == .refused && failure?.advice?.contains("MARTLET_SESSION") == true)
        }
    }

    @Test func removingItEndsTheSession() throws {
        try withFile { file in
            try file.save(session)
            file.remove()
            #expect(throws: Failure.self) { try file.load() }
            #expect(throws: Failure.self) { try file.server() }
        }
    }

    /// Red where a login after a logout asked for the server again, against its help.
    @Test func aLogoutKeepsTheServerAndNothingSecret() throws {
        try withFile { file in
            try file.save(session)
            #expect(try file.server() == SavedServer(server: "https://s:1", name: "admin", authority: "pem"))
            file.forget(session)
            #expect(try file.server() == SavedServer(server: "https://s:1", name: "admin", authority: "pem"))
            let text = try String(contentsOfFile: file.path, encoding: .utf8)
            #expect(!text.contains("secret") && !text.contains("token"), "\(text)")
            let failure = #expect(throws: Failure.self) { try file.load() }
            #expect(failure?.status == .notLoggedIn && failure?.advice == "Log in again: martlet login")
            // The next login may take the file's place.
            try file.requireOwn()
            try file.save(session)
            #expect(try file.load() == session)
        }
    }

    @Test(arguments: [
        (["MARTLET_SESSION": "/x/s.json", "HOME": "/h"], "/x/s.json"),
        (["XDG_CONFIG_HOME": "/c", "HOME": "/h"], "/c/martlet/session.json"),
        (["XDG_CONFIG_HOME": "relative", "HOME": "/h"], "/h/.config/martlet/session.json"),
        (["HOME": "/h"], "/h/.config/martlet/session.json"),
    ])
    func findsItsPlace(environment: [String: String], path: String) {
        #expect(SessionFile(environment: environment).path == path)
    }
}
