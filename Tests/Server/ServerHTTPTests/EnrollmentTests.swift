import AdminMessages
import AsyncHTTPClient
import CertificateAuthority
import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds
import SCEP
import ServerHTTP
import TestLog
import Testing

@Suite struct EnrollmentTests {
    /// S4-FLOW-02, S1-MDM-01, C01: a device of another maker enrolls with SCEP and `Mdm-Signature` alone, takes
    /// commands and queries and answers them; delivery and result of each stand in the log.
    @Test func aThirdPartyDeviceEnrolsAndAnswersCommands() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    var profile = try await device.report(.idle)
                    // What a device is first told of its declarations.
                    #expect(profile?.requestType == "DeclarativeManagement")
                    profile = try await device.report(.acknowledged, profile)
                    #expect(profile == nil)
                    let path = "/devices/\(device.identifier.key)/commands"
                    let installed = Data("a profile of the administrator's".utf8)
                    let requests: [PropertyListValue] = [
                        .dictionary([
                            "RequestType": .string("DeviceInformation"), "Queries": .array([.string("DeviceName")]),
                        ]),
                        .dictionary(["RequestType": .string("ProfileList")]),
                        .dictionary(["RequestType": .string("InstallProfile"), "Payload": .data(installed)]),
                    ]
                    for request in requests {
                        let sent = try await admin.send("POST", path, body: request.xml())
                        #expect(sent.status == 201, "\(sent.text)")
                    }
                    let answers: [String: [String: PropertyListValue]] = [
                        "DeviceInformation": ["QueryResponses": .dictionary(["DeviceName": .string("Played")])],
                        "ProfileList": ["ProfileList": .array([])],
                    ]
                    var command = try await device.report(.idle)
                    var seen: [String] = []
                    while let present = command {
                        if present.requestType == "InstallProfile" {
                            #expect(present.request["Payload"]?.data == installed)
                        }
                        seen.append(present.requestType)
                        command = try await device.report(
                            .acknowledged, present, contents: answers[present.requestType] ?? [:])
                    }
                    #expect(seen == ["DeviceInformation", "ProfileList", "InstallProfile"])
                    for type in seen {
                        #expect(server.log.say("command delivered", type, device.identifier.id))
                    }
                    let results = server.log.all.filter { line in
                        line.contains("command answered") && line.contains("Acknowledged")
                    }
                    #expect(results.count == 4)
                    let list = try await admin.send("GET", path)
                    #expect(list.text.components(separatedBy: #""state":"acknowledged""#).count == 4)
                    let summaries: AdminMessages.Page<CommandSummary> = try await admin.get(path)
                    let query = try #require(summaries.items.first)
                    let detail: CommandDetail = try await admin.get("\(path)/\(query.uuid)")
                    #expect(detail.answer == .object(["QueryResponses": .object(["DeviceName": .string("Played")])]))
                }
            }
        }
    }

    @Test func theProfileSaysWhereToGoAndLeavesTheCodeUnused() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let code = try await admin.code()
                #expect(code.enrollmentURL == "\(server.baseURL)/enroll/\(code.code)")
                for _ in 0..<2 {
                    let answer = try await admin.client.send("GET", code.enrollmentURL)
                    #expect(answer.status == 200)
                    #expect(answer.headers["content-type"] == MediaType.profile)
                    let profile = try EnrollmentProfile(parsing: answer.body)
                    #expect(profile.roots == [server.authority.certificateDER])
                    #expect(profile.scep?.challenge == code.code)
                    #expect(profile.scep?.keySize == 2048)
                    #expect(profile.scep?.caFingerprint == server.authority.fingerprint)
                    #expect(profile.mdm.serverURL == "\(server.baseURL)/mdm/command")
                    #expect(profile.mdm.checkInURL == "\(server.baseURL)/mdm/checkin")
                    #expect(profile.mdm.topic.hasPrefix("com.apple.mgmt.External."))
                    #expect(profile.mdm.accessRights == 8191)
                    #expect(profile.mdm.signMessage && profile.mdm.checkOutWhenRemoved)
                    #expect(profile.wakeURL == "\(server.baseURL)/mdm/wake")
                }
            }
        }
    }

    @Test func anExpiredOrUnknownCodeGetsNoProfileAndNoCertificate() async throws {
        let clock = TestClock(stands: true)
        try await TestServer.run(clock: clock) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let code = try await admin.code(validSeconds: 60)
                clock.advance(by: 61)
                let profile = try await admin.client.send("GET", code.enrollmentURL)
                #expect(profile.status == 404)
                #expect(profile.text.contains("expired"))
                let reply = try await PlayedDevice.certificate(
                    code: code.code, server, admin.client, key: DeviceKeys.first())
                #expect(reply == .failed(.badRequest))
                #expect(server.log.say("refused", "expired"))
                #expect(!server.log.all.contains { $0.contains(code.code) })
                let unknown = try await admin.client.send("GET", "\(server.baseURL)/enroll/nothing")
                #expect(unknown.status == 404)
            }
        }
    }

    @Test func aCodeIsForOneKeyUntilItsDeviceAuthenticatedAndThenForNobody() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let code = try await admin.code().code
                let first = try await PlayedDevice.certificate(
                    code: code, server, admin.client, key: DeviceKeys.first())
                // The answer was lost: the same request gets the same certificate.
                let again = try await PlayedDevice.certificate(
                    code: code, server, admin.client, key: DeviceKeys.first(), byGET: true)
                #expect(again == first)
                let other = try await PlayedDevice.certificate(
                    code: code, server, admin.client, key: DeviceKeys.second())
                #expect(other == .failed(.badRequest))
                guard case .issued(let certificate) = first else {
                    Issue.record("no certificate")
                    return
                }
                let device = PlayedDevice(
                    server: server, client: admin.client, udid: "once",
                    identity: .init(certificate: certificate, key: try DeviceKeys.first()))
                #expect(try await device.authenticate().status == 200)
                let spent = try await PlayedDevice.certificate(
                    code: code, server, admin.client, key: DeviceKeys.first())
                #expect(spent == .failed(.badRequest))
                #expect(server.log.say("refused", "already used"))
            }
        }
    }

    /// Kind, ownership and supervision are recorded: the first as the device says, the others as its code says.
    @Test func anEnrollmentRecordsWhatItIs() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                _ = try await admin.send("POST", "/groups", Group(name: "teachers"))
                let kinds: [EnrollmentIdentifier.Kind] = [.device, .user]
                for (kind, isPersonal) in zip(kinds, [false, true]) {
                    let wish = EnrollmentCodeRequest(
                        group: "teachers", ownership: isPersonal ? .personal : .organization, supervised: !isPersonal)
                    let code = try await AdminJSON.decode(
                        EnrollmentCodeAnswer.self, from: admin.send("POST", "/enrollment-codes", wish).body)
                    let identity = try await PlayedDevice.identity(
                        code: code.code, server, admin.client, key: DeviceKeys.first())
                    let device = PlayedDevice(
                        server: server, client: admin.client, udid: "recorded-\(kind)", kind: kind, identity: identity)
                    // An agent is supervised if its profile says so.
                    let message = Authenticate(
                        identifier: device.identifier, topic: device.topic, deviceName: "Played", agentVersion: "1")
                    #expect(try await device.checkIn(.authenticate(message)).status == 200)
                    #expect(try await device.updateToken().status == 200)
                    #expect(try await device.report(.idle)?.requestType == "DeclarativeManagement")
                    let shown: DeviceDetail = try await admin.get("/devices/\(device.identifier.key)")
                    #expect(shown.kind == (isPersonal ? .user : .device))
                    #expect(shown.ownership == (isPersonal ? .personal : .organization))
                    #expect(shown.supervised == !isPersonal)
                    #expect(shown.state == .enrolled)
                    #expect(shown.groups == ["teachers"])
                }
            }
        }
    }

    /// A device of another maker is supervised by its own setup, or not at all: no code makes it so.
    @Test func aCodeSupervisesNoDeviceThatDoesNotListen() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                _ = try await admin.send("POST", "/groups", Group(name: "teachers"))
                for isSupervised in [true, false] {
                    let wish = EnrollmentCodeRequest(group: "teachers", supervised: isSupervised)
                    let code = try await AdminJSON.decode(
                        EnrollmentCodeAnswer.self, from: admin.send("POST", "/enrollment-codes", wish).body)
                    let profile = try await admin.client.send("GET", code.enrollmentURL).body
                    #expect(try EnrollmentProfile(parsing: profile).isSupervised == isSupervised)
                    let identity = try await PlayedDevice.identity(
                        code: code.code, server, admin.client, key: DeviceKeys.first())
                    let device = PlayedDevice(
                        server: server, client: admin.client, udid: "apple-\(isSupervised)", identity: identity)
                    #expect(try await device.authenticate().status == 200)
                    let shown: DeviceDetail = try await admin.get("/devices/\(device.identifier.key)")
                    #expect(!shown.supervised)
                }
            }
        }
    }

    /// A device keeps its place against another machine under its identifier; both sides are told so, and an
    /// administrator's code for that device puts the other in its place.
    @Test func anotherMachineTakesNoDevicesPlaceByItself() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin, udid: "D1") { (device) async throws in
                    let stranger = PlayedDevice(
                        server: server, client: admin.client, udid: "D1",
                        identity: try await PlayedDevice.identity(
                            code: admin.code().code, server, admin.client, key: DeviceKeys.second()))
                    for _ in 0..<2 {
                        let answer = try await stranger.authenticate()
                        #expect(answer.status == 400)
                        let document = try DeviceErrorDocument(parsing: answer.body)
                        #expect(document.code == DeviceErrorDocument.identifierTaken)
                    }
                    #expect(server.log.say("device refused", "withdraws that device first", "D1"))
                    #expect(try await device.ask(.tokens).status == 200)
                    let history: AdminMessages.Page<DeviceHistoryEntry> = try await admin.get("/devices/D1/history")
                    #expect(history.items.filter { $0.kind == "device.enroll-refuse" }.count == 1)
                    #expect(try await admin.send("GET", "/audit?subject=D1").text.contains("device.enroll-refuse"))

                    let wish = EnrollmentCodeRequest(group: "teachers", replaces: "D1")
                    let code = try await AdminJSON.decode(
                        EnrollmentCodeAnswer.self, from: admin.send("POST", "/enrollment-codes", wish).body)
                    let successor = PlayedDevice(
                        server: server, client: admin.client, udid: "D1",
                        identity: try await PlayedDevice.identity(
                            code: code.code, server, admin.client, key: DeviceKeys.second()))
                    #expect(try await successor.authenticate().status == 200)
                    #expect(try await device.ask(.tokens).status == 400)
                    #expect(try await admin.send("GET", "/audit?subject=D1").text.contains("device.replace"))
                }
            }
        }
    }

    @Test func garbageAtTheSCEPEntranceIsRefused() async throws {
        try await TestServer.run { (server) async throws in
            try await server.client().with { (client) async throws in
                let scep = server.baseURL + "/scep?operation="
                #expect(try await client.send("POST", scep + "PKIOperation", body: Data(count: 100)).status == 400)
                #expect(try await client.send("GET", scep + "PKIOperation&message=%%%").status == 400)
                #expect(try await client.send("GET", scep + "Nothing").status == 400)
                let large = try await client.send("POST", scep + "PKIOperation", body: Data(count: 70_000))
                #expect(large.status == 413)
            }
        }
    }

    @Test(arguments: [
        ("a+b/", "a+b/"), ("a b/", "a+b/"), ("a%2Bb%2F", "a+b/"), ("a-b_", "a+b/"), ("YQ%3D%3D", "YQ=="),
        ("YQ", "YQ=="),
    ])
    func theMessageOfAQueryIsReadAsClientsWriteIt(written: String, meant: String) {
        let found = SCEPMessageText.data(inQuery: "operation=PKIOperation&message=\(written)")
        #expect(found == Data(base64Encoded: meant))
    }
}
