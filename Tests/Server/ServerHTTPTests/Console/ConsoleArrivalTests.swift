import AdminMessages
import DeviceMessages
import Testing
import Waiting

/// Which changes the console's first page lists as on their way to devices.
struct ConsoleArrivalTests {
    /// A change is listed as long as a device lacks it; with the last such device gone, none lacks it.
    ///
    /// Red where the list also has changes that no device lacks.
    @Test func aChangeThatNoDeviceLacksIsNotOnItsWay() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await ConsoleBrowser.with(server) { (browser) async throws in
                        _ = try await browser.signIn()
                        try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                        try await Self.expectList(true, browser)
                        let ended = try await admin.send("DELETE", "/devices/\(device.identifier.key)")
                        #expect(ended.status == 204)
                        try await Self.expectList(false, browser)
                        let overview: Overview = try await admin.get("/overview")
                        #expect(overview.changes?.isEmpty == false, "programs see that it arrived")
                    }
                }
            }
        }
    }

    /// Red where only a device that leaves ends a change, and not the last one that took it.
    @Test func aChangeThatEveryDeviceTookIsNotOnItsWay() async throws {
        try await Self.run { (admin, device, browser) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
            try await Self.expectList(true, browser)
            try await Self.settle(device)
            try await Self.expectList(false, browser)
            let found = try await Self.journey("assignment.set", admin)
            let journey = try #require(found)
            #expect(journey.settled == 1 && journey.devices == 1, "programs see that it arrived")
        }
    }

    /// What was changed before a server started is not followed by it, so the page says since when it follows changes.
    ///
    /// Red where the page is silent with and without a change on its way.
    @Test func thePageSaysSinceWhenChangesAreFollowed() async throws {
        try await Self.run { (admin, device, browser) async throws in
            func saysIt() async throws -> Bool {
                try await browser.get("/console").text.contains("when the server started")
            }
            try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
            try await Self.expectList(true, browser)
            let saidOnTheWay = try await saysIt()
            #expect(saidOnTheWay)
            try await Self.settle(device)
            try await Self.expectList(false, browser)
            let saidThere = try await saysIt()
            #expect(saidThere)
            let overview: Overview = try await admin.get("/overview")
            #expect(overview.changesSince != nil)
        }
    }

    /// Red where a device that left counts still: a change that the other device lacks would be one that arrived.
    @Test func whatOnlyADeviceThatLeftHadIsOnItsWayStill() async throws {
        try await Self.run { (admin, device, browser) async throws in
            try await PlayedDevice.with(browser.server, admin, key: DeviceKeys.second()) { (other) async throws in
                try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                try await Self.settle(device)
                try await eventually("one of two has it") { () -> Bool in
                    let journey = try await Self.journey("assignment.set", admin)
                    return journey?.settled == 1 && journey?.devices == 2
                }
                #expect(try await admin.send("DELETE", "/devices/\(device.identifier.key)").status == 204)
                try await eventually("it is on its way to the other alone") { () -> Bool in
                    try await Self.journey("assignment.set", admin)?.devices == 1
                }
                let found = try await Self.journey("assignment.set", admin)
                let journey = try #require(found)
                #expect(journey.settled == 0 && journey.fetched == 0 && !journey.hasArrived)
                try await Self.expectList(true, browser)
                try await Self.settle(other)
                try await Self.expectList(false, browser)
            }
        }
    }

    /// That it is taken from devices is on its way; its value is not any more.
    ///
    /// Red where the server goes on with the change of a secret that was deleted.
    @Test func aDeletedSecretIsNotOnItsWay() async throws {
        try await Self.run { (admin, _, browser) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
            let place = "/secret-assignments/teachers/org.swift.landmarks/password/wifi"
            for value in ["first", "second"] {
                let secret = SecretRequest.password(PasswordSecret(userName: "guest", password: value))
                let set = try await admin.send("PUT", "/secrets/wifi", secret)
                try #require(set.status == 200, "\(set.text)")
                let assigned = try await admin.send("PUT", place, SecretAssignmentRequest(secret: "wifi"))
                try #require(assigned.status == 200, "\(assigned.text)")
            }
            let words = "Secret wifi, version 2"
            try await eventually("the secret is on its way") { () -> Bool in
                try await browser.get("/console").text.contains(words)
            }
            #expect(try await admin.send("DELETE", place).status == 204)
            #expect(try await admin.send("DELETE", "/secrets/wifi").status == 204)
            try await eventually("the secret is on its way no more") { () -> Bool in
                try await Self.journey("secret.set", admin) == nil
            }
            #expect(try await browser.get("/console").text.contains(words) == false)
            let taken = try await Self.journey("secret.unassign", admin)
            #expect(taken != nil, "the device has it still")
        }
    }

    // MARK: help

    /// A server with one device, and a browser in which the administrator is signed in.
    private static func run(
        _ test: (AdminClient, PlayedDevice, ConsoleBrowser) async throws -> Void
    ) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await ConsoleBrowser.with(server) { (browser) async throws in
                        _ = try await browser.signIn()
                        try await test(admin, device, browser)
                    }
                }
            }
        }
    }

    private static func journey(_ kind: String, _ admin: AdminClient) async throws -> ChangeJourney? {
        let overview: Overview = try await admin.get("/overview")
        return overview.changes?.first { $0.kind == kind }
    }

    /// The device reports on exactly what it is given.
    private static func settle(_ device: PlayedDevice) async throws {
        let items = try DeclarationItems(parsing: await device.ask(.declarationItems).body)
        func told(_ kind: DeclarationKind) -> [DeclarationStatus] {
            items[kind].map { item in
                DeclarationStatus(
                    identifier: item.identifier, serverToken: item.serverToken, active: true, valid: .valid)
            }
        }
        var statuses = DeclarationStatuses()
        statuses.activations = told(.activation)
        statuses.assets = told(.asset)
        statuses.configurations = told(.configuration)
        statuses.management = told(.management)
        var report = StatusReport(fullReport: true)
        report.set(statuses.value, at: DeclarationStatuses.name)
        #expect(try await device.ask(.status, report.encoded()).status == 200)
    }

    private static func expectList(_ isThere: Bool, _ browser: ConsoleBrowser) async throws {
        try await eventually("the list of changes on their way is there: \(isThere)") { () -> Bool in
            try await browser.get("/console").text.contains("On the way to devices") == isThere
        }
    }
}
