import DeviceMessages
import Foundation
import InputBounds
import Management
import StoreSQLite
import Testing

/// Feedback on a real store: each life of a device is kept once, and summed.
struct FeedbackTests {
    private static let app = "com.example.app"

    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture()
        try await fixture.enrol()
        try await fixture.assign()
    }

    private static func element(_ life: String, count: Int64, app: String = Self.app) -> JSONValue {
        let long = Date(timeIntervalSince1970: 1_000)
        return AppFeedbackStatus(
            life: life, app: app, feedback: PropertyListValue.dictionary(["failureCount": .integer(count)]).xml(),
            configuration: "ff", from: long, to: long
        ).value
    }

    /// The marker makes each report another one: the same one again is not looked at.
    private func report(_ elements: [JSONValue], marker: Int64 = 0) async throws {
        var report = StatusReport()
        report.set(.array(elements), at: AppFeedbackStatus.name)
        report.set(.integer(marker), at: "test.marker")
        #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
    }

    private func sum() async throws -> Double? {
        let since = Date(timeIntervalSince1970: 0)
        return try await fixture.management.feedbackTotals(of: Self.app, since: since).value?.totals.first?.sum
    }

    /// A life that comes again, in the same report or in another one, is counted once.
    @Test func aLifeIsCountedOnce() async throws {
        try await report([Self.element("a", count: 3)])
        try await report([Self.element("a", count: 3)])
        try await report([Self.element("a", count: 3), Self.element("b", count: 1)], marker: 1)
        #expect(try await sum() == 4)
        let kept = try await fixture.management.feedback(FeedbackFilter(device: "D1"), PageRequest(limit: 1))
        #expect(kept.value?.items.map(\.status.life) == ["b"])
        #expect(kept.value?.next != nil)
    }

    /// An unknown app and a malformed element cost themselves alone, and the status says so; feedback is no part of it.
    @Test func whatCannotBeKeptIsSaid() async throws {
        try await report([
            Self.element("a", count: 1, app: "com.example.other"), .object(["identifier": .string("b")]),
            Self.element("c", count: 2),
        ])
        #expect(try await sum() == 2)
        let items = try await fixture.management.status(of: "D1", PageRequest()).value?.items ?? []
        #expect(!items.contains { $0.name == AppFeedbackStatus.name })
        let leftOut = try #require(items.first { $0.name == LeftOutStatus.item }?.value)
        let told = String(decoding: leftOut, as: UTF8.self)
        #expect(told.contains("com.example.other") && told.contains("dev.martlet.app.feedback[1]"))
    }

    @Test func devicesAboveABoundAreFound() async throws {
        try await report([Self.element("a", count: 3), Self.element("b", count: 2)])
        func found(above bound: Double, _ configurations: [String]? = nil) async throws -> [FeedbackOutlier] {
            try await fixture.management.feedbackOutliers(
                of: Self.app, counting: "failureCount", above: bound, since: Date(timeIntervalSince1970: 0),
                configurations: configurations)
        }
        #expect(try await found(above: 4) == [FeedbackOutlier(device: "D1", sum: 5)])
        #expect(try await found(above: 5) == [])
        #expect(try await found(above: 0, ["00"]) == [])
    }

    /// The item is subscribed to where the device says the feature, and nowhere else.
    @Test(arguments: [nil, false, true]) func theItemIsSubscribedToWhereTheDeviceTellsIt(tells: Bool?) throws {
        let compiler = ManifestCompiler(baseURL: "https://mdm.example.com", organization: "Example")
        let snapshot = AssignmentSnapshot(entries: [], changed: Date(timeIntervalSince1970: 0))
        let manifest = compiler.compile(snapshot, for: DeviceAudience(platform: .linux, tellsFeedback: tells))
        let subscriptions = try #require(manifest.declarations["configuration/martlet.status"])
        let text = String(decoding: subscriptions, as: UTF8.self)
        #expect(text.contains("\"\(AppFeedbackStatus.name)\"") == (tells == true))
    }

    /// A device that does not say the feature is not asked; one that does is sent the command.
    @Test func onlyADeviceWithTheFeatureIsAsked() async throws {
        let early = try await fixture.management.fetchFeedback(of: nil, from: "D1", author: "admin")
        #expect(early.refusal?.reason.contains(AppFeedbackStatus.feature) == true)
        let capabilities = ClientCapabilities(
            supportedFeatures: [AppFeedbackStatus.feature: .object([:])], declarations: [:], statusItems: [])
        var report = StatusReport()
        report.set(capabilities.value, at: ClientCapabilities.name)
        #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
        let unknown = try await fixture.management.fetchFeedback(of: "no.app", from: "D1", author: "admin")
        #expect(unknown.refusal == .unknownApp)
        let queued = try await fixture.management.fetchFeedback(of: Self.app, from: "D1", author: "admin")
        #expect(queued.value?.requestType == FetchFeedback.requestType)
    }
}
