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

    private static func page() throws -> String { try text("docs/Martlet.docc/SomethingIsWrong.md") }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Guide.tree.appending(path: path), encoding: .utf8)
    }
}
