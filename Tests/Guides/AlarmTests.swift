import Foundation
import GuideBlocks
import Testing

/// Issue 33: each alarm of the server has an entry on the page "Something is wrong", and the page names none that is not there.
struct AlarmTests {
    /// What is measured to know the load, and means no trouble by itself.
    private static let quiet: Set<String> = [
        "martlet_build_info", "martlet_requests_total", "martlet_request_seconds", "martlet_requests_under_way",
        "martlet_wake_streams", "martlet_event_listeners", "martlet_kept_requests", "martlet_enrollments",
        "martlet_app_feedback_total",
    ]

    @Test func eachMeasurementIsOnThePageOrMeansNoTrouble() throws {
        let source = try Self.text("Sources/Server/ServerHTTP/Operations/ServerMeasures.swift")
        let measured = Set(source.matches(of: /"(martlet_[a-z_]+)"/).map { String($0.1) })
        let named = Set(try Self.page().matches(of: /`(martlet_[a-z_]+)`/).map { String($0.1) })
        #expect(named.subtracting(measured).isEmpty, "the page names what is not measured")
        #expect(measured.subtracting(Self.quiet).subtracting(named).isEmpty, "what is measured has no entry")
        #expect(Self.quiet.subtracting(measured).isEmpty, "the list of quiet ones names what is not measured")
    }

    @Test func eachReasonNotToBeReadyIsOnThePage() throws {
        let source = try Self.text("Sources/Server/ServerHTTP/Operations/Readiness.swift")
        let reasons = source.matches(of: /case \w+ = "([^"]+)"/).map { String($0.1) }
        #expect(reasons.count >= 5)
        let page = try Self.page()
        for reason in reasons { #expect(page.contains("| `\(reason)` |"), "\(reason)") }
    }

    @Test(arguments: [
        "the disk of the database cannot be written to", "the file of the master key is not there",
        "the secrets of this store are under a master key that is not here", "the server's certificate ends soon",
        "the server's certificate has ended", "the server's certificate lacks a name of the server",
        "the certificate was not reloaded, the one of before stays", "a push is refused",
        "a device's identity has expired and its grace is over", "the push credential cannot be used: upload it again",
    ])
    func whatThePageQuotesIsWhatTheServerSays(sentence: String) throws {
        #expect(try Self.page().contains("`\(sentence)`"))
        let folder = Guide.tree.appending(path: "Sources/Server")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var said = false
        for case let file as URL in files where file.pathExtension == "swift" && !said {
            said = try String(contentsOf: file, encoding: .utf8).contains(sentence)
        }
        #expect(said, "no source says: \(sentence)")
    }

    /// What the server keeps in its data directory and makes anew: to delete it frees next to nothing.
    private static let madeAnew: Set<String> = [
        "issued-server.pem", "server.pem", "first-start", "restoring", "rekey.lock",
    ]

    /// On a full disk people delete what they do not know.
    ///
    /// Red where the page does not name a file of the data directory that must stay, or names one that is not there.
    @Test func whatMustNotBeDeletedOnAFullDiskIsNamed() throws {
        let folder = "Sources/Server/martlet-server/"
        let texts = try ["DataDirectory.swift", "DataDirectory+Start.swift", "DataDirectory+Certificate.swift"]
            .map { try Self.text(folder + $0) }
        let directory = texts.joined(separator: "\n")
        let others = try Self.text(folder + "MasterKeySource.swift") + Self.text(folder + "Rekey.swift")
        let files = (directory + others).matches(of: /url\.appending\(path: "([a-z.\-]+)"/).map { String($0.1) }
        let constants = directory.matches(of: /static let \w+ = "([a-z.\-]+)"/).map { String($0.1) }
        let authorities = directory.matches(of: /case \w+ = "([a-z]+)"/).map { "\($0.1).*" }
        let kept = Set(files + constants + authorities).subtracting(Self.madeAnew)
        #expect(kept.isSuperset(of: ["martlet.sqlite", "master.key", "packages", "ca.*", "identities.*"]), "\(kept)")

        let entry = try Self.section("### The disk is full")
        let sentence = try #require(entry.firstMatch(of: /(?s)Delete older backups .*?; never (.*?):/)?.1)
        let named = Set(sentence.matches(of: /`([^`]+)`/).map { String($0.1) })
        #expect(named == kept.union(["-wal", "-shm"]))
    }

    /// Red where a certificate of the server has no row, or a row is of none; each says what happens and what to do.
    @Test func eachCertificateHasItsRow() throws {
        let source = try Self.text("Sources/Server/ServerHTTP/MartletServer.swift")
        let names = source.matches(of: /\("([a-z]+)", (?:parts\.\w*[aA]uthority|\$0)\)/).map { String($0.1) }
        #expect(names.count >= 4, "\(names)")
        let chapter = try Self.section("## The server's certificate")
        let rows = chapter.matches(of: /\n\| `([a-z]+)` \| ([^|\n]+) \| ([^|\n]+) \|/).map { String($0.1) }
        #expect(rows.sorted() == names.sorted())
    }

    /// What stands below a title of the page, up to the next one of its level.
    private static func section(_ title: String) throws -> String {
        let parts = try page().components(separatedBy: "\n\(title)\n")
        try #require(parts.count == 2, "\(title)")
        let level = title.prefix { $0 == "#" }
        return try #require(parts[1].components(separatedBy: "\n\(level) ").first)
    }

    private static func page() throws -> String { try text("docs/Martlet.docc/SomethingIsWrong.md") }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Guide.tree.appending(path: path), encoding: .utf8)
    }
}
