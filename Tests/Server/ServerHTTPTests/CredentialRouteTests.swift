import AsyncHTTPClient
import DeviceMessages
import Foundation
import Management
import TestLog
import Testing

/// Secrets leave the server only here.
struct CredentialRouteTests {
    private static let planted = "PLANTED-staple-battery-horse"
    private static let slot = SecretSlot(
        group: "teachers", app: "org.swift.landmarks", kind: .password, identifier: "login")

    private func withSecret(_ test: (TestServer, HTTPClient, PlayedDevice) async throws -> Void) async throws {
        try await withDevice { (server, admin, device) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "title"))
            let management = server.management
            let value = SecretValue.password(userName: "user", password: Self.planted)
            _ = try #require(await management.setSecret("pin", to: value, author: "admin").value)
            _ = try #require(await management.assignSecret("pin", to: Self.slot, author: "admin").value)
            try await server.client(identity: device.identity).with { (client) async throws in
                try await test(server, client, device)
            }
        }
    }

    /// S4-SECRET-01, D5: a device to which a secret is assigned now gets its document, and that is written down.
    @Test func anAssignedSecretIsHandedOverAndWrittenDown() async throws {
        try await withSecret { (server, client, device) async throws in
            let url = server.baseURL + "/mdm/credentials/pin/1"
            let answer = try await client.send("GET", url)
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "application/json")
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(answer.text == #"{"Password":"\#(Self.planted)","UserName":"user"}"#)
            let signed = try await device.client.send(
                "GET", url, headers: ["Mdm-Signature": device.sign(Data())])
            #expect(signed.body == answer.body)
            let releases = try await server.management.auditEntries(
                AuditFilter(action: .releaseSecret, subject: "pin"), PageRequest())
            #expect(releases.items.map(\.actor) == Array(repeating: "device:\(device.identifier.key)", count: 2))
        }
    }

    @Test func aWithdrawnSecretIsNotThereAnyMore() async throws {
        try await withSecret { (server, client, _) async throws in
            for path in ["pin/2", "pin/0", "pin/x", "other/1"] {
                let answer = try await client.send("GET", server.baseURL + "/mdm/credentials/" + path)
                #expect(answer.status == 404 && answer.body.isEmpty, "\(path)")
            }
            #expect(try await server.management.unassignSecret(from: Self.slot, author: "admin") == nil)
            #expect(try await client.send("GET", server.baseURL + "/mdm/credentials/pin/1").status == 404)
            let releases = try await server.management.auditEntries(
                AuditFilter(action: .releaseSecret), PageRequest())
            #expect(releases.items.isEmpty)
        }
    }

    @Test func whoIsNoDeviceGetsNothing() async throws {
        try await withSecret { (server, _, _) async throws in
            try await server.client().with { (stranger) async throws in
                let answer = try await stranger.send("GET", server.baseURL + "/mdm/credentials/pin/1")
                #expect(answer.status == 400 && !answer.text.contains(Self.planted))
            }
        }
    }

    /// No log line holds the value, in any form.
    @Test func theLogNamesASecretAndNeverItsValue() async throws {
        try await withSecret { (server, client, _) async throws in
            #expect(try await client.send("GET", server.baseURL + "/mdm/credentials/pin/1").status == 200)
            let lines = server.log.all.joined(separator: "\n")
            #expect(lines.contains("credential released"))
            for form in [
                Self.planted, String(Data(Self.planted.utf8).base64EncodedString().dropLast(4)),
                Self.planted.utf8.map { String(format: "%02x", $0) }.joined(),
            ] {
                #expect(!lines.contains(form))
            }
        }
    }

    private func withDevice(
        _ test: (TestServer, AdminClient, PlayedDevice) async throws -> Void
    ) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { device in try await test(server, admin, device) }
            }
        }
    }
}
