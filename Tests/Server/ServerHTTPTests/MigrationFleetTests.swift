import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// S4-BP-09: a fleet moves from its defaults dictionaries to the framework while its devices come and go.
///
/// `make soak` plays 1,000 devices; the quick suite fewer.
@Suite(.timeLimit(.minutes(60)))
struct MigrationFleetTests {
    private static let fleet = ProcessInfo.processInfo.environment["MARTLET_MIGRATED_DEVICES"].flatMap(Int.init)
    private static let count = fleet ?? 24
    private static let groups = ["group-0", "group-1", "group-2", "group-3"]
    private static let app = "org.swift.landmarks"

    /// Stopped in the middle and begun again, one group rolled back and three finished: no device is ever without.
    ///
    /// Devices synchronize while an assignment changes, so that they see every instant of it.
    @Test func noDeviceIsWithoutItsConfigurationWhileItsFleetMoves() async throws {
        let clock = TestClock()
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                for group in Self.groups {
                    try await admin.assignLandmarks(AdminClient.configuration(title: "one"), group: group)
                    let wish = AssignmentRequest(configuration: "default", delivery: Delivery.defaults.rawValue)
                    let answer = try await admin.send("PUT", "/assignments/\(group)/\(Self.app)", wish)
                    try #require(answer.status == 200, "\(answer.text)")
                }
                let moment = clock.second - 3_600
                let new = (0..<Self.count).map { number in
                    KeepingDevice(UUID().uuidString, in: Self.groups[number % Self.groups.count])
                }
                var devices = try await KeepingDevice.each(new) { (device) async throws in
                    try await device.enroll(on: server, at: moment)
                    try await device.synchronize(with: server)
                }
                try Self.expect(["defaults"], on: devices)

                // The first run ends after two groups: what it knew is gone.
                let first = try await Self.plan(.start, admin)
                try #require(first.steps.map(\.group) == Self.groups)
                devices = try await Self.carryOut(Array(first.steps.prefix(2)), devices, server, admin)
                let second = try await Self.plan(.start, admin)
                #expect(second.steps == Array(first.steps.dropFirst(2)) && second.done == Array(Self.groups.prefix(2)))
                devices = try await Self.carryOut(second.steps, devices, server, admin)
                devices = try await Self.synchronized(devices, server)
                try Self.expect(["defaults", "framework"], on: devices)

                let back = try await Self.plan(.back, admin, groups: [Self.groups[3]])
                devices = try await Self.carryOut(back.steps, devices, server, admin)
                let finish = try await Self.plan(.finish, admin)
                #expect(finish.steps.map(\.group) == Array(Self.groups.prefix(3)))
                #expect(finish.leftOut.map(\.group) == [Self.groups[3]])
                devices = try await Self.carryOut(finish.steps, devices, server, admin)
                devices = try await Self.synchronized(devices, server)
                try Self.expect(["framework"], on: devices.filter { $0.group != Self.groups[3] })
                try Self.expect(["defaults"], on: devices.filter { $0.group == Self.groups[3] })
                #expect(try await Self.plan(.finish, admin).steps.isEmpty)
            }
        }
    }

    // MARK: The administrator

    private static func plan(
        _ goal: MigrationGoal, _ admin: AdminClient, groups: Set<String>? = nil
    ) async throws -> MigrationPlan {
        let page: AdminMessages.Page<AdminMessages.Assignment> = try await admin.get("/assignments?app=\(app)")
        return MigrationPlan(page.items, to: goal, groups: groups)
    }

    /// Changes one group after the other on what is there, while all devices synchronize.
    private static func carryOut(
        _ steps: [MigrationPlan.Step], _ devices: [KeepingDevice], _ server: TestServer, _ admin: AdminClient
    ) async throws -> [KeepingDevice] {
        var present = devices
        for step in steps {
            let before = present
            async let after = synchronized(before, server)
            try await change(step, admin)
            present = try await after
            for device in present {
                let channels = try channels(of: device)
                #expect(!channels.isEmpty && Set(channels.values) == ["one"], "\(device.id) in \(device.group)")
            }
        }
        return present
    }

    private static func change(_ step: MigrationPlan.Step, _ admin: AdminClient) async throws {
        let place = "/assignments/\(step.group)/\(app)"
        let seen = try await admin.send("GET", place)
        let tag = try #require(seen.headers["etag"])
        let patch = try AdminJSON.encode(AssignmentPatch(delivery: .becomes(step.to.rawValue)))
        let headers = ["Content-Type": "application/merge-patch+json", "If-Match": tag]
        let answer = try await admin.send("PATCH", place, headers: headers, body: patch)
        #expect(answer.status == 200, "\(answer.text)")
    }

    // MARK: The devices

    private static func synchronized(
        _ devices: [KeepingDevice], _ server: TestServer
    ) async throws -> [KeepingDevice] {
        try await KeepingDevice.each(devices) { (device) async throws in try await device.synchronize(with: server) }
    }

    /// The title that the app finds in each way in which it is given a configuration.
    private static func channels(of device: KeepingDevice) throws -> [String: String] {
        var found: [String: String] = [:]
        for kept in device.kept.values where kept.declaration.type == AppManagedConfiguration.type {
            let given = try kept.declaration.read(AppManagedConfiguration.self)
            let references: [(String, String?)] = [
                ("framework", given.appConfig?.dataAssetReference), ("defaults", given.legacyAppConfigAssetReference),
            ]
            for (channel, reference) in references {
                guard let document = reference.flatMap({ device.kept[$0]?.document }) else { continue }
                found[channel] = try PropertyListValue(parsing: document, limits: .message)["title"]?.string
            }
        }
        return found
    }

    private static func expect(_ wanted: [String], on devices: [KeepingDevice]) throws {
        #expect(!devices.isEmpty)
        for device in devices {
            let channels = try channels(of: device)
            #expect(channels.keys.sorted() == wanted && Set(channels.values) == ["one"], "\(device.group)")
        }
    }
}
