import AdminMessages
import DeviceMessages
import Foundation
import InputBounds
import MadeRoots
import Testing

/// Settings over the API: who may, what is refused by which rule, what changes are held to, and what a device gets.
struct SettingRouteTests {
    private static let one = "/settings/root-certificate/proxy"
    private static let given = "/setting-assignments/teachers/root-certificate/proxy"

    private static func with(_ test: (TestServer, AdminClient) async throws -> Void) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try #require(try await admin.send("POST", "/groups", Group(name: "teachers")).status == 201)
                try await test(server, admin)
            }
        }
    }

    /// A program with the rights of a role.
    private static func program(
        _ role: AdministratorRole, readOnly: Bool = false, _ admin: AdminClient
    ) async throws -> AdminClient {
        let wish = TokenRequest(name: "\(role.rawValue)-\(readOnly)", validSeconds: 600, role: role, readOnly: readOnly)
        let made = try await admin.send("POST", "/tokens", wish)
        let token = try AdminJSON.decode(TokenAnswer.self, from: made.body).token
        return AdminClient(client: admin.client, base: admin.base, token: token)
    }

    // MARK: Who may

    /// What a root vouches for reaches every app of a device: a help desk and an owner of some apps give none.
    @Test func onlyAdministratorsSetAndAssignThem() async throws {
        try await Self.with { _, admin in
            let root = MadeRoot.request(try MadeRoot.pem("Proxy"))
            try #require(try await admin.send("PUT", Self.one, root).status == 200)
            try #require(try await admin.send("PUT", Self.given, SettingAssignmentRequest()).status == 200)
            let others = [
                try await Self.program(.helpDesk, admin), try await Self.program(.reader, admin),
                try await Self.program(.auditor, admin),
                try await Self.program(.administrator, readOnly: true, admin),
            ]
            for other in others {
                #expect(try await other.send("PUT", Self.one, root).status == 403)
                #expect(try await other.send("PUT", Self.given, SettingAssignmentRequest()).status == 403)
                #expect(try await other.send("DELETE", Self.given).status == 403)
                #expect(try await other.send("DELETE", Self.one).status == 403)
                // Which there are stands beside the groups; what is in them is for who may look inside.
                for path in ["/setting-kinds", "/setting-assignments", Self.given] {
                    #expect(try await other.send("GET", path).status == 200, "\(path)")
                }
            }
            for path in ["/settings", Self.one, Self.one + "/versions"] {
                #expect(try await others[0].send("GET", path).status == 403, "\(path)")
                #expect(try await others[1].send("GET", path).status == 200, "\(path)")
            }
        }
    }

    // MARK: What is refused

    @Test func whatIsNoRootIsRefusedByItsRule() async throws {
        try await Self.with { _, admin in
            let valid = try MadeRoot.pem("Proxy")
            let wrong: [(text: String, rule: String)] = [
                (try MadeRoot.pem("Old", until: Date(timeIntervalSinceNow: -86_400)), "The certificate expired at"),
                (try MadeRoot.pem("Leaf", isAuthority: false), "not one of an authority"),
                (valid + valid, "exactly one certificate in PEM"), ("", "exactly one certificate in PEM"),
            ]
            for (text, rule) in wrong {
                for query in ["", "?dryRun=true"] {
                    let refused = try await admin.send("PUT", Self.one + query, MadeRoot.request(text))
                    #expect(refused.status == 422 && refused.text.contains(rule), "\(refused.text)")
                }
            }
            #expect(try await admin.send("GET", Self.one).status == 404)
            let list: AdminMessages.Page<AdminMessages.Setting> = try await admin.get("/settings")
            #expect(list.items.isEmpty)
        }
    }

    @Test func namesKindsAndSizesHaveTheirBounds() async throws {
        try await Self.with { _, admin in
            let root = MadeRoot.request(try MadeRoot.pem("Proxy"))
            for name in ["a%2Fb", ".proxy", "a%20b", String(repeating: "a", count: 65)] {
                let refused = try await admin.send("PUT", "/settings/root-certificate/\(name)", root)
                #expect(refused.status == 422 && refused.text.contains("1 to 64"), "\(name): \(refused.text)")
            }
            for (method, body) in [("GET", nil), ("PUT", root), ("DELETE", nil)] as [(String, SettingRequest?)] {
                let bytes = try body.map { try AdminJSON.encode($0) }
                let answer = try await admin.send(method, "/settings/wallpaper/proxy", body: bytes)
                #expect(answer.status == 404, "\(method): \(answer.text)")
            }
            let unknown = try await admin.send("PUT", "/settings/wallpaper/proxy", root)
            #expect(unknown.text.contains("The kinds are: root-certificate"), "\(unknown.text)")

            let large = MadeRoot.request(String(repeating: "a", count: 65_536))
            #expect(try await admin.send("PUT", Self.one, large).status == 413)
            for (body, status) in [
                (#"{}"#, 400), (#"{"payload":"text"}"#, 422), (#"{"payload":{"certificate":1}}"#, 422),
                (#"{"payload":{},"more":1}"#, 422), (#"{"payload":{"a":1,"a":2}}"#, 400),
            ] as [(String, UInt)] {
                let answer = try await admin.send(
                    "PUT", Self.one, headers: ["Content-Type": "application/json"], body: Data(body.utf8))
                #expect(answer.status == status, "\(body): \(answer.text)")
            }

            try #require(try await admin.send("PUT", Self.one, root).status == 200)
            for priority in [-1_001, 1_001] {
                let wish = SettingAssignmentRequest(priority: priority)
                #expect(try await admin.send("PUT", Self.given, wish).status == 422, "\(priority)")
            }
            let nobody = "/setting-assignments/nobody/root-certificate/proxy"
            #expect(try await admin.send("PUT", nobody, SettingAssignmentRequest()).status == 404)
            let other = "/setting-assignments/teachers/root-certificate/other"
            #expect(try await admin.send("PUT", other, SettingAssignmentRequest()).status == 404)
            #expect(try await admin.send("DELETE", Self.given).status == 404)
        }
    }

    // MARK: What changes are held to

    @Test func aChangeHoldsForTheVersionThatWasSeen() async throws {
        try await Self.with { _, admin in
            func put(_ root: String, _ headers: [String: String], query: String = "") async throws -> Answer {
                let type = ["Content-Type": "application/json"]
                return try await admin.send(
                    "PUT", Self.one + query, headers: headers.merging(type) { $1 },
                    body: AdminJSON.encode(MadeRoot.request(root)))
            }
            let (first, second) = (try MadeRoot.pem("First"), try MadeRoot.pem("Second"))
            let none = ["If-None-Match": "*"]
            let dry = try await put(first, none, query: "?dryRun=true")
            #expect(dry.status == 200 && dry.headers["etag"] == nil, "\(dry.text)")
            #expect(try await admin.send("GET", Self.one).status == 404, "a dry run sets nothing")
            let made = try await put(first, none)
            #expect(made.status == 200 && made.headers["etag"] == "\"v1\"", "\(made.text)")
            #expect(try await put(second, none).status == 412)
            let again = try AdminJSON.decode(AdminMessages.Setting.self, from: try await put(first, [:]).body)
            #expect(again.unchanged == true && again.version == 1)
            #expect(try await put(second, ["If-Match": "\"v1\""]).status == 200)
            let late = try await put(first, ["If-Match": "\"v1\""])
            #expect(late.status == 412 && late.text.contains("You changed it yourself"), "\(late.text)")
            let page: AdminMessages.Page<AdminMessages.SettingVersion> = try await admin.get(Self.one + "/versions")
            #expect(page.items.map(\.version) == [2, 1])
            #expect(page.items.first?.payload["certificate"]?.text == second)
            #expect(page.items.first?.author == "admin")
            #expect(try await admin.send("DELETE", Self.one, headers: ["If-Match": "\"v1\""]).status == 412)
            #expect(try await admin.send("DELETE", Self.one, headers: ["If-Match": "\"v2\""]).status == 204)
            // What is made again is not what was removed.
            #expect(try await put(first, none).headers["etag"] == "\"v3\"")
        }
    }

    @Test func anAssignmentIsReplacedOnlyWhereItIsTheOneThatWasSeen() async throws {
        try await Self.with { _, admin in
            try #require(try await admin.send("PUT", Self.one, MadeRoot.request(MadeRoot.pem("Proxy"))).status == 200)
            func put(_ priority: Int, _ headers: [String: String]) async throws -> UInt {
                try await admin.send(
                    "PUT", Self.given, headers: headers.merging(["Content-Type": "application/json"]) { $1 },
                    body: AdminJSON.encode(SettingAssignmentRequest(priority: priority))
                ).status
            }
            #expect(try await put(1, ["If-Match": "*"]) == 412)
            #expect(try await put(1, ["If-None-Match": "*"]) == 200)
            #expect(try await put(2, ["If-None-Match": "*"]) == 412)
            let seen = try #require(try await admin.send("GET", Self.given).headers["etag"])
            #expect(try await put(2, ["If-Match": seen]) == 200)
            #expect(try await put(3, ["If-Match": seen]) == 412)
            #expect(try await admin.send("DELETE", Self.given, headers: ["If-Match": seen]).status == 412)
            let assigned: AdminMessages.SettingAssignment = try await admin.get(Self.given)
            #expect(assigned.priority == 2 && assigned.setting == "proxy")
            for (query, count) in [("group=teachers", 1), ("name=proxy&kind=root-certificate", 1), ("name=other", 0)] {
                let page: AdminMessages.Page<AdminMessages.SettingAssignment> =
                    try await admin.get("/setting-assignments?" + query)
                #expect(page.items.count == count, "\(query)")
            }
            let used = try await admin.send("DELETE", Self.one)
            #expect(used.status == 409 && used.text.contains("the group teachers"), "\(used.text)")
            #expect(try await admin.send("DELETE", Self.given, headers: ["If-Match": "*"]).status == 204)
            #expect(try await admin.send("DELETE", Self.one).status == 204)
        }
    }

    // MARK: What a device gets

    /// The explanation says that the device gets it and by which group, or why it does not.
    @Test func whatADeviceGetsIsExplained() async throws {
        try await Self.with { server, admin in
            try await PlayedDevice.with(server, admin) { (device) async throws in
                let place = "/devices/\(device.identifier.key)/effective"
                try #require(
                    try await admin.send("PUT", Self.one, MadeRoot.request(MadeRoot.pem("Proxy"))).status == 200)
                try #require(
                    try await admin.send("PUT", Self.given, SettingAssignmentRequest(priority: 7)).status == 200)
                let before: DeviceEffective = try await admin.get(place)
                let withheld = try #require(before.settings.first)
                #expect(!withheld.given && withheld.withheld.first?.code == "Server.Withheld")
                #expect(withheld.withheld.first?.description?.contains("has not said yet") == true)

                let capabilities = ClientCapabilities(
                    declarations: [.configuration: [CertificateConfiguration.type]], statusItems: [])
                let report = JSONValue.object([
                    "StatusItems": .object(["management": .object(["client-capabilities": capabilities.value])]),
                    "Errors": .array([]),
                ])
                #expect(try await device.ask(.status, report.encoded()).status == 200)
                let effective: DeviceEffective = try await admin.get(place)
                let given = try #require(effective.settings.first)
                #expect(given.given && given.withheld.isEmpty && given.kind == "root-certificate")
                #expect(given.name == "proxy" && given.version == 1 && given.summary.contains("CN=Proxy"))
                #expect(given.assignments.map(\.group) == ["teachers"] && given.assignments.first?.priority == 7)
                let items = try await device.ask(.declarationItems)
                #expect(items.text.contains("martlet.setting.root-certificate.proxy"), "\(items.text)")

                let elsewhere: DeviceEffective = try await admin.get(place + "?groups=")
                #expect(elsewhere.settings.isEmpty)
                #expect(try await admin.send("DELETE", Self.given).status == 204)
                let after = try await device.ask(.declarationItems)
                #expect(!after.text.contains("martlet.setting."), "\(after.text)")
            }
        }
    }
}
