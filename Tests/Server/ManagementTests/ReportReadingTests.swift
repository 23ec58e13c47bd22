import DeviceMessages
import Foundation
import GRDB
import Synchronization
import Testing

@testable import Management
@testable import StoreSQLite

/// What follows from a status report is worked out of the report in hand: the store is not asked for it again.
struct ReportReadingTests {
    private final class Texts: Sendable {
        let all = Mutex<[String]>([])
    }

    @Test func aReportIsNotReadBack() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        try await fixture.assign()
        guard case .document(let data) = try await fixture.ask(.declarationItems) else { throw CancellationError() }
        let items = try DeclarationItems(parsing: data)
        func held(_ kind: DeclarationKind) -> [DeclarationStatus] {
            items[kind].map {
                DeclarationStatus(
                    identifier: $0.identifier, serverToken: $0.serverToken, active: true, valid: .valid)
            }
        }
        var report = StatusReport(fullReport: true)
        let statuses = DeclarationStatuses(
            activations: held(.activation), configurations: held(.configuration), assets: held(.asset),
            management: held(.management))
        report.set(statuses.value, at: DeclarationStatuses.name)
        let read = Texts()
        try await fixture.store.read { db in
            db.trace { event in
                guard case .statement(let statement) = event else { return }
                read.all.withLock { $0.append(statement.sql) }
            }
        }
        #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
        let back = read.all.withLock { $0.filter { $0.contains("status_item") } }
        #expect(back == [])
        let adopted = try #require(
            try await fixture.management.adoption(of: "com.example.app", configuration: "main").value)
        #expect(adopted.versions.map(\.devices) == [1], "what it holds is kept all the same")
        let seen = read.all.withLock { $0.count }
        #expect(seen > 0, "readings are seen")
    }
}
