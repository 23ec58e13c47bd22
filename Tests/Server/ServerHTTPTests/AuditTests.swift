import AdminMessages
import Foundation
import Testing

/// The audit log over the administrator's API.
@Suite struct AuditTests {
    @Test("S4-FLOW-07: the audit log shows who changed what, and each filter finds it")
    func theLogTellsWhoDidWhat() async throws {
        try await withLog { (admin) async throws in
            let all: AdminMessages.Page<AuditEntry> = try await admin.get("/audit")
            #expect(all.items.map(\.sequence) == Array((1...all.items.count).reversed()))
            for filter in ["?action=secret.set", "?subject=wifi", "?action=secret.set&actor=administrator:admin"] {
                let found: AdminMessages.Page<AuditEntry> = try await admin.get("/audit" + filter)
                #expect(found.items.map(\.action) == ["secret.set", "secret.set"], "\(filter)")
                #expect(found.items.allSatisfy { $0.actor == "administrator:admin" && $0.subject == "wifi" })
            }
            // Red where only single actions could be asked for.
            for filter in ["?action=secret.*", "?action=secret.*&subject=wifi"] {
                let found: AdminMessages.Page<AuditEntry> = try await admin.get("/audit" + filter)
                #expect(found.items.map(\.action) == ["secret.set", "secret.set"], "\(filter)")
            }
            let none: AdminMessages.Page<AuditEntry> = try await admin.get("/audit?actor=device:none")
            #expect(none.items.isEmpty)
            for (filter, count) in [
                ("?since=2020-01-01T00:00:00Z", all.items.count), ("?since=2999-01-01T00:00:00Z", 0),
                ("?until=2020-01-01T00:00:00Z", 0),
            ] {
                let found: AdminMessages.Page<AuditEntry> = try await admin.get("/audit" + filter)
                #expect(found.items.count == count, "\(filter)")
            }
            #expect(try await admin.send("GET", "/audit?since=yesterday").status == 400)
            let refused = try await admin.send("GET", "/audit?action=planted")
            #expect(refused.status == 400 && refused.text.contains("secret.release"))
            #expect(!refused.text.contains("planted") && refused.text.contains("secret.*"))
            for (typed, meant) in [("secret.sett", "secret.set"), ("secrt.*", "secret.*")] {
                let answer = try await admin.send("GET", "/audit?action=" + typed)
                let problem = try AdminJSON.decode(Problem.self, from: answer.body)
                #expect(answer.status == 400, "\(typed)")
                #expect(problem.detail?.hasPrefix("Did you mean \"\(meant)\"?") == true, "\(answer.text)")
            }
        }
    }

    @Test func theLogComesInPages() async throws {
        try await withLog { (admin) async throws in
            let all: AdminMessages.Page<AuditEntry> = try await admin.get("/audit")
            var sequences: [Int] = []
            var cursor = ""
            repeat {
                let page: AdminMessages.Page<AuditEntry> = try await admin.get("/audit?limit=1" + cursor)
                sequences += page.items.map(\.sequence)
                cursor = page.next.map { "&cursor=\($0)" } ?? ""
            } while !cursor.isEmpty
            #expect(sequences == all.items.map(\.sequence))
        }
    }

    @Test func theHeadOfAnIntactLogIsTheHashOfItsNewestEntry() async throws {
        try await withLog { (admin) async throws in
            let before = try await admin.verifiedAudit()
            let newest: AdminMessages.Page<AuditEntry> = try await admin.get("/audit?limit=1")
            #expect(before.intact && before.brokenAt == nil && before.rule == nil && before.first == 1)
            #expect(before.head == newest.items.first?.hash && before.entries == newest.items.first?.sequence)
            _ = try await admin.send("DELETE", "/secrets/wifi")
            let after = try await admin.verifiedAudit()
            #expect(after.intact && after.entries == before.entries + 1 && after.head != before.head)
        }
    }

    /// Runs `test` with a log in which a secret was set twice.
    private func withLog(_ test: (AdminClient) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                for version in 1...2 {
                    let request = SecretRequest.password(PasswordSecret(password: "p\(version)"))
                    let set = try await admin.send("PUT", "/secrets/wifi", request)
                    try #require(set.status == 200, "\(set.text)")
                }
                try await test(admin)
            }
        }
    }
}
