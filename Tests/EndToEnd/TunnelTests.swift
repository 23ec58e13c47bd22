import Crypto
import Foundation
import NIOHTTP1
import PlayedAgent
import SoftwareTPM
import SwiftASN1
import Testing
import Waiting
import X509

/// The example's tunnel: an extension that alone has the identity which the gateway asks for: A20.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)), .enabled(if: SoftwareTPM.isThere))
struct TunnelTests {
    private static let name = "com.example.tunnel"

    /// S4-VPN-03, S4-VPN-04: an identity that the device's chip holds and vouches for is the extension's alone.
    @Test func theIdentityOfATunnelIsItsExtensionsAlone() async throws {
        let chip = try SoftwareTPM()
        let authority = try TestAuthority("Gateway")
        try await Road.with(options: ["--pin-endorsement-keys"]) { road in
            let clients = try String(contentsOfFile: road.serverDirectory + "/identities.pem", encoding: .utf8)
            try await WebServer.run(by: authority, clients: clients, answer: Self.gateway) { gateway in
                let app = try await tunnel(to: gateway.url, of: authority, on: road, chip)
                let provider = try app.part("provider").open()
                _ = try await provider.line(containing: "The tunnel is up: welcome")
                #expect(try await road.martlet("audit", "list", "--action", "device.attest").contains("device.attest"))
                let subject = try #require(gateway.requests.last?.client?.subject)
                #expect("\(subject)".contains(road.udid), "\(subject)")

                let host = try app.app.open()
                _ = try await host.line(containing: "This is the tunnel of Example.")
                _ = try await host.line(containing: "Identities of this app: none.")
                _ = try await host.line(containing: "The identity of the tunnel is not for this app.")
                #expect(try await app.refusals("notItsOwn", "--tpm", chip.place) == 1)

                let mark = provider.mark
                try await withdraw(on: road)
                _ = try await provider.line(containing: "this device has no identity for it", after: mark)
            }
        }
    }

    /// S4-VPN-01, A20: the gateway demands a certificate of the organization's, and refuses one that was withdrawn also while
    /// the device has not heard of it.
    @Test(.enabled(if: Nginx.isThere, "there is no nginx"))
    func theGatewayRefusesWhatAnAdministratorWithdrewThoughTheDeviceStillHasIt() async throws {
        let chip = try SoftwareTPM()
        let authority = try TestAuthority("Gateway")
        let relay = try await Relay()
        defer { relay.stop() }
        try await Road.with(through: relay, options: ["--pin-endorsement-keys"]) { road in
            try FileManager.default.copyItem(
                atPath: road.serverDirectory + "/identities.pem", toPath: road.home.appending(path: "clients.pem").path)
            // Administrators and the gateway come to the server by another way than the device.
            let server = "https://localhost:\(relay.serverPort)"
            let login = try await road.run(
                "martlet", ["login", "--server", server, "--ca-file", road.authority, "--password-stdin"],
                input: road.password + "\n")
            #expect(login.status == 0, "\(login.text)")
            try await fetchRevoked(from: server, on: road)
            try await Nginx.run(
                on: road, authority: authority, pages: ["index.html": "welcome"], .unrevokedClients
            ) { gateway in
                #expect(try await stranger(gateway, of: nil, on: road).contains("400"))
                #expect(try await stranger(gateway, of: TestAuthority("Somebody"), on: road).contains("400"))

                let app = try await tunnel(to: gateway.url, of: authority, on: road, chip)
                let provider = try app.part("provider").open()
                _ = try await provider.line(containing: "The tunnel is up: welcome")
                try await gateway.notes("the device") { $0.last?.contains("200 SUCCESS CN=\(road.udid)") == true }

                relay.change(to: .plain)
                let mark = provider.mark
                try await withdraw(on: road)
                // Nobody has asked for the new list yet.
                let before = try app.part("provider").open()
                _ = try await before.line(containing: "The tunnel is up: welcome")
                // The server signs a list once a minute.
                try await eventually("the list has the identity") { () -> Bool in
                    try await fetchRevoked(from: server, on: road)
                    return try await road.shell("openssl crl -in revoked.pem -noout -text").contains("Serial Number:")
                }
                try await gateway.reload()
                // Its old workers go on for a moment with what they have.
                try await eventually("the gateway refuses the device") { () -> Bool in
                    let after = try app.part("provider").open()
                    let said = try await after.line("an answer of the gateway's") {
                        $0.contains("The tunnel is up: welcome") || $0.contains("the gateway refused this device")
                    }
                    after.send(SIGKILL)
                    return said.text.contains("refused")
                }
                // Not always the last line: who was connected already is served by an old worker.
                try await gateway.notes("whom it refused") { log in
                    log.contains { $0.contains("400 FAILED:certificate revoked") }
                }
                #expect(!provider.output.dropFirst(mark).contains { $0.text.contains("no identity") })

                // It hears of it as soon as it can.
                relay.change(to: .pass)
                _ = try await provider.line(
                    containing: "this device has no identity for it", after: mark)
            }
        }
    }

    /// The app and its extension, assigned and set up on a device that runs.
    private func tunnel(
        to gateway: String, of authority: TestAuthority, on road: Road, _ chip: SoftwareTPM
    ) async throws -> AppWithExtensions {
        let name = Self.name
        let part = AppWithExtensions.Part(
            name: "provider", kind: "com.apple.networkextension.packet-tunnel", program: "TunnelProvider")
        let app = try await AppWithExtensions.installed("Tunnel", as: name, with: [part], on: road)
        try await app.configure("app", json: #"{"organization": "Example"}"#)
        try await app.configure("provider", json: #"{"gateway": "\#(gateway)", "gatewayAuthority": "root"}"#)
        try await road.martlet(
            "assign", "teachers", name, "--configuration", "app", "--extension", "\(name).provider=provider")
        try await road.setCertificate("root", pem: try authority.certificate.serializeAsPEM().pemString)
        try await app.give("root", to: "provider", as: "root")
        try await road.setSecret(
            "tunnel", ["--acme", "--subject", "CN=${device.udid}", "--hardware-bound", "--attest"])
        try await app.give("tunnel", to: "provider", as: "tunnel")

        try road.installLandmarks()
        let enrollment = road.enrollment(code: try await road.enrollmentCode(), directory: road.agentDirectory)
        let enrolled = try await road.run("martlet-agent", enrollment + ["--tpm", chip.place])
        #expect(enrolled.status == 0, "\(enrolled.text)")
        try await road.startAgent("--tpm", chip.place)
        try await road.synchronised()
        return app
    }

    private func withdraw(on road: Road) async throws {
        try await road.martlet(
            "secret", "unassign", "teachers", Self.name, "--extension", "\(Self.name).provider", "--identifier",
            "tunnel")
    }

    /// As a gateway does now and then: asks the server which certificates count no more.
    private func fetchRevoked(from server: String, on road: Road) async throws {
        try await road.shell(
            """
            curl -sSf --cacert '\(road.authority)' -o revoked.der \(server)/pki/crl && \
            openssl crl -inform DER -in revoked.der -out revoked.pem
            """)
    }

    /// The status that somebody is answered with who has a certificate of another authority, or none.
    private func stranger(_ gateway: Nginx, of authority: TestAuthority?, on road: Road) async throws -> String {
        var options = ""
        if let authority {
            let key = P256.Signing.PrivateKey()
            let leaf = try authority.issue("device", for: .init(key.publicKey))
            let text = try leaf.serializeAsPEM().pemString + "\n" + key.pemRepresentation
            try Data(text.utf8).write(to: road.home.appending(path: "stranger.pem"))
            options = "--cert stranger.pem"
        }
        return try await road.shell("curl -sk -o /dev/null -w '%{http_code}\\n' \(options) \(gateway.url)/")
    }

    @Sendable private static func gateway(_ request: WebServer.Request) -> WebServer.Answer {
        request.client == nil ? .init(status: .forbidden) : .init(body: "welcome")
    }
}
