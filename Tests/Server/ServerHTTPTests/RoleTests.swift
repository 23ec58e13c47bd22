import AdminMessages
import Foundation
import Management
import Testing

@testable import ServerHTTP

/// Each role at each route of the administrator's API.
@Suite struct RoleTests {
    /// The table has every operation that needs a session, and nothing else.
    @Test func everyOperationIsInTheTable() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let names = try await AdminOperation.all(admin).map(\.name)
                #expect(
                    Set(AdminPermissions.table.keys) == Set(names).subtracting(["logIn", "describe", "showReference"]))
                #expect(AdminPermissions.needed(for: "somethingNew") == .administer)
            }
        }
    }

    /// Every role calls every route: what it may not do is refused with 403 before anything else is looked at, what it
    /// may do is never refused for that.
    @Test func eachRoleIsLetIntoItsRoutesAndNoOther() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let operations = try await AdminOperation.all(admin)
                for role in Role.allCases {
                    let rights = Rights(role: role)
                    let other = try await Self.logIn("one-\(role.rawValue)", rights, admin)
                    for operation in operations
                    where !["logIn", "logOut", "describe", "showReference"].contains(operation.name) {
                        let path = Self.filled(operation.path)
                        let body = operation.method == "GET" ? nil : Data("{".utf8)
                        let answer = try await other.send(operation.method, path, body: body)
                        let allowed = rights.allow(
                            AdminPermissions.needed(for: operation.name),
                            app: operation.path.contains("{app}") ? "a.b" : nil,
                            group: operation.path.contains("{group}") ? "g" : nil)
                        let isRefused = answer.status == 403 && answer.text.contains("problem:not-allowed")
                        #expect(isRefused != allowed, "\(role) \(operation.name): \(answer.status) \(answer.text)")
                    }
                }
            }
        }
    }

    /// Every kind of token at every route: what its scope, its administrator, or its being a token does not allow is refused.
    @Test func eachTokenIsLetIntoItsRoutesAndNoOther() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let operations = try await AdminOperation.all(admin)
                for role in Role.allCases {
                    let maker = Rights(role: role)
                    let other = try await Self.logIn("maker-\(role.rawValue)", maker, admin)
                    for (isReadOnly, administers) in [(false, false), (true, false), (false, true)] {
                        let wish = TokenRequest(
                            name: "\(isReadOnly)-\(administers)", validSeconds: 600,
                            role: AdministratorRole(rawValue: role.rawValue), readOnly: isReadOnly,
                            administers: administers)
                        let made = try await other.send("POST", "/tokens", wish)
                        guard role == .administrator || !administers else {
                            #expect(made.status == 422)
                            continue
                        }
                        let text = try AdminJSON.decode(TokenAnswer.self, from: made.body).token
                        let program = AdminClient(client: admin.client, base: admin.base, token: text)
                        let rights = maker.forToken(isReadOnly: isReadOnly, administers: administers, of: maker)
                        for operation in operations
                        where !["logIn", "describe", "showReference"].contains(operation.name) {
                            let body = operation.method == "GET" ? nil : Data("{".utf8)
                            let answer = try await program.send(
                                operation.method, Self.filled(operation.path), body: body)
                            let allowed = rights.allow(
                                AdminPermissions.needed(for: operation.name),
                                app: operation.path.contains("{app}") ? "a.b" : nil,
                                group: operation.path.contains("{group}") ? "g" : nil)
                            // Whatever an operation needs: a token that only reads changes nothing.
                            let changes = operation.method != "GET" && !Self.reading.contains(operation.name)
                            let isAllowed = allowed && !(isReadOnly && changes)
                            let isRefused = answer.status == 403 && answer.text.contains("problem:not-allowed")
                            #expect(isRefused != isAllowed, "\(role) \(operation.name): \(answer.status)")
                        }
                    }
                }
            }
        }
    }

    /// Whatever the table says: who only looks changes nothing, and changes of who may do what are an administrator's.
    @Test func nobodyWhoOnlyLooksChangesAnything() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                for role in [Role.reader, .auditor] {
                    let other = try await Self.logIn("two-\(role.rawValue)", Rights(role: role), admin)
                    for operation in try await AdminOperation.all(admin) where operation.method != "GET" {
                        let harmless = [
                            "logIn", "logOut", "logOutElsewhere", "changePassword", "checkConfiguration",
                            "previewGroup", "createToken", "revokeToken", "startAuditVerification", "cancelJob",
                        ]
                        guard !harmless.contains(operation.name) else { continue }
                        let path = Self.filled(operation.path)
                        let answer = try await other.send(operation.method, path, body: Data("{}".utf8))
                        #expect(answer.status == 403, "\(role) \(operation.name): \(answer.status)")
                    }
                }
                for role in Role.allCases where role != .administrator {
                    let other = try await Self.logIn("three-\(role.rawValue)", Rights(role: role), admin)
                    let wish = RightsRequest(role: .administrator)
                    let raised = try await other.send("PUT", "/administrators/three-\(role.rawValue)", wish)
                    #expect(raised.status == 403)
                }
            }
        }
    }

    /// A help desk lets devices into groups that give nothing secret, and puts no device in another one's place.
    @Test func aHelpDeskReachesNoSecretByLettingDevicesIn() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                _ = try await admin.send("POST", "/groups", Group(name: "pupils"))
                let details = AdminMessages.PersonDetails(email: "anna@example.org")
                let anna = try await admin.send("PUT", "/people/anna", details)
                #expect(anna.status < 300, "\(anna.text)")
                let desk = try await Self.logIn("desk", Rights(role: .helpDesk), admin)
                func statuses(_ group: String) async throws -> [UInt] {
                    let body = Data(#"{"group":"\#(group)"}"#.utf8)
                    let expected = Data(#"{"group":"\#(group)","trustSerialNumber":true}"#.utf8)
                    return [
                        try await desk.send("POST", "/enrollment-codes", body: body).status,
                        try await desk.send("PUT", "/people/anna/invitation", body: body).status,
                        try await desk.send("PUT", "/expected-devices/SN-1", body: expected).status,
                        try await desk.send(
                            "POST", "/expected-devices/import?group=\(group)&trustSerialNumber=true",
                            body: Data("SN-1\n".utf8)
                        ).status,
                    ]
                }
                #expect(try await statuses("teachers") == [201, 201, 204, 200])
                let secret = try await admin.send(
                    "PUT", "/secrets/wifi",
                    body: AdminJSON.encode(
                        SecretRequest.password(PasswordSecret(userName: "guest", password: "planted"))))
                #expect(secret.status < 300, "\(secret.text)")
                let given = try await admin.send(
                    "PUT", "/secret-assignments/teachers/org.swift.landmarks/password/wifi",
                    body: Data(#"{"secret":"wifi"}"#.utf8))
                #expect(given.status < 300, "\(given.text)")
                #expect(try await statuses("teachers") == [403, 403, 403, 403])
                #expect(try await statuses("pupils") == [201, 201, 204, 200])
                let own = try await admin.send("POST", "/enrollment-codes", body: Data(#"{"group":"teachers"}"#.utf8))
                #expect(own.status == 201)
                let replacing = Data(#"{"group":"pupils","replaces":"D1"}"#.utf8)
                #expect(try await desk.send("POST", "/enrollment-codes", body: replacing).status == 403)
                #expect(try await admin.send("POST", "/enrollment-codes", body: replacing).status == 404)
            }
        }
    }

    /// A change of role holds at the next request of an open session; who is removed has no session.
    @Test func aChangeHoldsForOpenSessionsAtOnce() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let other = try await Self.logIn("ben", .all, admin)
                #expect(try await other.send("POST", "/groups", Group(name: "one")).status == 201)
                _ = try await admin.send("PUT", "/administrators/ben", RightsRequest(role: .reader))
                #expect(try await other.send("POST", "/groups", Group(name: "two")).status == 403)
                let detail: SessionDetail = try await other.get("/session")
                #expect(detail.name == "ben" && detail.role == .reader && detail.apps == nil)
                let last = try await admin.send("DELETE", "/administrators/admin")
                #expect(last.status == 409 && last.text.contains("At least one administrator"))
                #expect(try await admin.send("DELETE", "/administrators/ben").status == 204)
                #expect(try await other.send("GET", "/groups").status == 401)
                let log: AdminMessages.Page<AdminMessages.AuditEntry> = try await admin.get("/audit?subject=ben")
                let changes = log.items.map(\.action).filter { $0.hasPrefix("administrator.") }
                #expect(
                    changes == [
                        "administrator.remove", "administrator.set", "administrator.password.change",
                        "administrator.create",
                    ])
            }
        }
    }

    /// An owner of apps works on theirs as an administrator does, and finds no way to the others.
    @Test func anOwnerOfAppsReachesTheirAppsAlone() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
                _ = try await admin.send(
                    "PUT", "/apps/org.swift.notes", App(bundleIdentifier: "org.swift.notes", name: "N"))
                _ = try await admin.send("POST", "/groups", Group(name: "pupils"))
                let rights = Rights(role: .appOwner, apps: ["org.swift.landmarks"], groups: ["teachers"])
                let owner = try await Self.logIn("owner", rights, admin)
                let mine = "/apps/org.swift.landmarks/configurations/default"
                let set = try await owner.send("PUT", mine, body: AdminClient.configuration(title: "two"))
                #expect(set.status == 200, "\(set.text)")
                let given = try await owner.send(
                    "PUT", "/assignments/teachers/org.swift.landmarks", AssignmentRequest(configuration: "default"))
                #expect(given.status == 200, "\(given.text)")
                let configuration = AdminClient.configuration(title: "three")
                for (method, path, body) in [
                    ("PUT", "/apps/org.swift.notes/configurations/default", configuration),
                    ("GET", "/apps/org.swift.notes/configurations", nil),
                    ("PUT", "/assignments/pupils/org.swift.landmarks", Data("{}".utf8)),
                    ("PUT", "/assignments/teachers/org.swift.notes", Data("{}".utf8)),
                    // What only looks like theirs is not.
                    ("PUT", "/apps/org.swift.landmarks%2F/configurations/default", configuration),
                    ("PUT", "/apps/ORG.swift.landmarks/configurations/default", configuration),
                    ("PUT", "/secret-assignments/teachers/org.swift.landmarks/password/wifi", Data("{}".utf8)),
                ] as [(String, String, Data?)] {
                    let answer = try await owner.send(method, path, body: body)
                    #expect([403, 404].contains(answer.status), "\(method) \(path): \(answer.status)")
                }
            }
        }
    }

    // MARK: help

    /// Operations that change nothing though they are no GET.
    private static let reading: Set<String> = ["previewGroup", "checkConfiguration"]

    /// The path about the app `a.b` and the group `g`, and other things by one name.
    private static func filled(_ path: String) -> String {
        path.replacing("{app}", with: "a.b").replacing("{group}", with: "g")
            .replacing(/\{[a-zA-Z0-9]+\}/, with: "x") + (path == "/events" ? "?follow=false" : "")
    }

    /// A new administrator who has changed the one-time password.
    static func logIn(_ name: String, _ rights: Rights, _ admin: AdminClient) async throws -> AdminClient {
        let role = AdministratorRole(rawValue: rights.role.rawValue)
        let isLimited = rights.role == .appOwner
        let made = try await admin.send(
            "POST", "/administrators",
            AdministratorRequest(
                name: name, role: role, apps: isLimited ? rights.apps : nil, groups: isLimited ? rights.groups : nil))
        try #require(made.status == 201, "\(made.text)")
        let password = try AdminJSON.decode(AdministratorPassword.self, from: made.body).oneTimePassword
        let opened = try await admin.send("POST", "/session", SessionRequest(name: name, password: password))
        let token = try AdminJSON.decode(SessionAnswer.self, from: opened.body).token
        let other = AdminClient(client: admin.client, base: admin.base, token: token)
        let changed = try await other.send(
            "PUT", "/session/password", PasswordChange(old: password, new: AdminClient.password))
        try #require(changed.status == 204, "\(changed.text)")
        return other
    }
}
