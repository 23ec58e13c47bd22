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
            try await Self.giveSecret(server, admin)
            try await server.client(identity: device.identity).with { (client) async throws in
                try await test(server, client, device)
            }
        }
    }

    private static func giveSecret(_ server: TestServer, _ admin: AdminClient) async throws {
        try await admin.assignLandmarks(AdminClient.configuration(title: "title"))
        let value = SecretValue.password(userName: "user", password: planted)
        _ = try #require(await server.management.setSecret("pin", to: value, author: "admin").value)
        _ = try #require(await server.management.assignSecret("pin", to: slot, author: "admin").value)
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
            let releases = try await server.management.auditEntries(
                AuditFilter(action: .releaseSecret, subject: "pin"), PageRequest())
            #expect(releases.items.map(\.actor) == ["device:\(device.identifier.key)"])
        }
    }

    /// A7: a signature over no body is the same for each request of a device; whoever saw one fetches nothing with it.
    @Test func aSignatureOverNothingHandsOutNoSecret() async throws {
        try await withSecret { (server, client, device) async throws in
            let url = server.baseURL + "/mdm/credentials/pin/1"
            let seen = ["Mdm-Signature": try device.sign(Data())]
            let answer = try await device.client.send("GET", url, headers: seen)
            #expect(answer.status == 400 && !answer.text.contains(Self.planted))
            #expect(try DeviceErrorDocument(parsing: answer.body).code == DeviceErrorDocument.certificateNeeded)
            #expect(server.log.say("device refused", "pass the connections of devices through"))
            let releases = try await server.management.auditEntries(
                AuditFilter(action: .releaseSecret), PageRequest())
            #expect(releases.items.isEmpty)
            // A device that signs everything, and shows its certificate as well, is served by that.
            #expect(try await client.send("GET", url, headers: seen).status == 200)
        }
    }

    /// A7: the signature of another device beside a certificate changes nothing: the certificate says whose secrets these are.
    @Test func theCertificateAloneSaysWhoseSecretsAreFetched() async throws {
        try await withDevice { (server, admin, device) async throws in
            try await Self.giveSecret(server, admin)
            try await PlayedDevice.with(server, admin, key: DeviceKeys.second()) { (other) async throws in
                let left = try await server.management.removeDevice(
                    other.identifier.key, fromGroup: "teachers", author: "admin")
                #expect(left == nil)
                try await server.client(identity: other.identity).with { (client) async throws in
                    let answer = try await client.send(
                        "GET", server.baseURL + "/mdm/credentials/pin/1",
                        headers: ["Mdm-Signature": device.sign(Data())])
                    #expect(answer.status == 404)
                }
            }
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
