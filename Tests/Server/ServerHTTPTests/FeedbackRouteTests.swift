import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// What the API says of feedback: hand-overs with their numbers, and how a number went.
@Suite struct FeedbackRouteTests {
    private static func report(_ counts: [Int64]) throws -> Data {
        let now = Date()
        let elements = counts.map { count in
            AppFeedbackStatus(
                life: "l\(count)", app: "a.b",
                feedback: PropertyListValue.dictionary(["failureCount": .integer(count)]).xml(), from: now, to: now
            ).value
        }
        var report = StatusReport()
        report.set(.array(elements), at: AppFeedbackStatus.name)
        return report.encoded()
    }

    private func walk(_ step: (AdminClient) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let app = App(bundleIdentifier: "a.b", name: "A")
                    #expect(try await admin.send("PUT", "/apps/a.b", app).status == 200)
                    #expect(try await device.ask(.status, Self.report([3, 4])).status == 200)
                    try await step(admin)
                }
            }
        }
    }

    /// By the number it is known what came later.
    @Test func whatCameLaterHasAGreaterNumber() async throws {
        try await walk { admin in
            let page: Page<AppFeedback> = try await admin.get("/apps/a.b/feedback")
            #expect(page.items.map(\.life) == ["l4", "l3"])
            let numbers = page.items.map(\.number)
            #expect(numbers.sorted(by: >) == numbers && Set(numbers).count == 2 && numbers.allSatisfy { $0 > 0 })
        }
    }

    @Test(arguments: ["hour", "day"]) func aTrendIsOfOneNumber(interval: String) async throws {
        try await walk { admin in
            let trend: FeedbackTrend = try await admin.get(
                "/apps/a.b/feedback/trend?key=failureCount&interval=\(interval)")
            #expect(trend.key == "failureCount" && trend.interval == interval)
            // A report at the turn of an hour would be two steps, were its lives not of one moment.
            #expect(trend.steps.map(\.sum) == [7] && trend.steps.map(\.devices) == [1])
            let other: FeedbackTrend = try await admin.get("/apps/a.b/feedback/trend?key=other&interval=\(interval)")
            #expect(other.steps.isEmpty)
        }
    }

    @Test(arguments: [("", 400), ("?key=a&interval=week", 400), ("?key=a&since=never", 400)])
    func aTrendNamesANumberAndAnInterval(query: String, status: Int) async throws {
        try await walk { admin in
            let asked = try await admin.send("GET", "/apps/a.b/feedback/trend\(query)").status
            #expect(asked == status)
            let unknown = try await admin.send("GET", "/apps/no.app/feedback/trend?key=a").status
            #expect(unknown == 404)
        }
    }
}
