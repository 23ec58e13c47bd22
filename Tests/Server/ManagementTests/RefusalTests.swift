import AppSpecification
import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// A refusal on a device joins what its app publishes: A15, S4-SPEC-03.
struct RefusalTests {
    private let fixture: Fixture
    private let management: Management
    private let app = "com.example.app"

    init() async throws {
        fixture = try Fixture()
        management = try fixture.management
        try await fixture.enrol()
        try await fixture.assign(app)
    }

    private func publish(_ version: String, _ code: Int, _ meaning: String, more: String = "") async throws {
        let text = #"""
            {"x-app": {"bundleIdentifier": "\#(app)"}, "x-errors": [{"code": \#(code), "meaning": "\#(meaning)"}]\#(more)}
            """#
        let stored = try await management.putSpecification(Data(text.utf8), of: app, version: version, author: "admin")
        _ = try #require(stored.value)
    }

    private func report(
        code: Int?, version: String? = "2.0", extension name: String? = nil
    ) async throws -> ExplainedRefusal? {
        var details: [String: JSONValue] = [
            "Version": .string(Fixture.sha256(Fixture.configuration("1"))), "KeyPath": .string("value"),
        ]
        if let code { details["Code"] = .integer(Int64(code)) }
        if let name { details["Extension"] = .string(name) }
        let status = AppStatus(
            identifier: app, shortVersion: version,
            reasons: [StatusReason(code: AppStatus.configurationRefused, details: .object(details))])
        var report = StatusReport(fullReport: true)
        report.set(.array([status.value]), at: AppStatus.name)
        #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
        return try await management.refusals(on: "D1")[app]?.first
    }

    @Test func theSpecificationOfTheVersionThatRefusesExplainsIt() async throws {
        try await publish("1.0", 100, "old")
        try await publish("2.0", 100, "its own")
        try await publish("3.0", 100, "new")
        let found = try #require(await report(code: 100))
        #expect(found.explanation?.error.meaning == "its own")
        #expect(found.explanation?.source == .specification(version: "2.0"))
        #expect(found.refusal.configuration == "main" && found.refusal.configurationVersion == 1)
        #expect(found.refusal.keyPath == "value" && found.groups == ["all"])
        #expect(try await management.refusals(of: app).value == [found])
    }

    @Test func otherwiseThatOfTheNearestDoesAndSaysSo() async throws {
        try await publish("1.9", 100, "before")
        try await publish("1.10", 100, "nearest")
        try await publish("3.0", 100, "after")
        let newest = try #require(await report(code: 100, version: nil))
        #expect(newest.explanation?.source == .nearest(version: "3.0"))
        let before = try #require(await report(code: 100))
        #expect(before.explanation?.error.meaning == "nearest")
        #expect(before.explanation?.source == .nearest(version: "1.10"))
        let older = try #require(await report(code: 100, version: "0.1"))
        #expect(older.explanation?.source == .nearest(version: "1.9"))
    }

    /// What needs no publishing: the codes of `@ManagedConfiguration`'s rules, and the system's.
    @Test func codesThatMeanTheSameForEveryAppAreExplainedWithoutASpecification() async throws {
        for (code, name) in [(9_001, "notAChoice"), (9_009, "wrongForm"), (2_147_482_625, "timeout")] {
            let found = try #require(await report(code: code))
            #expect(found.explanation?.error.name == name && found.explanation?.source == .standard)
        }
        let unknown = try #require(await report(code: 7))
        #expect(unknown.explanation == nil)
        let silent = try #require(await report(code: nil))
        #expect(silent.explanation == nil)
        try await publish("2.0", 9_001, "the app's own")
        let own = try #require(await report(code: 9_001))
        #expect(own.explanation?.error.meaning == "the app's own")
    }

    @Test func anExtensionsOwnTableComesFirst() async throws {
        try await publish(
            "2.0", 100, "the app's",
            more: #", "x-extensions": {"\#(app).x": {"x-errors": [{"code": 100, "meaning": "the extension's"}]}}"#)
        let found = try #require(await report(code: 100, extension: "\(app).x"))
        #expect(found.explanation?.error.meaning == "the extension's" && found.refusal.extension == "\(app).x")
        // Nobody gives the extension a configuration now.
        #expect(found.groups.isEmpty)
        #expect(try await report(code: 100)?.explanation?.error.meaning == "the app's")
    }

    @Test func theAppIsKnownOrNothingIsToldOfIt() async throws {
        #expect(try await management.refusals(of: "com.example.none").refusal == .unknownApp)
        #expect(try await management.refusals(of: app).value == [])
        guard case .refused(.unknownApp) = try await management.versions(of: "com.example.none") else {
            Issue.record("versions of an app that is not known were told")
            return
        }
    }

    @Test func eachVersionOnDevicesHasItsJudge() async throws {
        try await publish("1.5", 100, "m")
        _ = try await report(code: nil, version: "2.0")
        let versions = try #require(await management.versions(of: app).value)
        #expect(versions.map(\.count) == [AppVersionCount(version: "2.0", devices: 1)])
        #expect(versions.map(\.judge) == ["1.5"])
    }
}

/// Which specification speaks for a version.
struct SpecificationChoiceTests {
    private let choice = SpecificationChoice(["1.2", "1.10", "2.0"])

    @Test(arguments: [
        ("1.2", "1.2"), ("1.9", "1.2"), ("1.10", "1.10"), ("1.10.1", "1.10"), ("2.0", "2.0"), ("30", "2.0"),
    ]) func theOnePublishedForItOrTheNewestBeforeItJudges(version: String, judge: String) {
        #expect(choice.judge(of: version) == judge && choice.nearest(to: version) == judge)
    }

    @Test func whatIsOlderThanAllIsJudgedByNoneAndExplainedByTheOldest() {
        #expect(choice.judge(of: "1.1") == nil)
        #expect(choice.nearest(to: "1.1") == "1.2")
        #expect(choice.nearest(to: nil) == "2.0")
        #expect(SpecificationChoice([]).nearest(to: "1") == nil)
    }
}

/// What a status report says of apps.
struct ReportedAppsTests {
    private func apps(_ list: String, isFull: Bool = false) throws -> ReportedApps? {
        let value = try JSONValue(parsing: Data(list.utf8), limits: .statusReport)
        return ReportedApps(StatusUpdate(items: [AppStatus.name: value], isFull: isFull))
    }

    @Test func aReportWithoutAppsSaysNothingUnlessItIsFull() {
        #expect(ReportedApps(StatusUpdate(items: ["x": .null], isFull: false)) == nil)
        #expect(ReportedApps(StatusUpdate(items: [:], isFull: true))?.isWhole == true)
    }

    @Test func aListChangesByElementUnlessItReplaces() throws {
        #expect(try apps(#"[{"identifier": "a"}]"#)?.isWhole == false)
        for list in ["[]", #"[{"identifier": "a"}, {}]"#, "7"] { #expect(try apps(list)?.isWhole == true, "\(list)") }
        #expect(try apps(#"[{"identifier": "a"}]"#, isFull: true)?.isWhole == true)
    }

    /// Apple's devices say that a configuration is invalid, and no more.
    @Test func whatIsOnlyCalledInvalidIsARefusalToo() throws {
        let found = try #require(
            try apps(
                #"""
                [{"identifier": "a", "config-state": {"app-config-state": {"state": "invalid"},
                  "extension-config-state": {"a.x": {"state": "invalid"}, "a.y": {"state": "valid"}}}}]
                """#)?.apps.first)
        #expect(found.refusals.map(\.extension) == [nil, "a.x"] && found.version == nil)
        #expect(found.refusals.allSatisfy { $0.code == nil && $0.digest == nil })
    }

    @Test func whatADeviceSaysIsBoundedAndOnlyADigestIsOne() throws {
        let long = String(repeating: "x", count: 5_000)
        let found = try #require(
            try apps(
                #"""
                [{"identifier": "a", "reasons": [{"code": "Error.Other"}, {"code": "Error.ConfigurationRefused",
                  "details": {"Message": "\#(long)", "Version": "\#(long)", "Code": "7"}}]}]
                """#)?.apps.first)
        #expect(found.refusals.count == 1)
        #expect(found.refusals.first?.message?.count == 1_024)
        #expect(found.refusals.first?.digest == nil && found.refusals.first?.code == nil)
    }
}
