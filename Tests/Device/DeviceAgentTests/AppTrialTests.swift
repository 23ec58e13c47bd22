import AppMessages
import CLinux
import DeviceAgent
import DeviceMessages
import Foundation
import Testing

/// Trials as the agent deals with them: who is sent a candidate, whose word counts, and for how long.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct AppTrialTests {
    /// The longest that a trial may take.
    private static let minute: UInt64 = 60_000_000_000

    /// A minute is over when a test says so: a busy machine may outlast it.
    private let clock = UptimeClock()

    private static let trial = TryConfiguration(app: Fixture.app, configuration: Data("candidate".utf8))

    private func fixture(_ state: AppState = AppState(managed: true, synchronised: true)) throws -> Fixture {
        let fixture = try Fixture(ourselves: true, clock: clock)
        fixture.service.update([Fixture.app: state])
        return fixture
    }

    /// What a stream tells next; waited for on a thread of its own, since others are at work meanwhile.
    private func state(_ socket: AppSocket) async throws -> ConfigurationState {
        let message = try await withCheckedThrowingContinuation { (done: CheckedContinuation<Data, any Error>) in
            nonisolated(unsafe) let socket = socket
            Thread.detachNewThread { done.resume(with: Result { try unsafe socket.next() }) }
        }
        return try VarlinkReply<ConfigurationState>(parsing: message).result.get()
    }

    /// A stream that takes trials, after its first news.
    private func stream(_ fixture: Fixture, trials: Bool = true) async throws -> AppSocket {
        let socket = try AppSocket(fixture)
        try socket.send(.watchConfiguration(trials: trials))
        #expect(try await state(socket).trial == nil)
        return socket
    }

    /// The candidate comes beside the state, which is what it was.
    @Test func theCandidateComesOnTheStreamAndTheAppsWordGoesBack() async throws {
        let real = AppState(managed: true, synchronised: true, configuration: Data("real".utf8), generation: 7)
        let fixture = try fixture(real)
        let stream = try await stream(fixture)
        async let verdict = fixture.service.attempt(Self.trial, within: 60)
        let news = try await state(stream)
        let trial = try #require(news.trial)
        #expect(trial.configuration == Data("candidate".utf8) && trial.seconds == 60)
        #expect(news.configuration == real.configuration && news.version == real.version && news.generation == 7)
        let outcome = TrialOutcome(
            trial: trial.identifier, verdict: .refused, code: 100, message: "m", keyPath: "a.b", keyPathSupplied: true,
            type: "T")
        _ = try AppSocket(fixture).ask(.reportTrial(outcome), Varlink.Nothing.self).get()
        #expect(
            await verdict
                == .refused(
                    TrialRefusal(code: 100, message: "m", keyPath: "a.b", keyPathSupplied: true, type: "T")))
        // Once: what the stream tells afterwards has no trial.
        fixture.service.update([Fixture.app: AppState(managed: true, synchronised: true)])
        #expect(try await state(stream).trial == nil)
    }

    /// A library that does not ask for trials, and what reads over HTTP, are sent none.
    @Test func whoDoesNotAskForTrialsIsSentNone() async throws {
        let fixture = try fixture()
        let old = try await stream(fixture, trials: false)
        #expect(await fixture.service.attempt(Self.trial) == .untried(.unsupported))
        fixture.service.update([Fixture.app: AppState(managed: true, synchronised: true, generation: 2)])
        let news = try await state(old)
        #expect(news.generation == 2 && news.trial == nil)
    }

    /// What reads over HTTP decodes nothing that could be asked.
    @Test func whatReadsOverHTTPIsSentNone() async throws {
        let fixture = try fixture()
        let descriptor = unsafe clinux_connect(fixture.root.path + "/app-http.socket")
        defer { close(descriptor) }
        // The service has seen the connection once it has answered on it.
        let request = Data("nonsense\r\n\r\n".utf8)
        _ = unsafe request.withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe clinux_send(descriptor, $0, bytes.count) }
        }
        var first: UInt8 = 0
        #expect(unsafe clinux_read(descriptor, &first, 1, 240_000) == 1)
        #expect(await fixture.service.attempt(Self.trial) == .untried(.unsupported))
    }

    /// An extension is asked as itself; a restricted one not before it may have what is meant for it.
    @Test func anExtensionTriesWhatIsMeantForIt() async throws {
        let fixture = try Fixture(
            ourselves: true, role: ExtensionRole(app: "com.example.whole", isRestricted: true), clock: clock)
        let name = ExtensionName(app: "com.example.whole", identifier: Fixture.app)
        let managed = AppState(managed: true, synchronised: true)
        func tell(_ fullAccess: Set<ExtensionName>) {
            fixture.service.update(
                AppStates(apps: [name.app: managed], extensions: [name: managed], fullAccess: fullAccess))
        }
        let trial = TryConfiguration(app: name.app, extension: name.identifier, configuration: Data("c".utf8))
        tell([])
        let stream = try await stream(fixture)
        #expect(await fixture.service.attempt(trial) == .untried(.needsFullAccess))
        tell([name])
        #expect(try await state(stream).needsFullAccess == false)
        async let verdict = fixture.service.attempt(trial, within: 60)
        let sent = try #require(try await state(stream).trial)
        let outcome = TrialOutcome(trial: sent.identifier, verdict: .accepted)
        _ = try AppSocket(fixture).ask(.reportTrial(outcome), Varlink.Nothing.self).get()
        #expect(await verdict == .accepted)
        let whole = TryConfiguration(app: name.app, configuration: Data())
        #expect(await fixture.service.attempt(whole) == .untried(.notRunning), "an extension is not its app")
    }

    @Test func anAppHasTwiceTheTimeOfADecoder() { #expect(TrialTime.seconds == 10) }

    @Test func whatIsNotThereIsSaid() async throws {
        let fixture = try fixture()
        #expect(await fixture.service.attempt(Self.trial) == .untried(.notIterating))
        let other = TryConfiguration(app: "com.example.other", configuration: Data())
        #expect(await fixture.service.attempt(other) == .untried(.notRunning))
        let part = TryConfiguration(app: Fixture.app, extension: "com.example.part", configuration: Data())
        let stream = try await stream(fixture)
        #expect(await fixture.service.attempt(part) == .untried(.notRunning), "an app is not its extension")
        fixture.service.update([:])
        #expect(try await state(stream).managed == false)
        #expect(await fixture.service.attempt(Self.trial) == .untried(.notManaged))
    }

    /// The agent ignores an answer from another process, for another trial, or that comes too late.
    @Test func onlyTheWordOfWhoWasAskedCounts() async throws {
        let fixture = try fixture()
        let stream = try await stream(fixture)
        async let verdict = fixture.service.attempt(Self.trial, within: 60)
        let trial = try #require(try await state(stream).trial)
        let wrong = TrialOutcome(trial: "another", verdict: .accepted)
        _ = try AppSocket(fixture).ask(.reportTrial(wrong), Varlink.Nothing.self).get()
        let call =
            #"{"method":"dev.martlet.App.ReportTrial","parameters":{"trial":"\#(trial.identifier)","verdict":"accepted"}}"#
        #expect(
            try await fixture.run("printf '\(call)\\000' >&3; head -c 16 <&3").hasPrefix(#"{"parameters":{}"#))
        clock.advance(by: Self.minute)
        _ = await fixture.service.answers()
        #expect(await verdict == .untried(.timedOut))
        let late = TrialOutcome(trial: trial.identifier, verdict: .accepted)
        _ = try AppSocket(fixture).ask(.reportTrial(late), Varlink.Nothing.self).get()
    }

    @Test func anAppThatGoesAwayWhileItTriesIsSaid() async throws {
        let fixture = try fixture()
        let stream = try await stream(fixture)
        async let verdict = fixture.service.attempt(Self.trial, within: 60)
        #expect(try await state(stream).trial != nil)
        stream.hangUp()
        #expect(await verdict == .untried(.ended))
    }

    /// Every stream is asked; one refusal is the answer, even if others accept.
    @Test func everyStreamIsAskedAndAnyRefusalCounts() async throws {
        let fixture = try fixture()
        let streams = [try await stream(fixture), try await stream(fixture)]
        async let verdict = fixture.service.attempt(Self.trial, within: 60)
        let trials = [try #require(try await state(streams[0]).trial), try #require(try await state(streams[1]).trial)]
        #expect(trials[0].identifier != trials[1].identifier)
        let words = try AppSocket(fixture)
        for (trial, verdict) in zip(trials, [TrialOutcome.Verdict.refused, .accepted]) {
            let outcome = TrialOutcome(trial: trial.identifier, verdict: verdict, code: verdict == .refused ? 5 : nil)
            _ = try words.ask(.reportTrial(outcome), Varlink.Nothing.self).get()
        }
        #expect(await verdict == .refused(TrialRefusal(code: 5)))
    }

    /// A person who has the device leave its server does not wait for an app.
    @Test func whoDoesNotWaitAnyMoreIsAnsweredAtOnce() async throws {
        let fixture = try fixture()
        let stream = try await stream(fixture)
        let waiting = Task { await fixture.service.attempt(Self.trial, within: 60) }
        #expect(try await state(stream).trial != nil)
        waiting.cancel()
        // A wait for the app would never end, because the clock stands still.
        #expect(await waiting.value == .untried(.ended))
    }

    /// Nothing of a candidate is ever written down.
    @Test func theCandidateIsInMemoryAlone() async throws {
        let fixture = try fixture()
        let stream = try await stream(fixture)
        async let verdict = fixture.service.attempt(Self.trial, within: 60)
        #expect(try await state(stream).trial != nil)
        clock.advance(by: Self.minute)
        _ = await fixture.service.answers()
        #expect(await verdict == .untried(.timedOut))
        let files = try #require(FileManager.default.enumerator(at: fixture.root, includingPropertiesForKeys: nil))
        for case let file as URL in files {
            let content = (try? Data(contentsOf: file)) ?? Data()
            #expect(content.range(of: Self.trial.configuration) == nil, "\(file.lastPathComponent)")
        }
    }
}
