import AdminMessages
import CertificateAuthority
import DeviceMessages
import Foundation
import Management
import ServerHTTP
import ServiceLifecycle
import Testing
import Waiting

/// What changes, told while it happens.
@Suite(.timeLimit(.minutes(10))) struct EventTests {
    /// Heartbeats after the end of any test: what is told is told because of the change.
    private static let withoutHeartbeat = {
        var limits = ServerLimits.patient
        limits.eventHeartbeat = .seconds(3_600)
        return limits
    }()

    private func group(_ name: String, _ admin: AdminClient) async throws {
        #expect(try await admin.send("POST", "/groups", Group(name: name)).status == 201)
    }

    private func withAdmin(
        _ limits: ServerLimits = .patient, clock: TestClock = TestClock(), changes: ChangeHub.Bounds = .init(),
        _ test: (TestServer, AdminClient) async throws -> Void
    ) async throws {
        try await TestServer.run(limits: limits, clock: clock, changes: changes) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in try await test(server, admin) }
        }
    }

    @Test func aListenerHearsOfAChangeAndGoesOnWhereItEnded() async throws {
        try await withAdmin { (server, admin) async throws in
            var last = ""
            try await EventListener.with(server, as: admin) { (listener) async throws in
                try await group("one", admin)
                let event = try #require(await listener.change("group.create"))
                #expect(event.group == "one" && event.actor == "administrator:admin" && event.sequence != nil)
                last = event.id
            }
            try await group("two", admin)
            try await group("three", admin)
            try await EventListener.with(server, as: admin, after: last) { (listener) async throws in
                #expect(await listener.change("group.create")?.group == "two")
                #expect(await listener.change("group.create")?.group == "three")
            }
            try await eventually("nobody listens any more") { server.server.openListeners == 0 }
        }
    }

    /// Who asks what came after an event is told all that was answered before they asked.
    @Test func whatWasAnsweredIsToldToWhoAsksNext() async throws {
        try await withAdmin { (server, admin) async throws in
            let start = try await admin.place()
            for number in 1...40 {
                try await group("g\(number)", admin)
                let told = try await admin.events(after: start).changes
                #expect(told.count == number && told.last?.group == "g\(number)")
            }
        }
    }

    /// What was told is not told again, and what was missed is not passed over in silence.
    @Test func whoWasAwayTooLongIsToldThatSomeAreMissing() async throws {
        var bounds = ChangeHub.Bounds()
        bounds.window = 4
        try await withAdmin(changes: bounds) { (server, admin) async throws in
            let start = try await admin.place()
            for number in 1...3 { try await group("g\(number)", admin) }
            let few = try await admin.events(after: start, until: "group.create")
            #expect(few.allSatisfy { $0.kind == "group.create" })
            for number in 4...9 { try await group("g\(number)", admin) }
            try await eventually("the place is too old") { try await admin.events(after: start).isReset }
            let missed = try await admin.events(after: start)
            #expect(missed.changes == [] && missed.id != start)
            #expect(try await admin.events(after: missed.id).isReset == false)
            // Another process counted those, or nobody did.
            for id in ["aaaaaaaaaaaaaaaa-3", "3", "", "nothing"] {
                let answer = try await admin.events(after: id)
                #expect(answer.isReset == true && answer.changes == [], "\(id)")
            }
        }
    }

    @Test func onlyWhatWasAskedForIsTold() async throws {
        try await withAdmin { (server, admin) async throws in
            let start = try await admin.place()
            try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
            _ = try await admin.send("PUT", "/apps/a.b", App(bundleIdentifier: "a.b", name: "N"))
            let all = try await admin.events(after: start, until: "assignment.set").map(\.kind)
            #expect(
                all == ["group.create", "app.set", "configuration.set", "assignment.set"]
                    || all == ["group.create", "app.set", "configuration.set", "assignment.set", "app.set"])
            try await eventually("all five are told") {
                try await admin.events(after: start).changes.count == 5
            }
            func kinds(_ query: String) async throws -> [String] {
                try await admin.events(after: start, query).changes.map(\.kind)
            }
            #expect(try await kinds("&kind=configuration,group.create") == ["group.create", "configuration.set"])
            #expect(try await kinds("&app=a.b") == ["app.set"])
            #expect(try await kinds("&device=x") == [])
            let many = "kind=" + Array(repeating: "team", count: 65).joined(separator: ",")
            for query in ["kind=config", "kind=nothing", "kind=group.creat", "follow=perhaps", many] {
                #expect(try await admin.send("GET", "/events?\(query)").status == 400, "\(query)")
            }
        }
    }

    /// A reader hears of no log-in and not who did what; an owner of apps of theirs alone; and nobody of any value.
    @Test func eachHearsOfWhatTheyMayRead() async throws {
        try await withAdmin { (server, admin) async throws in
            let reader = try await admin.loggedIn("rita", AdministratorRequest(name: "rita", role: .reader))
            let owner = try await admin.loggedIn(
                "otto",
                AdministratorRequest(
                    name: "otto", role: .appOwner, apps: ["org.swift.landmarks"], groups: ["teachers"]))
            let start = try await admin.place()
            try await admin.assignLandmarks(AdminClient.configuration(title: "planted-title"))
            try await group("others", admin)
            _ = try await admin.send("PUT", "/apps/a.b", App(bundleIdentifier: "a.b", name: "N"))
            let secret = SecretRequest.password(PasswordSecret(userName: "planted-user", password: "planted-word"))
            #expect(try await admin.send("PUT", "/secrets/wifi", secret).status < 300)
            _ = try await admin.send("POST", "/session", SessionRequest(name: "admin", password: AdminClient.password))
            let all = try await admin.events(after: start, until: "session.open")
            #expect(all.map(\.kind).contains("secret.set") && all.allSatisfy { $0.actor != nil })
            let read = try await reader.events(after: start).changes
            #expect(read.map(\.kind) == all.map(\.kind).filter { !$0.hasPrefix("session.") })
            #expect(read.allSatisfy { $0.actor == nil && $0.sequence == nil })
            let owned = try await owner.events(after: start).changes
            #expect(owned.map(\.kind) == ["group.create", "app.set", "configuration.set", "assignment.set"])
            #expect(owned.allSatisfy { $0.app ?? "org.swift.landmarks" == "org.swift.landmarks" })
            #expect(!"\(all)".contains("planted"))
        }
    }

    /// From its beginning to its end, for those who may see what others do; it has no value, and no entry of the log.
    @Test func howFarAJobIsIsTold() async throws {
        try await withAdmin { (server, admin) async throws in
            let reader = try await admin.loggedIn("rita", AdministratorRequest(name: "rita", role: .reader))
            let start = try await admin.place()
            let asked = try await admin.send("POST", "/audit/verification")
            let job = try AdminJSON.decode(Job.self, from: asked.body).id
            #expect(try await admin.ended("/jobs/\(job)").state == "done")
            try await eventually("the job's course is told") {
                try await admin.events(after: start, "&kind=job").changes.count >= 2
            }
            let told = try await admin.events(after: start, "&kind=job.progress").changes
            #expect(told.allSatisfy { $0.kind == "job.progress" && $0.name == job && $0.sequence == nil })
            #expect(try await reader.events(after: start).changes == [])
            try await server.keepWaiting("waiting", of: "admin")
            let place = try await admin.place()
            #expect(try await admin.send("DELETE", "/jobs/waiting").status == 204)
            try await eventually("the end of the waiting job is told") {
                try await admin.events(after: place, "&kind=job.progress").changes.map(\.name).contains("waiting")
            }
        }
    }

    /// What may be heard follows the role at that moment, also on a stream that is open already.
    @Test func aChangeOfRoleHoldsOnAnOpenStream() async throws {
        try await withAdmin(Self.withoutHeartbeat) { (server, admin) async throws in
            let other = try await admin.loggedIn("rita", AdministratorRequest(name: "rita", role: .auditor))
            try await EventListener.with(server, as: other) { (listener) async throws in
                try await group("one", admin)
                #expect(await listener.change("group.create")?.actor == "administrator:admin")
                #expect(
                    try await admin.send("PUT", "/administrators/rita", RightsRequest(role: .reader)).status == 200)
                try await group("two", admin)
                guard case .change(let next) = await listener.next() else {
                    Issue.record("the stream goes on")
                    return
                }
                #expect(next.kind == "group.create" && next.group == "two" && next.actor == nil)
            }
        }
    }

    /// By a log-out, by the end of a token, by the end of whom it belongs to: nothing more is told.
    @Test func aStreamEndsWithItsSessionOrToken() async throws {
        try await withAdmin(Self.withoutHeartbeat) { (server, admin) async throws in
            let other = try await admin.loggedIn("ben", AdministratorRequest(name: "ben", role: .reader))
            try await EventListener.with(server, as: other) { (listener) async throws in
                #expect(try await other.send("DELETE", "/session").status == 204)
                await listener.untilTheEnd()
            }
            let wish = TokenRequest(name: "listener", validSeconds: 600, role: .reader, readOnly: true)
            let made = try AdminJSON.decode(
                TokenAnswer.self, from: try await admin.send("POST", "/tokens", wish).body)
            let program = AdminClient(client: admin.client, base: admin.base, token: made.token)
            try await EventListener.with(server, as: program) { (listener) async throws in
                try await group("one", admin)
                #expect(await listener.change("group.create")?.group == "one")
                #expect(try await admin.send("DELETE", "/tokens/\(made.summary.id)").status == 204)
                await listener.untilTheEnd()
            }
            #expect(try await program.send("GET", "/events?follow=false").status == 401)
        }
    }

    /// Whoever ends one's sessions from elsewhere, or has one choose another password, ends one's streams.
    @Test func aStreamEndsWhenItsSessionIsEndedByAnother() async throws {
        try await withAdmin(Self.withoutHeartbeat) { (server, admin) async throws in
            let first = try await admin.loggedIn("ben", AdministratorRequest(name: "ben", role: .reader))
            let opened = try await admin.send(
                "POST", "/session", SessionRequest(name: "ben", password: AdminClient.password))
            let token = try AdminJSON.decode(SessionAnswer.self, from: opened.body).token
            let second = AdminClient(client: admin.client, base: admin.base, token: token)
            try await EventListener.with(server, as: first) { (listener) async throws in
                #expect(try await second.send("DELETE", "/sessions").status == 204)
                await listener.untilTheEnd()
            }
            try await EventListener.with(server, as: second) { (listener) async throws in
                #expect(try await admin.send("POST", "/administrators/ben/password").status < 300)
                await listener.untilTheEnd()
            }
        }
    }

    /// A session that ends by its time ends its stream at the next heartbeat, and hears of nothing after.
    @Test func aStreamEndsWhenTheTimeOfItsSessionIsOver() async throws {
        var limits = ServerLimits.patient
        limits.eventHeartbeat = .milliseconds(200)
        let clock = TestClock(stands: true)
        try await withAdmin(limits, clock: clock) { (server, admin) async throws in
            try await EventListener.with(server, as: admin) { (listener) async throws in
                #expect(await listener.anything() == .heartbeat)
                clock.advance(by: 13 * 3_600)
                await listener.untilTheEnd()
            }
        }
    }

    /// Who hears of nothing for long still knows where they are.
    @Test func aHeartbeatTellsWhereTheListenerIs() async throws {
        var limits = ServerLimits.patient
        limits.eventHeartbeat = .milliseconds(200)
        try await withAdmin(limits) { (server, admin) async throws in
            try await EventListener.with(server, as: admin, "?kind=team") { (listener) async throws in
                try await group("one", admin)
                var place: String?
                while place == nil {
                    if case .place(let id) = try #require(await listener.anything()) { place = id }
                }
                let later = try await admin.events(after: place ?? "none")
                #expect(!later.isReset && later.changes == [])
            }
        }
    }

    @Test func noMoreListenThanMay() async throws {
        var bounds = ChangeHub.Bounds()
        bounds.ofOne = 1
        try await withAdmin(changes: bounds) { (server, admin) async throws in
            try await EventListener.with(server, as: admin) { (_) async throws in
                let second = try await admin.send("GET", "/events")
                #expect(second.status == 503 && second.text.contains("too-many-listeners"))
                #expect(second.headers["retry-after"] == "30")
                // A17: whichever of their API tokens they show, it is the same administrator who listens.
                let wish = TokenRequest(name: "builds", validSeconds: 3_600, role: .reader)
                let made = try await admin.send("POST", "/tokens", wish)
                let token = try AdminJSON.decode(TokenAnswer.self, from: made.body).token
                let program = AdminClient(client: admin.client, base: admin.base, token: token)
                #expect(try await program.send("GET", "/events").status == 503)
                let other = try await admin.loggedIn("rita", AdministratorRequest(name: "rita", role: .reader))
                try await EventListener.with(server, as: other) { _ in }
            }
            try await eventually("nobody listens any more") { server.server.openListeners == 0 }
            #expect(try await admin.send("GET", "/events?follow=false").status == 200)
        }
    }

    @Test func aStopEndsOpenStreams() async throws {
        try await withAdmin { (server, admin) async throws in
            try await EventListener.with(server, as: admin) { (listener) async throws in
                await server.group.triggerGracefulShutdown()
                await listener.untilTheEnd()
            }
        }
    }

    /// What a device does is told, too: that it fetched, reported, and has what it should have.
    @Test func aDevicesWayIsTold() async throws {
        try await withAdmin { (server, admin) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
            try await PlayedDevice.with(server, admin) { (device) async throws in
                let start = try await admin.place()
                _ = try await device.ask(.declarationItems)
                let status = #"{"StatusItems":{"device":{"model":{"family":"Test"}}},"Errors":[]}"#
                _ = try await device.ask(.status, Data(status.utf8))
                let told = try await admin.events(
                    after: start, until: "device.report", "&device=\(device.identifier.key)")
                #expect(told.map(\.kind).filter { $0 != "device.renew" } == ["device.fetch", "device.report"])
            }
        }
    }

    // MARK: The console

    /// A page hears what changes through the console, for whom its cookie belongs to.
    @Test func thePagesStreamIsTheApisForTheCookie() async throws {
        try await withAdmin { (server, admin) async throws in
            try await ConsoleBrowser.with(server) { (browser) async throws in
                #expect(try await browser.get("/console/live").status == 401)
                try await browser.signIn()
                let page = try await browser.get("/console").text
                let place = try #require(page.firstMatch(of: /data-after="([a-z2-7]+-[0-9]+)"/))
                #expect(page.contains(#"data-source="/console/live""#))
                try await group("one", admin)
                let cookie = ["Cookie": "__Host-martlet=\(browser.token ?? "")"]
                try await EventListener.with(
                    server, "/console/live?after=\(place.1)", headers: cookie
                ) { (listener) async throws in
                    #expect(await listener.change("group.create")?.group == "one")
                    #expect(try await browser.post("/console/sign-out").status == 303)
                    await listener.untilTheEnd()
                }
                #expect(try await browser.get("/console/live").status == 401)
            }
        }
    }
}
