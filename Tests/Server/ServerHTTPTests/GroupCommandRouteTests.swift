import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// A command for every device of a group, through the API.
@Suite struct GroupCommandRouteTests {
    private static let path = "/groups/teachers/commands"

    /// A server with a device in the group `teachers`.
    private static func with(_ test: (TestServer, AdminClient, PlayedDevice) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await test(server, admin, device)
                }
            }
        }
    }

    private static func queued(for device: PlayedDevice, _ admin: AdminClient) async throws -> [String] {
        let page: AdminMessages.Page<CommandSummary> = try await admin.get(
            "/devices/\(device.identifier.key)/commands")
        return page.items.map(\.requestType)
    }

    private static func job(_ answer: Answer) throws -> AdminMessages.Job {
        try #require(answer.status == 202, "\(answer.text)")
        return try AdminJSON.decode(AdminMessages.Job.self, from: answer.body)
    }

    private static func result(_ job: AdminMessages.Job) throws -> GroupCommandResult {
        try AdminJSON.decode(GroupCommandResult.self, from: AdminJSON.encode(#require(job.result)))
    }

    @Test func aJobQueuesItForEveryDeviceInEitherForm() async throws {
        try await Self.with { (_, admin, device) async throws in
            let answer = try await admin.send("POST", Self.path, CommandRequest(requestType: "ProfileList"))
            let asked = try Self.job(answer)
            #expect(asked.kind == "group.command" && asked.author == "admin")
            #expect(answer.headers["location"] == "/api/v1/jobs/\(asked.id)")
            let ended = try await admin.ended("/jobs/\(asked.id)")
            #expect(try Self.result(ended) == GroupCommandResult(queued: 1, refused: 0, refusals: [], warnings: nil))
            let list = PropertyListValue.dictionary(["RequestType": .string("CertificateList")]).xml()
            let other = try Self.job(
                await admin.send(
                    "POST", Self.path + "?perSecond=9", headers: ["Content-Type": "application/xml"], body: list))
            #expect(try await admin.ended("/jobs/\(other.id)").state == "done")
            #expect(try await Self.queued(for: device, admin) == ["ProfileList", "CertificateList"])
        }
    }

    /// What a job may not do within a second it does later, without being asked again.
    @Test func aServerGoesOnWithAJobThatHasToWait() async throws {
        try await Self.with { (server, admin, first) async throws in
            try await PlayedDevice.with(server, admin, key: DeviceKeys.second()) { (second) async throws in
                let asked = try Self.job(
                    await admin.send("POST", Self.path + "?perSecond=1", CommandRequest(requestType: "ProfileList")))
                let ended = try await admin.ended("/jobs/\(asked.id)")
                #expect(try Self.result(ended).queued == 2)
                for device in [first, second] {
                    #expect(try await Self.queued(for: device, admin) == ["ProfileList"])
                }
            }
        }
    }

    /// As for one device: to ask is not to erase.
    @Test func itAsksOfAnAdministratorWhatTheCommandAsks() async throws {
        try await Self.with { (_, admin, device) async throws in
            let helper = try await RoleTests.logIn("helper", Rights(role: .helpDesk), admin)
            let reader = try await RoleTests.logIn("reader", Rights(role: .reader), admin)
            for type in ["EraseDevice", "InstallApplication", "Settings", "Unheard"] {
                let refused = try await helper.send("POST", Self.path, CommandRequest(requestType: type))
                #expect(refused.status == 403 && refused.text.contains("problem:not-allowed"), "\(type)")
                let list = PropertyListValue.dictionary(["RequestType": .string(type)]).xml()
                #expect(try await helper.send("POST", Self.path, body: list).status == 403, "\(type)")
            }
            let wish = CommandRequest(requestType: "ProfileList")
            #expect(try await reader.send("POST", Self.path, wish).status == 403)
            let asked = try Self.job(await helper.send("POST", Self.path, wish))
            #expect(try await helper.ended("/jobs/\(asked.id)").state == "done")
            #expect(try await Self.queued(for: device, admin) == ["ProfileList"])
        }
    }

    /// Red before: who helps devices had no jobs, and the right to end one was an auditor's.
    @Test func whoHelpsDevicesEndsTheirOwnJobsAndNoOthers() async throws {
        try await Self.with { (server, admin, _) async throws in
            let helper = try await RoleTests.logIn("helper", Rights(role: .helpDesk), admin)
            try await server.keepWaiting("hers", of: "helper")
            try await server.keepWaiting("others", of: "admin")
            #expect(try await helper.send("DELETE", "/jobs/hers").status == 204)
            #expect(try await helper.send("DELETE", "/jobs/others").status == 404)
        }
    }

    @Test func whatCannotBeDoneIsRefusedAtOnce() async throws {
        try await Self.with { (_, admin, device) async throws in
            let wish = CommandRequest(requestType: "ProfileList")
            for (number, status) in [("x", 400), ("0", 422), ("1001", 422)] as [(String, UInt)] {
                let refused = try await admin.send("POST", Self.path + "?perSecond=\(number)", wish)
                #expect(refused.status == status && refused.text.contains("perSecond"), "\(refused.text)")
            }
            #expect(try await admin.send("POST", "/groups/nobody/commands", wish).status == 404)
            let trial = try await admin.send(
                "POST", Self.path, CommandRequest(requestType: TryConfiguration.requestType))
            #expect(trial.status == 422 && trial.text.contains("configuration-trials"), "\(trial.text)")
            let malformed = try await admin.send("POST", Self.path, CommandRequest(requestType: "RemoveApplication"))
            #expect(malformed.status == 422, "\(malformed.text)")
            #expect(try await Self.queued(for: device, admin).isEmpty)
        }
    }
}
