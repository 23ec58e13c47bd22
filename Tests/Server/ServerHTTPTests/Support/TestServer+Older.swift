import Foundation
import Management
import StoreSQLite

extension TestServer {
    /// Things under names that an older server gave and this one gives no more.
    func keepNamesFromBefore() async throws {
        let now = Date()
        _ = try await store.addGroup(named: "preview", rule: nil, author: "admin", now: now)
        _ = try await store.putPeople([PersonAmendment(userName: "import")], dryRun: false, author: "admin", now: now)
        _ = try await store.putExpectedDevices([
            ExpectedDevice(serialNumber: "import", group: "preview", chip: nil, author: "admin", created: now)
        ])
    }
}
