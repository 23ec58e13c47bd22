import Foundation
import StoreSQLite
import Testing

/// A data directory that has lost its authorities or its database, and one that was copied after a stop.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct LostAuthorityTests {
    /// Red (C8, C13) where a start made what was missing and served, `check` said `whole` after it, and a stop left what
    /// was written in the log beside the database.
    @Test func whatWasLostIsNamedAndNotMadeAnew() async throws {
        try await Road.with { road in
            try await road.martlet("group", "create", "made-last")
            try await road.stop(try road.server)
            let (files, server) = (FileManager.default, road.serverDirectory)
            let log = (try? files.attributesOfItem(atPath: server + "/martlet.sqlite-wal"))?[.size] as? NSNumber
            #expect((log?.intValue ?? 0) == 0, "a stop empties the log")
            let whole = road.home.appending(path: "whole").path
            try files.copyItem(atPath: server, toPath: whole)
            for (script, words) in [
                ("rm ca.pem ca.key", "ca.pem and ca.key are missing"),
                ("rm identities.pem", "identities.pem is missing"),
                ("rm martlet.sqlite", "there is no database"), (": > martlet.sqlite", "there is no database"),
                ("rm martlet.sqlite", "is empty"),
            ] {
                try files.removeItem(atPath: server)
                try files.copyItem(atPath: whole, toPath: server)
                try await road.shell("cd server && \(script) && rm -f martlet.sqlite-wal martlet.sqlite-shm")
                if words == "is empty" { try SQLiteStore(path: server + "/martlet.sqlite").close() }
                let before = try Self.kept(in: server)
                for command in [["check"], ["run", "--port", "0"]] {
                    let result = try await road.run("martlet-server", command + ["--data-directory", server])
                    #expect(result.status == 1 && result.text.contains(words), "\(script), \(command): \(result.text)")
                    #expect(try Self.kept(in: server) == before, "\(script), \(command): nothing is made")
                }
            }
            // The file alone, as one copies it after a stop.
            try files.removeItem(atPath: server)
            try files.copyItem(atPath: whole, toPath: server)
            try await road.shell("cd server && rm -f martlet.sqlite-wal martlet.sqlite-shm")
            try await road.startServer()
            #expect(try await road.martlet("group", "list").contains("made-last"))
        }
    }

    /// What a start would make: the sizes of authorities' files, of the database whether there is anything in it.
    private static func kept(in directory: String) throws -> [String: UInt64] {
        var sizes: [String: UInt64] = [:]
        for name in ["ca.pem", "ca.key", "identities.pem", "identities.key", "martlet.sqlite", "first-start"] {
            let attributes = try? FileManager.default.attributesOfItem(atPath: directory + "/" + name)
            let size = (attributes?[.size] as? NSNumber)?.uint64Value
            sizes[name] = name == "martlet.sqlite" ? size.map { min($0, 1) } : size
        }
        return sizes
    }
}
