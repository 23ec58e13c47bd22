import AdminMessages
import Foundation
import Testing
import martlet

/// What `martlet device list` says of each device.
struct DeviceListTextTests {
    /// The cells of a device's line, by the titles of their columns.
    private func cells(refusals: Int) throws -> [String: String] {
        let device = DeviceSummary(
            id: "U-1", name: "desk", kind: .device, ownership: .organization, supervised: true, groups: ["teachers"],
            person: "anna", state: .enrolled, lastSeen: Date(timeIntervalSince1970: 1_700_000_000), synchronised: true,
            refusals: refusals)
        let rows = DeviceListText.table([device]).text().split(separator: "\n").map { line in
            line.split(separator: /[ ]{2,}/).map(String.init)
        }
        try #require(rows.count == 2 && rows[0].count == rows[1].count, "\(rows)")
        return Dictionary(zip(rows[0], rows[1])) { first, _ in first }
    }

    /// Red where the list does not show which devices refuse, and when each was last seen.
    @Test func theListSaysHowADeviceFares() throws {
        let refusing = try cells(refusals: 3)
        #expect(refusing["STATE"] == "enrolled" && refusing["REFUSES"] == "3", "\(refusing)")
        #expect(refusing["HEALTH"] == "refuses a configuration", "\(refusing)")
        #expect(refusing["LAST SEEN"] == "2023-11-14T22:13:20Z", "\(refusing)")
        let good = try cells(refusals: 0)
        #expect(good["REFUSES"] == "-" && good["HEALTH"] == "up to date" && good["SYNCHRONIZED"] == "yes", "\(good)")
    }
}
