import AdminMessages
import Foundation
import Management
import StoreSQLite
import Testing

/// A10: what administrators ask for is read beside what devices need, for a limited time.
@Suite(.timeLimit(.minutes(10))) struct ReaderRouteTests {
    @Test func aLongReadForAnAdministratorEndsAndNoneForADeviceDoes() async throws {
        try await TestServer.run(readTime: .zero) { (server) async throws in
            for number in 0..<600 {
                _ = try await server.store.addGroup(named: "g\(number)", author: "a", now: Date())
            }
            try await AdminClient.with(server) { (admin) async throws in
                let list = try await admin.send("GET", "/groups?limit=500")
                #expect(list.status == 503 && list.text.contains("took too long"), "\(list.text)")
                #expect(list.headers["retry-after"] == "5")
                #expect(try await admin.send("GET", "/groups?limit=1").status == 200)
            }
            #expect(try await server.store.groups(PageRequest(limit: 500)).items.count == 500)
        }
    }
}
