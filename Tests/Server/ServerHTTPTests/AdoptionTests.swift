import AdminMessages
import AsyncHTTPClient
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// How versions of a configuration come to devices, by what these report of the declarations that they were sent.
struct AdoptionTests {
    private static let place = "/apps/org.swift.landmarks/configurations/default"

    private static func with(
        _ clock: TestClock, _ test: (AdminClient, PlayedDevice, ConsoleBrowser) async throws -> Void
    ) async throws {
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await ConsoleBrowser.with(server) { (browser) async throws in
                        try await test(admin, device, browser)
                    }
                }
            }
        }
    }

    /// Fetches what the device is told of, and reports on the assets that it got.
    private static func synchronize(_ device: PlayedDevice, valid: DeclarationStatus.Validity = .valid) async throws {
        let items = try DeclarationItems(parsing: await device.ask(.declarationItems).body)
        var statuses = DeclarationStatuses()
        statuses.assets = items.assets.map { item in
            DeclarationStatus(identifier: item.identifier, serverToken: item.serverToken, active: true, valid: valid)
        }
        var report = StatusReport(fullReport: true)
        report.set(statuses.value, at: DeclarationStatuses.name)
        try #require(try await device.ask(.status, report.encoded()).status == 200)
    }

    @Test func aVersionIsCountedOnceADeviceSaysThatItHasIt() async throws {
        let clock = TestClock(stands: true)
        try await Self.with(clock) { (admin, device, browser) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
            func adoption() async throws -> ConfigurationAdoption { try await admin.get(Self.place + "/adoption") }
            #expect(try await adoption().versions.isEmpty)
            try await Self.synchronize(device, valid: .invalid)
            #expect(try await adoption().versions.isEmpty, "what could not be fetched is not there")
            try await Self.synchronize(device)
            #expect(try await adoption().versions == [.init(version: 1, devices: 1)])
            clock.advance(by: 2 * 3_600)
            let second = AdminClient.configuration(title: "two")
            try #require(try await admin.send("PUT", Self.place, body: second).status == 200)
            #expect(try await adoption().versions == [.init(version: 1, devices: 1)], "the device has the old one yet")
            try await Self.synchronize(device)
            let after = try await adoption()
            #expect(after.versions == [.init(version: 2, devices: 1), .init(version: 1, devices: 0)])
            #expect(after.points.map(\.devices) == [1, 0, 1] && after.points.map(\.version) == [1, 1, 2])
            #expect(try await admin.send("GET", Self.place + "x/adoption").status == 404)

            try await browser.signIn()
            let page = try await browser.get("/console" + Self.place).text
            #expect(page.contains("<figure class=\"chart\" aria-hidden=\"true\">"), "\(page)")
            #expect(page.contains("<caption>Devices by version</caption>") && page.contains("Version 2"))
            let lines = page.matches(of: /<path class="line-([0-9])" d="(M[^"]+)"/).filter { $0.2 != "M0 4H32" }
            #expect(lines.map(\.1) == ["0", "1"] && lines.allSatisfy { $0.2.wholeMatch(of: /[MHV0-9 ]+/) != nil })
            #expect(lines.map { $0.2.suffix(5) } == ["H1000", "H1000"], "both reach now")
        }
    }

    /// Red where only what the framework gives an app was looked for.
    @Test(arguments: Delivery.allCases)
    func aConfigurationIsCountedAsWhateverItIsDelivered(delivery: Delivery) async throws {
        try await Self.with(TestClock()) { (admin, device, _) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
            let wish = AssignmentRequest(configuration: "default", delivery: delivery.rawValue)
            let sent = try await admin.send("PUT", "/assignments/teachers/org.swift.landmarks", wish)
            try #require(sent.status == 200, "\(sent.text)")
            try await Self.synchronize(device)
            let found: ConfigurationAdoption = try await admin.get(Self.place + "/adoption")
            #expect(found.versions == [.init(version: 1, devices: 1)])
        }
    }

    /// What devices are given with their own values in it is counted by what is assigned, its bytes being nobody else's.
    @Test func aConfigurationWithVariablesIsCountedToo() async throws {
        try await Self.with(TestClock()) { (admin, device, _) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "${device.name}"))
            try await Self.synchronize(device)
            let found: ConfigurationAdoption = try await admin.get(Self.place + "/adoption")
            #expect(found.versions == [.init(version: 1, devices: 1)])
        }
    }

    /// S4-FLOW-04: what an extension has is counted under its name, and no more once it has nothing.
    @Test func theConfigurationOfAnExtensionIsCountedByItself() async throws {
        try await Self.with(TestClock(stands: true)) { (admin, device, browser) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "app"))
            let tunnel = "org.swift.landmarks.tunnel"
            let its = "/apps/org.swift.landmarks/configurations/tunnel"
            let bytes = AdminClient.configuration(title: "tunnel")
            try #require(try await admin.send("PUT", its, body: bytes).status == 200)
            func assign(_ wish: AssignmentRequest) async throws {
                let sent = try await admin.send("PUT", "/assignments/teachers/org.swift.landmarks", wish)
                try #require(sent.status == 200, "\(sent.text)")
            }
            func versions(_ place: String) async throws -> [ConfigurationAdoption.Version] {
                let found: ConfigurationAdoption = try await admin.get(place + "/adoption")
                return found.versions
            }
            try await assign(AssignmentRequest(configuration: "default", extensions: [tunnel: "tunnel"]))
            try await Self.synchronize(device)
            #expect(try await versions(Self.place) == [.init(version: 1, devices: 1)])
            #expect(try await versions(its) == [.init(extension: tunnel, version: 1, devices: 1)])

            try await assign(AssignmentRequest(configuration: "default", extensions: [tunnel: "default"]))
            try await Self.synchronize(device)
            let both: [ConfigurationAdoption.Version] = [
                .init(version: 1, devices: 1), .init(extension: tunnel, version: 1, devices: 1),
            ]
            #expect(try await versions(Self.place) == both)
            #expect(try await versions(its) == [.init(extension: tunnel, version: 1, devices: 0)])
            try await browser.signIn()
            let page = try await browser.get("/console" + Self.place).text
            #expect(page.contains("<caption>Devices by version</caption>"), "\(page)")
            #expect(page.contains("<h3>The extension <code>\(tunnel)</code></h3>"))
            #expect(page.contains("<caption>Devices by version, of the extension \(tunnel)</caption>"))

            try await assign(AssignmentRequest(configuration: nil, extensions: [tunnel: "default"]))
            try await Self.synchronize(device)
            let alone = try await versions(Self.place)
            #expect(alone == [.init(version: 1, devices: 0), .init(extension: tunnel, version: 1, devices: 1)])
        }
    }
}
