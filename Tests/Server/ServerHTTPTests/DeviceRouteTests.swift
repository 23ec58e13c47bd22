import AdminMessages
import AsyncHTTPClient
import Crypto
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// What devices are answered once they are let in.
@Suite struct DeviceRouteTests {
    /// S4-FLOW-01, C01: once a device is enrolled, what an administrator assigns reaches it as declarations and an asset,
    /// byte for byte; what is changed later reaches it in the same way.
    @Test func anAssignedConfigurationReachesTheDevice() async throws {
        try await withDevice { (server, admin, device) async throws in
            for title in ["first", "second"] {
                let configuration = AdminClient.configuration(title: title)
                try await admin.assignLandmarks(configuration)
                let command = try await device.report(.idle)
                #expect(command?.requestType == "DeclarativeManagement")
                let tokens = try TokensResponse(parsing: await device.ask(.tokens).body)
                let items = try DeclarationItems(parsing: await device.ask(.declarationItems).body)
                #expect(items.declarationsToken == tokens.syncTokens.declarationsToken)
                var asset: DataAsset?
                for kind in DeclarationKind.allCases {
                    for item in items[kind] {
                        let answer = try await device.ask(.declaration(kind, identifier: item.identifier))
                        #expect(answer.status == 200)
                        #expect(answer.headers["content-type"] == "application/json")
                        let declaration = try Declaration(parsing: answer.body)
                        #expect(declaration.serverToken == item.serverToken)
                        if kind == .asset { asset = try DataAsset(payload: declaration.payload) }
                    }
                }
                let found = try #require(asset)
                try await check(found, holds: configuration, for: device, server)
                #expect(try await device.report(.acknowledged, command) == nil)
            }
        }
    }

    private func check(
        _ asset: DataAsset, holds configuration: Data, for device: PlayedDevice, _ server: TestServer
    ) async throws {
        try await server.client(identity: device.identity).with { (client) async throws in
            let answer = try await client.send("GET", asset.dataURL)
            #expect(answer.status == 200)
            #expect(answer.body == configuration)
            #expect(answer.headers["content-type"] == asset.contentType)
            #expect(answer.headers["content-length"] == "\(configuration.count)")
            let tag = try #require(answer.headers["etag"])
            #expect(try await client.send("GET", asset.dataURL, headers: ["If-None-Match": tag]).status == 304)
            // A7: a signature over no body says nothing of this request.
            let signed = try await device.client.send(
                "GET", asset.dataURL, headers: ["Mdm-Signature": device.sign(Data())])
            #expect(signed.status == 400)
        }
    }

    @Test func anAssetOfNobodysManifestIsNotThere() async throws {
        try await withDevice { (server, _, device) async throws in
            try await server.client(identity: device.identity).with { (client) async throws in
                let digest = String(repeating: "0", count: 64)
                #expect(try await client.send("GET", server.baseURL + "/mdm/assets/\(digest)").status == 404)
            }
        }
    }

    @Test func anUnknownDeclarationIsGone() async throws {
        try await withDevice { (_, _, device) async throws in
            #expect(try await device.ask(.declaration(.configuration, identifier: "nothing")).status == 404)
        }
    }

    @Test func anUnservedMessageIsRefused() async throws {
        try await withDevice { (_, _, device) async throws in
            let message = CheckInMessage.other(messageType: "GetToken", identifier: device.identifier)
            #expect(try await device.checkIn(message).status == 400)
        }
    }

    @Test func whatNeedsNoAnswerIsAnsweredByZeroBytes() async throws {
        try await withDevice { (_, _, device) async throws in
            #expect(try await device.updateToken(magic: "other").body.isEmpty)
            let status = StatusReport(items: .object(["device": .object(["model": .object([:])])]))
            let told = try await device.ask(.status, status.encoded())
            #expect(told.status == 200)
            #expect(told.body.isEmpty)
            let left = try await device.checkIn(
                .checkOut(CheckOut(identifier: device.identifier, topic: device.topic)))
            #expect(left.status == 200)
            #expect(left.body.isEmpty)
            // It left by itself: it is unknown now, not unrecognised.
            #expect(try await device.ask(.tokens).status == 503)
        }
    }

    /// Why an app refused its configuration reaches the administrator.
    @Test func whatAnAppSaysReachesTheAdministrator() async throws {
        try await withDevice { (_, admin, device) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "title"))
            let items = try DeclarationItems(parsing: await device.ask(.declarationItems).body)
            let app = AppStatus(
                identifier: "org.swift.landmarks", name: "Landmarks", state: "managed",
                configState: .init(app: "invalid"),
                reasons: [
                    StatusReason(
                        code: "Error.ConfigurationRefused", description: "refused",
                        details: .object(["Code": .integer(7), "KeyPath": .string("collection.landmarks[1]")]))
                ])
            var statuses = DeclarationStatuses()
            statuses.configurations = items.configurations.map { item in
                DeclarationStatus(
                    identifier: item.identifier, serverToken: item.serverToken, active: true, valid: .valid)
            }
            var report = StatusReport(fullReport: true)
            report.set(.array([app.value]), at: AppStatus.name)
            report.set(statuses.value, at: DeclarationStatuses.name)
            #expect(try await device.ask(.status, report.encoded()).status == 200)

            let detail: DeviceDetail = try await admin.get("/devices/\(device.identifier.key)")
            let shown = try #require(detail.apps.first)
            #expect(shown.configState == "invalid")
            #expect(shown.configurationName == "default")
            #expect(shown.configurationVersion == 1)
            #expect(shown.reasons.first?.code == "Error.ConfigurationRefused")
            #expect(shown.reasons.first?.details?["KeyPath"] == .string("collection.landmarks[1]"))
            #expect(detail.declarations.count == items.configurations.count)
            // Not everything was reported, so the device is not synchronized yet.
            #expect(!detail.synchronised)
            #expect(shown.isCurrent == false)
            for kind in [DeclarationKind.activation, .asset, .management] {
                let told = items[kind].map { item in
                    DeclarationStatus(
                        identifier: item.identifier, serverToken: item.serverToken, active: true, valid: .valid)
                }
                switch kind {
                case .activation: statuses.activations = told
                case .asset: statuses.assets = told
                default: statuses.management = told
                }
            }
            report.set(statuses.value, at: DeclarationStatuses.name)
            #expect(try await device.ask(.status, report.encoded()).status == 200)
            let after: DeviceDetail = try await admin.get("/devices/\(device.identifier.key)")
            #expect(after.synchronised)
            #expect(after.apps.first?.isCurrent == true)
            let list: AdminMessages.Page<DeviceSummary> = try await admin.get("/devices")
            #expect(list.items.map(\.synchronised) == [true])
            // A newer version is assigned, so the device's report is about the version before.
            try await admin.assignLandmarks(AdminClient.configuration(title: "another"))
            let older: DeviceDetail = try await admin.get("/devices/\(device.identifier.key)")
            #expect(older.apps.first?.isCurrent == false && older.apps.first?.configState == "invalid")
        }
    }

    /// The reason why a secret cannot be had stands beside the secret's own name, not beside a digest.
    @Test func aSecretThatFailedIsNamedOnTheDevicesPage() async throws {
        try await withDevice { (server, admin, device) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "title"))
            let app = "org.swift.landmarks"
            let value = SecretRequest.password(PasswordSecret(password: "p"))
            #expect(try await admin.send("PUT", "/secrets/pin", value).status == 200)
            for place in ["password/login", "password/login?extension=\(app).tunnel"] {
                let request = SecretAssignmentRequest(secret: "pin")
                let path = "/secret-assignments/teachers/\(app)/\(place)"
                #expect(try await admin.send("PUT", path, request).status == 200)
            }
            let items = try DeclarationItems(parsing: await device.ask(.declarationItems).body)
            var statuses = DeclarationStatuses()
            statuses.assets = items.assets.map { item in
                DeclarationStatus(
                    identifier: item.identifier, serverToken: item.serverToken, active: true, valid: .invalid)
            }
            var report = StatusReport(fullReport: true)
            report.set(statuses.value, at: DeclarationStatuses.name)
            #expect(try await device.ask(.status, report.encoded()).status == 200)
            let detail: DeviceDetail = try await admin.get("/devices/\(device.identifier.key)")
            let named = detail.declarations.compactMap(\.secret)
            #expect(named.count == 2 && detail.declarations.count == 3, "the configuration's asset is no secret")
            #expect(named.allSatisfy { $0.app == app && $0.kind == .password && $0.identifier == "login" })
            #expect(named.compactMap(\.extension).count == 1)
        }
    }

    /// Told, fetched, held, settled and refused: what became of what a device is given can be looked at later.
    @Test func whatBecameOfWhatADeviceIsGivenIsItsHistory() async throws {
        try await withDevice { (server, admin, device) async throws in
            try await admin.assignLandmarks(AdminClient.configuration(title: "title"))
            let told = try #require(try await device.report(.idle))
            _ = try await device.report(.acknowledged, told)
            let items = try DeclarationItems(parsing: await device.ask(.declarationItems).body)
            let app = AppStatus(
                identifier: "org.swift.landmarks", name: "Landmarks", state: "managed",
                configState: .init(app: "invalid"))
            var statuses = DeclarationStatuses()
            func all(_ kind: DeclarationKind) -> [DeclarationStatus] {
                items[kind].map { item in
                    DeclarationStatus(
                        identifier: item.identifier, serverToken: item.serverToken, active: true, valid: .valid)
                }
            }
            (statuses.configurations, statuses.assets) = (all(.configuration), all(.asset))
            (statuses.activations, statuses.management) = (all(.activation), all(.management))
            var report = StatusReport(fullReport: true)
            report.set(.array([app.value]), at: AppStatus.name)
            report.set(statuses.value, at: DeclarationStatuses.name)
            #expect(try await device.ask(.status, report.encoded()).status == 200)

            let address = "/devices/\(device.identifier.key)/history"
            let history: AdminMessages.Page<AdminMessages.DeviceHistoryEntry> = try await admin.get(address)
            #expect(
                history.items.reversed().map(\.kind) == [
                    "device.tell", "device.fetch", "device.refuse", "device.settle", "device.hold",
                ])
            let held = try #require(history.items.first)
            #expect(held.app == "org.swift.landmarks" && held.configuration == "default" && held.version == 1)
            #expect(try await admin.send("GET", "/devices/nobody/history").status == 404)
            try await ConsoleBrowser.with(server) { (browser) async throws in
                try await browser.signIn()
                let page = try await browser.get("/console/devices/\(device.identifier.key)").text
                for line in [
                    "Notified of a change", "Fetched its declarations",
                    "Holds everything that it gets", "default, version 1</a> of <a",
                ] {
                    #expect(page.contains(line), "\(line)")
                }
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
