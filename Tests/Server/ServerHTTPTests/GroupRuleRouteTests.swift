import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// Rules of groups over the wire: the second writer is told, nothing by hand, and a preview before.
struct GroupRuleRouteTests {
    private func with(_ body: (AdminClient) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in try await body(admin) }
        }
    }

    @Test func aRuleIsSetAsTextOrTreeAndChangedOnlyByWhoSawIt() async throws {
        try await with { admin in
            #expect(try await admin.send("POST", "/groups", Group(name: "new", rule: "os = linux")).status == 201)
            let place = "/groups/new/rule"
            let shown = try await admin.send("GET", place)
            let tag = try #require(shown.headers["etag"])
            let detail = try AdminJSON.decode(GroupRuleDetail.self, from: shown.body)
            #expect(detail.rule == "os = linux" && detail.facts == ["os"] && !detail.judging)
            #expect(detail.tree["fact"]?.text == "os" && detail.tree["value"]?.text == "linux")

            let tree = JSON.object(["not": detail.tree])
            let body = try AdminJSON.encode(GroupRuleRequest(tree: tree))
            let json = ["Content-Type": "application/json", "If-Match": tag]
            let first = try await admin.send("PUT", place, headers: json, body: body)
            #expect(first.status == 200 && first.headers["etag"] != tag)
            #expect(try AdminJSON.decode(GroupRuleDetail.self, from: first.body).rule == "not os = linux")
            #expect(try await admin.send("PUT", place, headers: json, body: body).status == 412)
            #expect(try await admin.send("DELETE", place, headers: ["If-Match": tag]).status == 412)
            let group: Group = try await admin.get("/groups/new")
            #expect(group.rule == "not os = linux" && group.deviceCount == 0)
            #expect(try await admin.send("DELETE", place).status == 204)
            #expect(try await admin.send("GET", place).status == 404)
            #expect(try await admin.send("DELETE", place).status == 404)
        }
    }

    @Test func whatCannotBeReadIsRefusedWithItsPlace() async throws {
        try await with { admin in
            let answer = try await admin.send("POST", "/groups", Group(name: "new", rule: "os = windows"))
            #expect(answer.status == 422 && answer.text.contains("from character 4 on"), "\(answer.text)")
            #expect(answer.text.contains("linux") && !answer.text.contains("windows"))
            #expect(try await admin.send("GET", "/groups/new").status == 404)
            for wish in [GroupRuleRequest(), GroupRuleRequest(rule: "os = linux", tree: .object([:]))] {
                #expect(try await admin.send("PUT", "/groups/teachers/rule", wish).status == 422)
            }
            #expect(try await admin.send("POST", "/groups", Group(name: "preview")).status == 422)
            let preview = GroupPreviewRequest(rule: "os = linux", limit: 101)
            #expect(try await admin.send("POST", "/groups/preview", preview).status == 422)
        }
    }

    /// A device in the group of its code: the preview names it, and a rule's group is closed to hands and codes.
    @Test func whoIsInFollowsFromTheRuleAlone() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let id = device.identifier.key
                    let wish = GroupPreviewRequest(rule: "kind = device and shard 100% of all")
                    let preview = try AdminJSON.decode(
                        GroupPreview.self, from: await admin.send("POST", "/groups/preview", wish).body)
                    #expect(preview.members.count == 1 && preview.joining.devices.map(\.id) == [id])
                    #expect(preview.leaving == .init(count: 0, devices: []))
                    #expect(preview.judged == 1 && preview.next == nil)
                    var behind = wish
                    behind.cursor = id
                    let rest = try AdminJSON.decode(
                        GroupPreview.self, from: await admin.send("POST", "/groups/preview", behind).body)
                    #expect(rest.judged == 0 && rest.members.count == 0)
                    let made = try await admin.send("POST", "/groups", Group(name: "every", rule: wish.rule))
                    #expect(try AdminJSON.decode(Group.self, from: made.body).deviceCount == 1)
                    for method in ["PUT", "DELETE"] {
                        let answer = try await admin.send(method, "/devices/\(id)/groups/every")
                        #expect(answer.status == 409 && answer.text.contains("has a rule"), "\(answer.text)")
                    }
                    let code = EnrollmentCodeRequest(group: "every")
                    #expect(try await admin.send("POST", "/enrollment-codes", code).status == 409)
                    let effective: DeviceEffective = try await admin.get("/devices/\(id)/effective")
                    let group = try #require(effective.groups.first { $0.name == "every" })
                    #expect(group.conditions?.map(\.holds) == [true, true])
                    #expect(group.conditions?.first?.found == "device")
                    let others: DeviceEffective = try await admin.get("/devices/\(id)/effective?groups=teachers")
                    #expect(others.hypothetical && others.groups.map(\.name) == ["teachers"])
                }
            }
        }
    }
}
