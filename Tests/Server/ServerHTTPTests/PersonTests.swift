import AdminMessages
import DeviceMessages
import Foundation
import TestLog
import Testing

/// People and their devices over the API, and tables that single devices have values from.
struct PersonTests {
    @Test func aPersonIsSetShownChangedAndRemoved() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let path = "/people/corp%2Fanna%20%C3%A9"
                let details = PersonDetails(fullName: "Anna Graf", email: "anna@example.com")
                let put = try await admin.send("PUT", path, details)
                #expect(put.status == 200, "\(put.text)")
                let person: Person = try await admin.get(path)
                #expect(person.userName == "corp/anna é" && person.details == details && person.devices == [])
                let tag = try #require(try await admin.send("GET", path).headers["etag"])
                #expect(try await admin.send("GET", path, headers: ["If-None-Match": tag]).status == 304)
                let stale = try await admin.send(
                    "PUT", path, headers: ["If-Match": "\"other\""], body: AdminJSON.encode(details))
                #expect(stale.status == 412)
                let wrong = try await admin.send("PUT", path, PersonDetails(email: "nothing"))
                #expect(wrong.status == 422 && wrong.text.contains("one @"))
                let unknown = try await admin.send("PUT", path, ["mail": "a@b"])
                #expect(unknown.status == 422 && unknown.text.contains("emailAddress") == false, "\(unknown.text)")
                #expect(try await admin.send("DELETE", path).status == 204)
                #expect(try await admin.send("GET", path).status == 404)
            }
        }
    }

    @Test func aTableIsTakenWholeOrNotAtAll() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                func bring(_ table: String, _ query: String = "") async throws -> Answer {
                    try await admin.send("POST", "/people/import" + query, body: Data(table.utf8))
                }
                let dry = try await bring("userName\nanna\nben\n", "?dryRun=true")
                #expect(
                    try AdminJSON.decode(PeopleImportAnswer.self, from: dry.body)
                        == PeopleImportAnswer(added: 2, changed: 0, unchanged: 0, dryRun: true))
                let refused = try await bring("userName,email\nanna,a@b\nben,PLANTED\n")
                #expect(refused.status == 422 && refused.text.contains("line 3, column 2"), "\(refused.text)")
                #expect(!refused.text.contains("PLANTED"))
                #expect(try await bring("userName\nanna\n", "?dryRun=maybe").status == 400)
                #expect(try await bring(String(repeating: "x", count: 3 << 20)).status == 413)
                let none: AdminMessages.Page<Person> = try await admin.get("/people")
                #expect(none.items.isEmpty)
                #expect(try await bring("userName\nanna\nben\ncleo\n").status == 200)
                let first: AdminMessages.Page<Person> = try await admin.get("/people?limit=2")
                let rest: AdminMessages.Page<Person> = try await admin.get("/people?limit=2&cursor=\(first.next ?? "")")
                #expect((first.items + rest.items).map(\.userName) == ["anna", "ben", "cleo"])
            }
        }
    }

    /// A table that is written between the look at a person and their change is not lost.
    @Test func whoSawAPersonBeforeATableChangedThemIsTold() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                for method in ["PUT", "DELETE"] {
                    let body = try method == "PUT" ? AdminJSON.encode(PersonDetails(email: "own@b")) : nil
                    _ = try await admin.send("PUT", "/people/anna", PersonDetails(email: "first@b"))
                    let seen = try #require(try await admin.send("GET", "/people/anna").headers["etag"])
                    let (table, own) = try await HeldWriter.of(server.store) { writer in
                        async let table = admin.send(
                            "POST", "/people/import", body: Data("userName,locale\nanna,de_CH\n".utf8))
                        try await writer.isAwaited(by: "putPeople")
                        async let own = admin.send(
                            method, "/people/anna", headers: ["If-Match": seen], body: body)
                        try await writer.isAwaited(by: method == "PUT" ? "putPerson" : "removePerson")
                        writer.letGo()
                        return try await (table, own)
                    }
                    #expect(table.status == 200, "\(table.text)")
                    #expect(own.status == 412, "\(method): \(own.text)")
                    let kept: Person = try await admin.get("/people/anna")
                    #expect(kept.details == PersonDetails(email: "first@b", locale: "de_CH"), "\(method)")
                }
            }
        }
    }

    @Test func aDeviceIsAPersonsAndItsPageSaysSo() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let path = "/devices/\(device.identifier.key)"
                    try await admin.assignLandmarks(AdminClient.configuration(title: "Of ${person.fullName}"))
                    let nobody: DeviceDetail = try await admin.get(path)
                    #expect(nobody.person == nil)
                    let reason = nobody.apps.first?.reasons.first
                    #expect(
                        reason?.code == "Server.Withheld" && reason?.description?.contains("${person.fullName}") == true
                    )
                    #expect(reason?.details?["Variables"] == .array([.string("person.fullName")]))
                    #expect(try await admin.send("DELETE", path + "/person").status == 404)
                    #expect(try await admin.send("GET", path + "/person").status == 404)
                    let missing = try await admin.send("PUT", path + "/person", DevicePersonRequest(userName: "anna"))
                    #expect(missing.status == 404)
                    _ = try await admin.send("PUT", "/people/anna", PersonDetails(fullName: "Anna Graf"))
                    let put = try await admin.send("PUT", path + "/person", DevicePersonRequest(userName: "anna"))
                    #expect(put.status == 204, "\(put.text)")
                    #expect(try await admin.get(path + "/person", DevicePersonRequest.self).userName == "anna")
                    // Red: the device was another's without a word.
                    _ = try await admin.send("PUT", "/people/ben", PersonDetails(fullName: "Ben"))
                    let late = try await admin.send(
                        "PUT", path + "/person", headers: ["If-None-Match": "*"],
                        body: AdminJSON.encode(DevicePersonRequest(userName: "ben")))
                    #expect(late.status == 412, "\(late.text)")
                    let annas: DeviceDetail = try await admin.get(path)
                    #expect(annas.person == "anna" && annas.apps.first?.reasons.isEmpty == true)
                    let person: Person = try await admin.get("/people/anna")
                    #expect(person.devices == [device.identifier.key])
                    #expect(try await admin.send("DELETE", "/people/anna").status == 409)
                    let listed: AdminMessages.Page<DeviceSummary> = try await admin.get(
                        "/devices?serialNumber=\(device.identifier.key)&group=teachers")
                    #expect(listed.items.map(\.person) == ["anna"])
                    let others: AdminMessages.Page<DeviceSummary> = try await admin.get("/devices?serialNumber=none")
                    #expect(others.items.isEmpty)
                    let named: AdminMessages.Page<DeviceSummary> = try await admin.get(
                        "/devices?named=\(device.identifier.key)")
                    #expect(named.items.map(\.id) == [device.identifier.key])
                    #expect(try await admin.send("DELETE", path + "/person").status == 204)
                }
            }
        }
    }

    /// Values of people go in by the same address, for people who are known, and numbers come out.
    @Test func valuesOfPeopleNeverComeOut() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                func put(_ table: String) async throws -> Answer {
                    try await admin.send("PUT", "/secrets/pin/values", body: Data(table.utf8))
                }
                let table = "person,password\nanna,PLANTED-1\n"
                let unknown = try await put(table)
                #expect(unknown.status == 422 && unknown.text.contains("line 2, column 1"), "\(unknown.text)")
                _ = try await admin.send("PUT", "/people/anna", PersonDetails(fullName: "Anna Graf"))
                let first = try await put(table)
                #expect(
                    try AdminJSON.decode(SecretValuesAnswer.self, from: first.body)
                        == SecretValuesAnswer(owner: "person", version: 1, set: 1, removed: 0, total: 1))
                let secret: Secret = try await admin.get("/secrets/pin")
                #expect(secret.facts.personValues == 1 && secret.facts.deviceValues == nil)
                var said = unknown.text + first.text
                for path in ["/secrets", "/secrets/pin", "/secrets/pin/versions", "/audit"] {
                    said += try await admin.send("GET", path).text
                }
                #expect(!(said + server.log.all.joined()).contains("PLANTED"))
            }
        }
    }

    /// Values of single devices go in, and numbers come out.
    @Test func valuesOfSingleDevicesNeverComeOut() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                func put(_ table: String, _ query: String = "", _ headers: [String: String] = [:]) async throws
                    -> Answer
                {
                    try await admin.send("PUT", "/secrets/pin/values" + query, headers: headers, body: Data(table.utf8))
                }
                let table = "serialNumber,password\nS1,PLANTED-1\nS2,PLANTED-2\n"
                let first = try await put(table, "", ["If-None-Match": "*"])
                #expect(
                    try AdminJSON.decode(SecretValuesAnswer.self, from: first.body)
                        == SecretValuesAnswer(version: 1, set: 2, removed: 0, total: 2))
                #expect(first.headers["etag"] == "\"v1\"")
                #expect(try await put(table, "", ["If-None-Match": "*"]).status == 412)
                #expect(try await put(table, "?replace=yes").status == 400)
                let refused = try await put("serialNumber,password\nS1,\"PLANTED-1\n")
                #expect(refused.status == 422 && refused.text.contains("line 2, column 2"), "\(refused.text)")
                let replaced = try await put("serialNumber,password\nS2,PLANTED-2\n", "?replace=true")
                #expect(
                    try AdminJSON.decode(SecretValuesAnswer.self, from: replaced.body)
                        == SecretValuesAnswer(version: 2, set: 0, removed: 1, total: 1))
                let secret: Secret = try await admin.get("/secrets/pin")
                #expect(secret.facts.deviceValues == 1 && secret.version == 2)
                var said = refused.text + first.text + replaced.text
                for path in ["/secrets", "/secrets/pin", "/secrets/pin/versions", "/audit"] {
                    said += try await admin.send("GET", path).text
                }
                #expect(!(said + server.log.all.joined()).contains("PLANTED"))
            }
        }
    }
}
