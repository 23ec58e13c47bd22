import AppMessages
import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import Testing

struct StatusTests {
    private let start = Date(timeIntervalSince1970: 1_700_000_000)
    private let facts = DeviceFacts(
        hostName: "host", systemName: "Debian", systemVersion: "12", kernelVersion: "6.1", modelName: "Model",
        model: "M1")

    private func app(_ identifier: String, _ state: String) -> JSONValue {
        .object(["identifier": .string(identifier), "state": .string(state)])
    }

    private func list(_ apps: JSONValue...) -> [String: JSONValue] { ["app.managed.list": .array(apps)] }

    /// A book in which a first, full report was accepted.
    private func book(_ items: [String: JSONValue]) throws -> StatusBook {
        var book = StatusBook()
        let report = try #require(book.report(of: items, now: start))
        #expect(report.isFull)
        book.accepted(report, now: start)
        return book
    }

    @Test func nothingNewIsNotReported() throws {
        let items = list(app("a", "managed"))
        #expect(try book(items).report(of: items, now: start + 60) == nil)
    }

    @Test func onlyChangedElementsAreReportedAndGoneOnesAsRemoved() throws {
        let book = try book(list(app("a", "managed"), app("b", "managed"), app("c", "managed")))
        let report = try #require(book.report(of: list(app("a", "managed"), app("b", "failed")), now: start + 60))
        let removed = JSONValue.object(["identifier": .string("c"), "_removed": .boolean(true)])
        #expect(report.items == list(app("b", "failed"), removed))
        #expect(!report.isFull)
    }

    @Test func changeIsReportedUntilItIsAccepted() throws {
        var book = try book(list(app("a", "managed")))
        let changed = list(app("a", "failed"))
        let first = try #require(book.report(of: changed, now: start + 1))
        #expect(book.report(of: changed, now: start + 2) == first)
        book.accepted(first, now: start + 2)
        #expect(book.report(of: changed, now: start + 3) == nil)
    }

    @Test func changeDuringAReportIsNotLost() throws {
        var book = try book(list(app("a", "1")))
        let sent = try #require(book.report(of: list(app("a", "2")), now: start + 1))
        book.accepted(sent, now: start + 1)
        #expect(book.report(of: list(app("a", "3")), now: start + 1)?.items == list(app("a", "3")))
    }

    @Test(arguments: [86_400.0, -1]) func fullReportIsDueAfterADayAndWhenTheClockWasSetBack(_ later: Double) throws {
        let items = list(app("a", "managed"))
        let report = try #require(try book(items).report(of: items, now: start + later))
        #expect(report.isFull)
        #expect(report.items == items)
    }

    @Test func itemsThatTheDeviceDoesNotHaveAreSaidOnce() throws {
        var book = try book([:])
        let report = try #require(book.report(of: [:], unavailable: ["x"], now: start + 1))
        book.accepted(report, now: start + 1)
        #expect(book.report(of: [:], unavailable: ["x"], now: start + 2) == nil)
    }

    // MARK: - Items

    private func state(subscribed: [String], report: ConfigurationReport? = nil) -> AgentState {
        var state = AgentState(udid: "U")
        state.applied.subscriptions = subscribed
        state.applied.apps = [
            "com.example.app": AppliedApp(
                composedIdentifier: "com.example.app (T)", declarationIdentifier: "cfg", configuration: "v1")
        ]
        if let report { state.reports["com.example.app"] = report }
        return state
    }

    private func appStatus(
        _ state: AgentState, present: Bool = true, users: AppUsers = .own
    ) throws -> AppStatus {
        let bundle = AppBundle(
            directory: "/a", identifier: "com.example.app", name: "App", version: "7", shortVersion: "1.2",
            executable: "/a/b")
        let items = StatusItems(
            state, apps: present ? [bundle] : [], standings: standings(state, present ? bundle : nil), facts: facts,
            appUsers: users)
        let element = try #require(items.values[AppStatus.name]?.array?.first)
        return try AppStatus(element)
    }

    private func standings(_ state: AgentState, _ present: AppBundle?) -> [String: AppStanding] {
        state.applied.apps.mapValues { app in
            AppStanding(
                app, of: "com.example.app", in: state, present: present, progress: nil, separatesData: false)
        }
    }

    @Test func onlySubscribedItemsAreReported() {
        let items = StatusItems(
            state(subscribed: ["device.identifier.udid", "nobody.knows"]), apps: [], standings: [:], facts: facts,
            appUsers: .own)
        #expect(
            Set(items.values.keys) == [
                "device.identifier.udid", "management.client-capabilities", "management.declarations",
            ])
        #expect(items.unavailable == ["nobody.knows"])
    }

    @Test func appThatIsNotOnTheDeviceIsNotPresent() throws {
        #expect(try appStatus(state(subscribed: [AppStatus.name]), present: false).state == "not-present")
        #expect(try appStatus(state(subscribed: [AppStatus.name])).state == "managed")
    }

    @Test func configStateIsUnknownUntilTheAppHasReadThisVersion() throws {
        let old = ConfigurationReport(bundleIdentifier: "com.example.app", version: "v0", valid: true, at: start)
        let new = ConfigurationReport(bundleIdentifier: "com.example.app", version: "v1", valid: true, at: start)
        #expect(try appStatus(state(subscribed: [AppStatus.name])).configState?.app == "unknown")
        #expect(try appStatus(state(subscribed: [AppStatus.name], report: old)).configState?.app == "unknown")
        #expect(try appStatus(state(subscribed: [AppStatus.name], report: new)).configState?.app == "valid")
    }

    /// An app that fetched this version over HTTP, or for which it was written to files, says nothing itself.
    ///
    /// Red where such an app has not read its configuration in every view, for ever.
    @Test(arguments: [ConfigurationHandOver.Way.http, .files])
    func aConfigurationThatWasHandedOverIsSaidToBe(way: ConfigurationHandOver.Way) throws {
        func note(_ version: String) -> ConfigurationHandOver {
            ConfigurationHandOver(bundleIdentifier: "com.example.app", version: version, way: way)
        }
        var state = state(subscribed: [AppStatus.name])
        let isFirstNews = state.handedOver(note("v0"))
        let before = try appStatus(state)
        #expect(isFirstNews && ReportedAppState(before) == .unknown, "an older version says nothing of this one")
        let (isNews, isAgain) = (state.handedOver(note("v1")), state.handedOver(note("v1")))
        #expect(isNews && !isAgain)
        let status = try appStatus(state)
        #expect(status.configState?.app == "unknown" && ReportedAppState(status) == .unconfigured)
        let reason = try #require(status.reasons.first)
        #expect(reason.code == AppStatus.configurationHandedOver && reason.details?["Way"]?.string == way.rawValue)
        state.reports["com.example.app"] = ConfigurationReport(
            bundleIdentifier: "com.example.app", version: "v1", valid: true, at: start)
        let decoded = try appStatus(state)
        #expect(decoded.reasons.isEmpty && ReportedAppState(decoded) == .decoded, "the app's own word counts")
    }

    @Test func thatAnAppFetchedItSaysMoreThanThatItLiesThere() {
        var state = state(subscribed: [AppStatus.name])
        for way in [ConfigurationHandOver.Way.files, .http, .files] {
            _ = state.handedOver(ConfigurationHandOver(bundleIdentifier: "com.example.app", version: "v1", way: way))
        }
        #expect(state.handOvers["com.example.app"]?.way == .http)
        state.hold(Applied())
        #expect(state.handOvers.isEmpty, "of an app that is not managed nothing is kept")
    }

    /// D10: code, message and key path reach the administrator.
    @Test func refusalCarriesWhatTheAppSaid() throws {
        let report = ConfigurationReport(
            bundleIdentifier: "com.example.app", version: "v1", valid: false, code: 3, message: "unknown landmark",
            keyPath: "managedCollection.landmarks[2]", keyPathSupplied: true, at: start)
        let status = try appStatus(state(subscribed: [AppStatus.name], report: report))
        #expect(status.configState?.app == "invalid")
        let reason = try #require(status.reasons.first)
        #expect(reason.code == "Error.ConfigurationRefused")
        #expect(reason.details?["Code"]?.int == 3)
        #expect(reason.details?["Message"]?.string == "unknown landmark")
        #expect(reason.details?["KeyPath"]?.string == "managedCollection.landmarks[2]")
        #expect(reason.details?["KeyPathSupplied"]?.bool == true)
        #expect(reason.details?["Version"]?.string == "v1")
    }

    /// D7: what is kept apart less well says so.
    @Test func anAppThatSharesItsUserSaysSo() throws {
        let state = state(subscribed: [AppStatus.name])
        #expect(try appStatus(state, users: .own).reasons.isEmpty)
        #expect(try appStatus(state, users: .shared).reasons.map(\.code) == ["Info.SharedUser"])
        #expect(try appStatus(state, present: false, users: .shared).reasons.isEmpty)
        #expect(try appStatus(state, users: .shared).reasons.first?.details?["Trust"]?.string == "shared")
    }

    /// D7: the administrator reads that an app is trusted less than its assignment asks.
    @Test func anAppWhoseSecretsAreWithheldSaysSo() throws {
        var state = state(subscribed: [AppStatus.name])
        let app = "com.example.app"
        state.applied.apps[app]?.secrets = [AppSecrets.Entry(.password, "p", digest: "d")]
        let reason = try #require(try appStatus(state, users: .shared).reasons.last)
        #expect(reason.code == "Info.SecretsWithheld")
        #expect(reason.details?["Trust"]?.string == "shared" && reason.details?["LowestTrust"]?.string == "launched")
        #expect(try appStatus(state, users: .own).reasons.isEmpty)
        state.applied.apps[app]?.lowestTrust = .shared
        #expect(try appStatus(state, users: .shared).reasons.map(\.code) == ["Info.SharedUser"])
    }
}
