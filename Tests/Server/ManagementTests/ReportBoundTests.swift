import DeviceMessages
import Foundation
import Testing

@testable import Management

/// A8: how often one device reports.
struct ReportBoundTests {
    @Test func aFewReportsAtOnceAndOneASecond() {
        let allowance = ReportAllowance(perMinute: 60)
        for _ in 0..<ReportAllowance.burst { #expect(allowance.take("D1", now: 100) == nil) }
        #expect(allowance.take("D1", now: 100) == 1)
        #expect(allowance.take("D1", now: 100.5) == 1)
        #expect(allowance.take("D2", now: 100) == nil, "another device is not concerned")
        #expect(allowance.take("D1", now: 101) == nil)
        #expect(allowance.take("D1", now: 101) == 1)
        // After a quiet time a device may send all of its reports again, and no more.
        for _ in 0..<ReportAllowance.burst { #expect(allowance.take("D1", now: 200) == nil) }
        #expect(allowance.take("D1", now: 200) == 1)
    }

    @Test func aSlowPaceSaysHowLongToWaitAndNoPaceHasNoBound() {
        let slow = ReportAllowance(perMinute: 1)
        for _ in 0..<ReportAllowance.burst { #expect(slow.take("D1", now: 0) == nil) }
        #expect(slow.take("D1", now: 0) == 60)
        let free = ReportAllowance(perMinute: nil)
        #expect((0..<1_000).allSatisfy { _ in free.take("D1", now: 0) == nil })
    }

    /// However many devices come and go, only those are remembered that reported lately; those are not forgotten.
    @Test func whoReportsTooOftenIsNotForgottenAmongOthers() {
        let allowance = ReportAllowance(perMinute: 60)
        for _ in 0..<ReportAllowance.burst { #expect(allowance.take("busy", now: 0) == nil) }
        for number in 0..<5_000 { #expect(allowance.take("D\(number)", now: 0.5) == nil) }
        #expect(allowance.take("busy", now: 0.5) == 1)
    }

    /// The report is refused until later, and nothing of it is kept; a channel of a user is the same device.
    @Test func aReportBeyondThemIsRefusedUntilLater() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        func report(_ number: Int) async throws -> CheckInAnswer {
            try await fixture.ask(.status, data: Data(#"{"StatusItems":{"a":\#(number)},"Errors":[]}"#.utf8))
        }
        for number in 0..<ReportAllowance.burst { #expect(try await report(number) == .done) }
        #expect(try await report(99) == .refused(.tooManyReports(seconds: 1)))
        let kept = try #require(await fixture.management.status(of: "D1", PageRequest()).value)
        #expect(kept.items.map(\.value) == [Data("59".utf8)])
        #expect(try await fixture.ask(.tokens) != .refused(.tooManyReports(seconds: 1)), "other requests are served")
        fixture.advance(1)
        #expect(try await report(100) == .done)
    }
}
