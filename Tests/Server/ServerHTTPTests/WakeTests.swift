import AdminMessages
import AsyncHTTPClient
import DeviceMessages
import Foundation
import Management
import NIOCore
import NIOHTTP1
import ServerHTTP
import ServiceLifecycle
import Testing
import Waiting

/// The stream on which devices hear that they should connect.
@Suite struct WakeTests {
    /// Heartbeats between say nothing.
    @Test func aChangeWakesTheDeviceOnceAndSaysOnlyThePushMagic() async throws {
        try await withDevice(Self.beatingOften) { (server, admin, device) async throws in
            try await listening(server, device) { (lines) async throws in
                // Nothing was told to it yet.
                #expect(await lines.wake() == #"{"mdm":"magic"}"#)
                try await synchronize(device)
                try await admin.assignLandmarks(AdminClient.configuration(title: "changed"))
                #expect(await lines.wake() == #"{"mdm":"magic"}"#)
                for _ in 0..<2 { #expect(await lines.next() == "") }
            }
        }
    }

    @Test func anIdleStreamBeats() async throws {
        try await withDevice(Self.beatingOften) { (server, _, device) async throws in
            try await synchronize(device)
            try await listening(server, device) { (lines) async throws in
                for _ in 0..<2 { #expect(await lines.next() == "") }
            }
        }
    }

    /// Red where only requests of a device count: one that listens and has nothing to ask seemed to be away.
    @Test func aDeviceThatListensIsSeen() async throws {
        let clock = TestClock()
        try await withDevice(Self.beatingOften, clock) { (server, _, device) async throws in
            try await listening(server, device) { (lines) async throws in
                _ = await lines.wake()
                let key = device.identifier.key
                let before = try #require(await server.management.device(key)?.lastSeen)
                clock.advance(by: 1_800)
                try await eventually("the device is seen by its stream") { () -> Bool in
                    guard let latest = try await server.management.device(key)?.lastSeen else { return false }
                    return latest >= before + 1_800
                }
            }
        }
    }

    /// By default a stream's first heartbeat is due at any moment of its first minute.
    private static let beatingOften = {
        var limits = ServerLimits.patient
        limits.heartbeat = .milliseconds(200)
        return limits
    }()

    @Test func aSignatureDoesNotOpenAStream() async throws {
        try await withDevice { (server, _, device) async throws in
            let answer = try await device.client.send(
                "GET", server.baseURL + "/mdm/wake", headers: ["Mdm-Signature": device.sign(Data())])
            #expect(answer.status == 400)
        }
    }

    @Test func aStreamIsForgottenWhenItsDeviceGoesAway() async throws {
        try await withDevice { (server, _, device) async throws in
            try await listening(server, device) { (lines) async throws in
                _ = await lines.wake()
                #expect(server.server.openStreams == 1)
            }
            try await eventually("the stream is forgotten") { server.server.openStreams == 0 }
        }
    }

    @Test func theNewestStreamOfADeviceCounts() async throws {
        try await withDevice(Self.beatingOften) { (server, _, device) async throws in
            try await listening(server, device) { (first) async throws in
                _ = await first.wake()
                try await listening(server, device) { (second) async throws in
                    _ = await second.wake()
                    #expect(await first.wake() == nil)
                }
            }
        }
    }

    @Test func aWithdrawnDevicesStreamEnds() async throws {
        try await withDevice { (server, admin, device) async throws in
            try await listening(server, device) { (lines) async throws in
                _ = await lines.wake()
                #expect(try await admin.send("DELETE", "/devices/\(device.identifier.key)").status == 204)
                var last = await lines.next()
                while last != nil { last = await lines.next() }
            }
        }
    }

    /// SIGTERM's road: a stop ends open streams; `RoadTests` measures that it takes less than a second.
    @Test func aStopEndsOpenStreams() async throws {
        try await withDevice { (server, _, device) async throws in
            try await listening(server, device) { (lines) async throws in
                _ = await lines.wake()
                await server.group.triggerGracefulShutdown()
                while await lines.next() != nil {}
                try await eventually("nobody listens any more") { try await !self.connects(to: server.port) }
            }
        }
    }

    private func connects(to port: Int) async throws -> Bool {
        do {
            let channel = try await RawConnection.open(port: port)
            try await channel.close()
            return true
        } catch {
            return false
        }
    }

    private func synchronize(_ device: PlayedDevice) async throws {
        let command = try await device.report(.idle)
        _ = try await device.ask(.declarationItems)
        _ = try await device.report(.acknowledged, command)
    }

    private func withDevice(
        _ limits: ServerLimits = .patient, _ clock: TestClock = TestClock(),
        _ test: (TestServer, AdminClient, PlayedDevice) async throws -> Void
    ) async throws {
        try await TestServer.run(limits: limits, clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { device in try await test(server, admin, device) }
            }
        }
    }

    /// Opens the stream, hands its lines over, and closes the connection.
    private func listening(
        _ server: TestServer, _ device: PlayedDevice, _ test: (Lines) async throws -> Void
    ) async throws {
        let client = try server.client(identity: device.identity)
        do {
            let response = try await client.execute(
                HTTPClientRequest(url: server.baseURL + "/mdm/wake"), timeout: .minutes(10))
            try #require(response.status == .ok)
            let (lines, source) = AsyncStream<String>.makeStream()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await Lines.read(response.body, into: source) }
                try await test(Lines(lines: lines))
                group.cancelAll()
            }
        } catch {
            try? await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    /// The lines of a stream, as they come.
    struct Lines: Sendable {
        let lines: AsyncStream<String>

        /// The next one, be it a heartbeat.
        func next() async -> String? {
            var iterator = lines.makeAsyncIterator()
            return await iterator.next()
        }

        /// The next one that is no heartbeat: these come when they are due.
        func wake() async -> String? {
            while let line = await next() {
                if !line.isEmpty { return line }
            }
            return nil
        }

        /// Cuts a body into lines until it ends.
        static func read(
            _ body: HTTPClientResponse.Body, into lines: AsyncStream<String>.Continuation
        ) async {
            var text = ""
            do {
                for try await part in body {
                    text += String(buffer: part)
                    while let end = text.firstIndex(of: "\n") {
                        lines.yield(String(text[..<end]))
                        text.removeSubrange(...end)
                    }
                }
            } catch {
                // However the stream ends, it ends.
            }
            lines.finish()
        }
    }
}
