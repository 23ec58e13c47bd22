import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// What is installed follows what is declared: A01, S1-MGD-01, decided as a value.
struct InstallPlanTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let bundle = "com.example.app"

    private func source(
        _ url: String = "https://server/one", token: String = "1", version: String? = "2",
        updates: ManifestSource.Updates = .asUsual
    ) -> ManifestSource {
        let manifest = AppManifest(
            bundleIdentifier: bundle, bundleVersion: version, title: "App", url: "https://server/package", check: .none)
        return ManifestSource(url: url, known: KnownManifest(manifest, serverToken: token), updates: updates)
    }

    private func state(_ source: ManifestSource?, optional: Bool = false) -> AgentState {
        var state = AgentState(udid: "U")
        var app = AppliedApp(composedIdentifier: bundle, declarationIdentifier: "cfg")
        (app.manifest, app.isOptional) = (source, optional)
        state.applied.apps[bundle] = app
        state.applied.verdicts["cfg"] = Verdict(kind: .configuration, serverToken: "1", active: true, valid: .valid)
        return state
    }

    private func installed(_ source: ManifestSource, version: String = "2", directory: String = "d1") -> InstalledApp {
        InstalledApp(
            directory: directory, version: version, shortVersion: version, team: "TEAM123456",
            manifestURL: source.url, serverToken: source.serverToken)
    }

    private func next(_ state: AgentState, _ facts: InstallPlan.Facts = .init(), later: TimeInterval = 0)
        -> InstallPlan.Step?
    {
        InstallPlan.next(state, facts, now: now.addingTimeInterval(later))
    }

    @Test func aRequiredAppIsInstalledOnceItsConfigurationIsHere() {
        var state = state(source())
        #expect(next(state) == .install(bundle: bundle))
        state.applied.verdicts["cfg"]?.valid = .invalid
        #expect(next(state) == nil)
        state.applied.verdicts["cfg"]?.valid = .valid
        state.installed[bundle] = installed(source())
        #expect(next(state) == nil)
    }

    @Test func anOptionalAppWaitsForTheUser() {
        var state = state(source(), optional: true)
        #expect(next(state) == nil)
        state.installations[bundle] = Installation()
        state.installations[bundle]?.isRequested = true
        #expect(next(state) == .install(bundle: bundle))
    }

    @Test func anAppThatIsOnlyManagedIsNeverInstalled() {
        #expect(next(state(nil)) == nil)
    }

    @Test func whatTheUserHasIsLeftAloneWhereTheEnrollmentSeparatesData() {
        var facts = InstallPlan.Facts()
        facts.others = [bundle]
        #expect(next(state(source()), facts) == .install(bundle: bundle))
        facts.separatesData = true
        #expect(next(state(source()), facts) == nil)
    }

    @Test func anAppWhoseDirectoryIsGoneIsInstalledAgain() {
        var state = state(source())
        state.installed[bundle] = installed(source())
        var facts = InstallPlan.Facts()
        facts.missing = [bundle]
        #expect(next(state, facts) == .install(bundle: bundle))
    }

    @Test func anotherTokenOrManifestIsFollowedAtOnce() {
        for other in [source(token: "2"), source("https://server/two")] {
            var state = state(other)
            state.installed[bundle] = installed(source())
            #expect(next(state) == .install(bundle: bundle))
        }
    }

    @Test func updatesAreLookedForOnceADayWhereTheyAreAlwaysOn() {
        var state = state(source(updates: .always))
        state.installed[bundle] = installed(source())
        state.installations[bundle] = Installation()
        state.installations[bundle]?.checked = now
        #expect(next(state, later: 86_399) == nil)
        #expect(InstallPlan.nextDue(state, .init()) == now.addingTimeInterval(86_400))
        #expect(next(state, later: 86_400) == .check(bundle: bundle))
    }

    @Test func aFailureIsTriedAgainLaterAndLaterUnlessItCannotHeal() {
        for (attempts, wait) in [(1, 10.0), (2, 20), (5, 160), (40, 3_600)] {
            let state = failed(attempts: attempts, mayHeal: true)
            #expect(next(state, later: wait - 1) == nil)
            #expect(next(state, later: wait) == .install(bundle: bundle))
        }
        #expect(next(failed(attempts: 1, mayHeal: false), later: 1e9) == nil)
        #expect(InstallPlan.nextDue(failed(attempts: 1, mayHeal: false), .init()) == nil)
    }

    private func failed(attempts: Int, mayHeal: Bool, token: String = "1") -> AgentState {
        var state = state(source())
        state.installations[bundle] = Installation()
        state.installations[bundle]?.failure = Installation.Failure(
            code: "Error.InstallFailed", sentence: "no", at: now, attempts: attempts, mayHeal: mayHeal,
            serverToken: token)
        return state
    }

    @Test func whereUpdatesAreLookedForAFailureThatCannotHealIsLookedAtAgainTheNextDay() {
        var state = failed(attempts: 1, mayHeal: false)
        state.applied.apps[bundle]?.manifest = source(updates: .always)
        #expect(next(state, later: 86_399) == nil)
        #expect(next(state, later: 86_400) == .install(bundle: bundle))
    }

    /// Else the device would ask its server again and again.
    @Test func theSameVersionUnderAnotherAddressIsFetchedOnce() {
        var state = state(source("https://server/two", token: "2"))
        state.installed[bundle] = installed(source())
        #expect(next(state) == .install(bundle: bundle))
        state.keep(bundle, for: source("https://server/two", token: "2"), newer: nil, now: now)
        #expect(next(state) == nil)
    }

    @Test func anotherDeclarationIsAnotherChance() {
        #expect(next(failed(attempts: 1, mayHeal: false, token: "0")) == .install(bundle: bundle))
    }

    @Test func whatHasLeftIsRemovedAnOldVersionOnlyWhenNothingRunsOfIt() {
        var state = AgentState(udid: "U")
        let removed = LeavingApp(bundleIdentifier: bundle, directory: "d1", reason: .removed)
        let replaced = LeavingApp(bundleIdentifier: bundle, directory: "d2", reason: .replaced)
        state.leaving = [replaced, removed]
        var facts = InstallPlan.Facts()
        facts.running = ["d1", "d2"]
        #expect(next(state, facts) == .clear(removed))
        facts.stuck = ["d1"]
        #expect(next(state, facts) == nil)
        facts.running = []
        #expect(next(state, facts) == .clear(replaced))
    }

    // MARK: - Versions

    @Test func aVersionIsNeverReplacedByAnOlderOne() {
        let here = installed(source(), version: "1.10")
        func judge(_ version: String?, _ source: ManifestSource) -> InstallPlan.Verdict {
            InstallPlan.judge(version: version, installed: here, source: source, isAsked: false)
        }
        #expect(judge("1.9", source(token: "2")) == .olderThanInstalled)
        #expect(judge("1.10", source(token: "2")) == .isHere)
        #expect(judge("1.11", source(token: "2")) == .install)
        #expect(judge(nil, source(token: "2")) == .isHere)
        #expect(InstallPlan.judge(version: "1", installed: nil, source: source(), isAsked: false) == .install)
    }

    @Test func aNewerVersionIsHadAsFarAsUpdatesAreWanted() {
        let here = installed(source(), version: "1")
        func judge(_ source: ManifestSource, asked: Bool = false) -> InstallPlan.Verdict {
            InstallPlan.judge(version: "2", installed: here, source: source, isAsked: asked)
        }
        #expect(judge(source(updates: .always)) == .install)
        #expect(judge(source(updates: .asUsual)) == .leaveAvailable)
        #expect(judge(source(token: "2", updates: .asUsual)) == .install)
        #expect(judge(source(token: "2", updates: .never)) == .leaveAvailable)
        #expect(judge(source("https://server/two", token: "2", updates: .never)) == .install)
        #expect(judge(source(updates: .never), asked: true) == .install)
    }

    // MARK: - Where an app stands

    private func standing(
        _ state: AgentState, present: Bool = false, progress: InstallProgress? = nil, separatesData: Bool = false
    ) throws -> AppStanding {
        let here = AppBundle(
            directory: "/a", identifier: bundle, name: "App", version: "2", shortVersion: "2", executable: "/a/App")
        return AppStanding(
            try #require(state.applied.apps[bundle]), of: bundle, in: state, present: present ? here : nil,
            progress: progress, separatesData: separatesData)
    }

    @Test func eachStateOfTheProtocolIsReached() throws {
        #expect(try standing(state(nil)).state == .notPresent)
        #expect(try standing(state(nil), present: true).state == .managed)
        #expect(try standing(state(nil, optional: true), present: true).state == .optional)
        #expect(try standing(state(source(), optional: true)).state == .optional)
        #expect(try standing(state(source())).state == .queued)
        #expect(try standing(state(source()), progress: .downloading(percent: 3)).state == .downloading)
        #expect(try standing(state(source()), progress: .installing).state == .installing)
        let failed = try standing(failed(attempts: 1, mayHeal: true))
        #expect(failed.state == .failed)
        #expect(failed.reasons.map(\.code) == ["Error.InstallFailed"])
        #expect(failed.reasons.first?.details?.object?["Timestamp"] == .string("2027-01-15T08:00:00Z"))
        let taken = try standing(state(source()), present: true, separatesData: true)
        #expect(taken.state == .failed)
        #expect(taken.reasons.map(\.code) == ["Error.UnmanagedAppAlreadyInstalled"])
        var state = state(source())
        state.installed[bundle] = installed(source())
        #expect(try standing(state, present: true).state == .managed)
        #expect(try standing(state).state == .managedButUninstalled)
    }

    /// S1-MGD-04: an app from the user gets nothing until management has installed its own.
    @Test func anAppOfTheUsersIsNotManagedByAManifest() throws {
        #expect(try standing(state(source()), present: true).isManaged == false)
    }

    @Test func anUpdateIsAvailableUnderWayOrFailedWhileTheAppStaysManaged() throws {
        var state = state(source())
        state.installed[bundle] = installed(source())
        state.installations[bundle] = Installation()
        #expect(try standing(state, present: true, progress: .installing).update == .updating)
        state.installations[bundle]?.isAsked = true
        #expect(try standing(state, present: true).update == .updating)
        state.installations[bundle]?.isAsked = false
        state.installations[bundle]?.newer = "3"
        let available = try standing(state, present: true)
        #expect(available.update == .available)
        #expect(available.reasons.map(\.code) == ["Info.UpdateAvailable"])
        state.installations[bundle]?.failure = Installation.Failure(
            code: "Error.DownloadFailed", sentence: "no", at: now, attempts: 1, mayHeal: true, serverToken: "1")
        let failed = try standing(state, present: true)
        #expect(failed.state == .managed)
        #expect(failed.update == .failed)
        #expect(failed.reasons.map(\.code) == ["Error.UpdateFailed"])
    }

    // MARK: - With the declarations

    @Test func anAppThatNothingDeclaresAnyMoreLeavesAndOneManagedWhereItIsStays() {
        var state = state(source())
        state.installed[bundle] = installed(source())
        state.settle()
        #expect(state.installed[bundle]?.directory == "d1")
        var composed = state
        composed.applied.apps[bundle]?.manifest = nil
        composed.settle()
        composed.applied.apps = [:]
        composed.settle()
        #expect(composed.installed[bundle]?.directory == "d1")
        #expect(composed.leaving.isEmpty)
        // Declared by a manifest again, it goes with that.
        composed.applied.apps = state.applied.apps
        composed.settle()
        composed.applied.apps = [:]
        composed.settle()
        #expect(composed.installed.isEmpty)
        state.applied.apps = [:]
        state.settle()
        #expect(state.installed.isEmpty)
        #expect(state.leaving == [LeavingApp(bundleIdentifier: bundle, directory: "d1", reason: .removed)])
    }

    @Test func whoLeavesItsServerLeavesItsApps() {
        var state = state(source())
        state.installed[bundle] = installed(source())
        state.unenroll()
        #expect(state.installed.isEmpty)
        #expect(state.leaving.map(\.directory) == ["d1"])
    }

    @Test func aNewVersionMakesTheOldOneLeave() {
        var state = state(source())
        state.installed[bundle] = installed(source())
        state.install(installed(source(), version: "3", directory: "d2"), as: bundle)
        #expect(state.installed[bundle]?.version == "3")
        #expect(state.leaving == [LeavingApp(bundleIdentifier: bundle, directory: "d1", reason: .replaced)])
    }

    @Test func aSignatureIsJudgedAgainWithOtherTeams() {
        var state = failed(attempts: 1, mayHeal: false)
        var applied = state.applied
        applied.teams = [Data([1])]
        state.hold(applied)
        #expect(next(state) == nil)
        state.installations[bundle]?.failure = Installation.Failure(
            code: "Error.InvalidCodeSignature", sentence: "no", at: now, attempts: 1, mayHeal: false, serverToken: "1")
        state.hold(applied)
        #expect(next(state) == nil)
        applied.teams = [Data([2])]
        state.hold(applied)
        #expect(next(state) == .install(bundle: bundle))
    }

    @Test func whatIsInstalledIsReadAsItWasWritten() throws {
        var state = failed(attempts: 3, mayHeal: true)
        state.installed[bundle] = installed(source())
        state.leaving = [LeavingApp(bundleIdentifier: bundle, directory: "d0", reason: .replaced)]
        state.applied.teams = [Data([0x30])]
        state.applied.manifests["cfg"] = KnownManifest(
            AppManifest(
                bundleIdentifier: bundle, bundleVersion: "2", title: "App", url: "https://server/p", check: .none),
            serverToken: "1")
        #expect(try JSONDecoder().decode(AgentState.self, from: JSONEncoder().encode(state)) == state)
    }
}
