import AdminMessages
import AsyncHTTPClient
import DeviceMessages
import Foundation
import TestLog
import Testing

/// A device that signs as Apple's do is let in by its signature.
///
/// Red for a server that reads the form of Martlet's own agent alone: it answered 400 to every message, also on a
/// connection with the device's certificate.
@Suite struct AppleSignatureTests {
    @Test func aDeviceThatSignsWithoutAttributesInBERIsServed() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let body = CommandReport(identifier: device.identifier, status: .idle).encoded()
                    let header = try AppleSignature.header(over: body, by: device.identity)
                    // The first message is judged by its certificate, the second by the key that is known by then.
                    for _ in 0..<2 {
                        let answer = try await device.send("/mdm/command", body, signature: header)
                        #expect(answer.status == 200)
                        #expect(try Command(parsing: answer.body).requestType == "DeclarativeManagement")
                    }
                    try await server.client(identity: device.identity).with { (client) async throws in
                        let answer = try await client.send(
                            "PUT", server.baseURL + "/mdm/command", headers: ["Mdm-Signature": header], body: body)
                        #expect(answer.status == 200)
                    }
                    let other = CommandReport(
                        identifier: device.identifier, status: .notNow, commandUUID: UUID().uuidString
                    ).encoded()
                    #expect(try await device.send("/mdm/command", other, signature: header).status == 400)
                    #expect(server.log.say("device refused", "the signature does not verify", device.identifier.id))
                }
            }
        }
    }

    @Test func aSignatureOfSHA1NeedsACodeThatAllowsIt() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await server.client().with { (client) async throws in
                    for allowed in [true, false] {
                        let code = try await admin.code(allowLegacyCryptography: allowed)
                        let identity = try await PlayedDevice.identity(
                            code: code.code, server, client, key: allowed ? DeviceKeys.first() : DeviceKeys.second())
                        let device = PlayedDevice(
                            server: server, client: client, udid: UUID().uuidString, identity: identity)
                        #expect(try await device.authenticate().status == 200)
                        #expect(try await device.updateToken().status == 200)
                        let body = CommandReport(identifier: device.identifier, status: .idle).encoded()
                        let header = try AppleSignature.header(over: body, by: identity, sha1: true)
                        for _ in 0..<2 {
                            let answer = try await device.send("/mdm/command", body, signature: header)
                            #expect(answer.status == (allowed ? 200 : 400))
                        }
                    }
                    #expect(server.log.say("device refused", "--allow-legacy-cryptography"))
                }
            }
        }
    }
}
