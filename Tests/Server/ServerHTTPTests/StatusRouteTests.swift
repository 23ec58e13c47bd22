import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import TestLog
import Testing

/// A8: a device's status as administrators get it.
@Suite struct StatusRouteTests {
    @Test func aListHasLargeValuesByTheirSizeAndAnItemIsShownWhole() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let large = String(repeating: "x", count: 70_000)
                    let report = StatusReport(
                        items: .object(["large": .string(large), "small": .integer(1), "tiny": .integer(2)]))
                    #expect(try await device.ask(.status, report.encoded()).status == 200)
                    let path = "/devices/\(device.identifier.key)/status"
                    func items(_ query: String) async throws -> Page<StatusItem> {
                        let answer = try await admin.send("GET", path + query)
                        #expect(answer.status == 200)
                        return try AdminJSON.decode(Page<StatusItem>.self, from: answer.body)
                    }
                    let all = try await items("").items
                    #expect(all.map(\.name) == ["large", "small", "tiny"] && all.map(\.size) == [70_002, nil, nil])
                    #expect(all.map(\.value) == [.null, .integer(1), .integer(2)])
                    #expect(try await items("?name=large").items.map(\.value) == [.string(large)])
                    #expect(try await items("?name=nothing").items.isEmpty)
                    let first = try await items("?limit=2")
                    #expect(first.items.map(\.name) == ["large", "small"])
                    let next = try #require(first.next)
                    #expect(try await items("?limit=2&cursor=\(next)").items.map(\.name) == ["tiny"])
                    #expect(try await admin.send("GET", "/devices/nobody/status").status == 404)
                    #expect(try await admin.send("GET", "/devices/nobody/status?name=a").status == 404)
                }
            }
        }
    }

    /// Who reports too often is told when to come again, and stays enrolled.
    @Test func aDeviceThatReportsTooOftenIsToldWhenToComeAgain() async throws {
        try await TestServer.run(clock: TestClock(stands: true)) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let report = StatusReport(items: .object(["small": .integer(1)])).encoded()
                    for _ in 0..<60 { #expect(try await device.ask(.status, report).status == 200) }
                    let refused = try await device.ask(.status, report)
                    #expect(refused.status == 503 && refused.headers["retry-after"] == "1")
                    #expect(server.log.say("device refused", "reports its status too often"))
                    #expect(try await device.ask(.tokens).status == 200)
                }
            }
        }
    }
}
