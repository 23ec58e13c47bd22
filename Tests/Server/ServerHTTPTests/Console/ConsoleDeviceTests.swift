import AdminMessages
import AsyncHTTPClient
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// What the console does with a device: its groups, its commands, its enrollment.
@Suite("Console: devices")
struct ConsoleDeviceTests {
    @Test("a device is put into a group from its page and taken out; a group with a rule is not offered, and refuses")
    func groupsOfADevice() async throws {
        try await ConsoleBrowser.signedInBesideDevice { (_, admin, device, browser) async throws in
            let id = device.identifier.key
            for group in [Group(name: "labs"), Group(name: "ruled", rule: "os = ios")] {
                try #require(try await admin.send("POST", "/groups", group).status == 201)
            }
            func groups() async throws -> [String] {
                try await admin.get("/devices/\(id)", DeviceDetail.self).groups.sorted()
            }
            let page = "/console/devices/\(id)/groups"
            #expect(try await browser.get("/console/devices/\(id)").text.contains("href=\"\(page)\""))
            let before = try await browser.get(page).text
            #expect(before.contains("<option value=\"labs\"") && !before.contains("<option value=\"ruled\""))
            let plan = try await browser.post(page, ["group": "labs", "do": "plan"])
            #expect(plan.status == 200 && plan.text.contains("Nothing speaks against labs."), "\(plan.text)")
            #expect(try await groups() == ["teachers"], "nothing is changed by looking")
            let put = try await browser.post(page, ["group": "labs", "do": "put"])
            #expect(put.status == 303 && put.headers["location"] == page + "?done=saved")
            #expect(try await groups() == ["labs", "teachers"])
            let ruled = try await browser.post(page, ["group": "ruled", "do": "put"])
            #expect(ruled.status == 409 && ruled.text.contains("role=\"alert\""), "\(ruled.text)")
            #expect(try await browser.post(page + "/labs/remove").status == 303)
            #expect(try await groups() == ["teachers"])
            let gone = try await browser.post(page + "/labs/remove")
            #expect(gone.status == 404 && gone.text.contains("role=\"alert\""))
        }
    }

    @Test(
        "devices are put into a group from its page: one at once, several by a job; what is wrong is said at the field")
    func devicesOfAGroup() async throws {
        try await ConsoleBrowser.signedInBesideDevice { (_, admin, device, browser) async throws in
            let id = device.identifier.key
            for group in [Group(name: "labs"), Group(name: "ruled", rule: "os = ios")] {
                try #require(try await admin.send("POST", "/groups", group).status == 201)
            }
            let page = "/console/groups/labs/devices"
            #expect(try await browser.get("/console/groups/labs").text.contains("href=\"\(page)\""))
            #expect(try await !browser.get("/console/groups/ruled").text.contains("/console/groups/ruled/devices"))
            #expect(try await browser.get(page).text.contains("No device is in this group"))
            for wrong in [" \r\n", "no-such-device"] {
                let answer = try await browser.post(page, ["devices": wrong])
                #expect(answer.status == 422 && answer.text.contains("id=\"field-devices-problem\""), "\(answer.text)")
                #expect(answer.text.contains("aria-invalid=\"true\""))
            }
            let put = try await browser.post(page, ["devices": id])
            #expect(put.status == 303 && put.headers["location"] == page + "?done=added")
            let shown = try await browser.get(page).text
            #expect(shown.contains("href=\"/console/devices/\(id)\"") && shown.contains("Take it out"))
            let many = try await browser.post(page, ["devices": "\(id)\r\nno-such-device"])
            let place = try #require(many.headers["location"]?.split(separator: "?").first)
            try #require(place.hasPrefix("/console/jobs/"), "\(many.text)")
            let job = try await admin.ended("/jobs/" + place.dropFirst("/console/jobs/".count))
            #expect(job.state == "done" && job.total == 2)
            #expect(try await browser.post(page + "/\(id)/remove").status == 303)
            #expect(try await admin.get("/devices/\(id)", DeviceDetail.self).groups == ["teachers"])
            let ruled = try await browser.get("/console/groups/ruled/devices").text
            #expect(ruled.contains("<code>os = ios</code>") && !ruled.contains("Put devices in"))
        }
    }

    @Test("a command is sent by its form as the protocol has it, and what the device answers is shown as text")
    func commands() async throws {
        try await ConsoleBrowser.signedInBesideDevice { (_, admin, device, browser) async throws in
            let list = "/console/devices/\(device.identifier.key)/commands"
            #expect(try await browser.get(list).text.contains("/command?kind=DeviceInformation\""))
            let form = "/console/devices/\(device.identifier.key)/command"
            #expect(try await browser.get(form + "?kind=DeviceInformation").text.contains("OSVersion\nBuildVersion"))
            let wish = ["kind": "DeviceInformation", "key.Queries": "OSVersion\r\nModel"]
            let sent = try await browser.post(form, wish)
            let place = try #require(sent.headers["location"]?.split(separator: "?").first.map(String.init))
            try #require(sent.status == 303 && place.hasPrefix(list + "/"), "\(sent.text)")
            let waiting = try await browser.get(place).text
            #expect(waiting.contains("Waiting") && waiting.contains("Take it back"), "\(waiting)")
            let command = try #require(try await device.report(.idle))
            #expect(command.requestType == "DeviceInformation")
            #expect(command.request["Queries"] == .array([.string("OSVersion"), .string("Model")]))
            #expect(try await browser.get(place).text.contains("Do not send it again"))
            let answer: [String: PropertyListValue] = [
                "QueryResponses": .dictionary(["OSVersion": .string("<b>13</b>")])
            ]
            _ = try await device.report(.acknowledged, command, contents: answer)
            let answered = try await browser.get(place).text
            #expect(answered.contains("Done") && answered.contains("&lt;b&gt;13&lt;/b&gt;"), "\(answered)")
            #expect(try await browser.get(list).text.contains("href=\"\(place)\""))
            #expect(try await browser.post(place + "/remove").status == 303)
            #expect(try await admin.send("GET", String(place.dropFirst("/console".count))).status == 404)
        }
    }

    /// What is said of a command is said once, so the form does not lead on past it.
    @Test("what looks like a secret in a command is sent once the box for it is ticked, and said as it is queued")
    func warnings() async throws {
        try await ConsoleBrowser.signedInBesideDevice { (_, admin, device, browser) async throws in
            let wish = [
                "kind": "Settings", "key.Identifier": "com.example.a",
                "key.Configuration": #"{"apiToken": "planted-in-a-command"}"#,
            ]
            let form = "/console/devices/\(device.identifier.key)/command"
            let refused = try await browser.post(form, wish)
            #expect(refused.status == 422 && refused.text.contains("name=\"force\""), "\(refused.text)")
            #expect(refused.text.contains("<code>apiToken</code> looks like a secret"), "\(refused.text)")
            let sent = try await browser.post(form, wish.merging(["force": "1"]) { $1 })
            #expect(sent.status == 200 && sent.text.contains("The command is queued."), "\(sent.text)")
            #expect(sent.text.contains("apiToken") && !sent.text.contains("planted-in-a-command"))
            let place = "/devices/\(device.identifier.key)/commands"
            let queued: AdminMessages.Page<CommandSummary> = try await admin.get(place)
            let command = try #require(queued.items.last)
            #expect(command.requestType == "Settings" && sent.text.contains(command.uuid))
        }
    }

    @Test("what cannot be taken back is sent only once it was confirmed; what no command can be is said at its field")
    func confirmation() async throws {
        try await ConsoleBrowser.signedInBesideDevice { (_, admin, device, browser) async throws in
            let form = "/console/devices/\(device.identifier.key)/command"
            let erase = ["kind": "EraseDevice", "key.PIN": "123456"]
            let asked = try await browser.post(form, erase)
            #expect(asked.status == 422 && asked.text.contains("id=\"field-confirmed-problem\""), "\(asked.text)")
            #expect(asked.text.contains("Everything on the device is gone forever"))
            #expect(!asked.text.contains("123456"), "a PIN is on no page")
            for (wish, problem) in [
                (["kind": "EraseDevice", "key.PIN": "12", "confirmed": "1"], "A PIN is six digits."),
                (["kind": "", "key.RequestType": " ", "confirmed": "1"], "Fill this in."),
                (
                    ["kind": "", "key.RequestType": "Settings", "key.Parameters": "[1]", "confirmed": "1"],
                    "JSON object without null"
                ),
                (["kind": "InstallProfile", "key.Payload": "no profile"], "a property list with a dictionary"),
                // The API refuses it, whatever the form takes.
                (["kind": "", "key.RequestType": "dev.martlet.TryConfiguration", "confirmed": "1"], "role=\"alert\""),
            ] {
                let refused = try await browser.post(form, wish)
                #expect(refused.status == 422 && refused.text.contains(problem), "\(wish): \(refused.text)")
            }
            let commands = "/devices/\(device.identifier.key)/commands"
            #expect(try await admin.get(commands, Page<CommandSummary>.self).items.isEmpty)
            #expect(try await browser.post(form, erase.merging(["confirmed": "1"]) { $1 }).status == 303)
            let command = try #require(try await device.report(.idle))
            #expect(command.requestType == "EraseDevice" && command.request["PIN"] == .string("123456"))
        }
    }

    @Test("an enrollment is withdrawn only once that was confirmed; afterwards nothing can be done with the device")
    func withdrawal() async throws {
        try await ConsoleBrowser.signedInBesideDevice { (_, admin, device, browser) async throws in
            let id = device.identifier.key
            let page = "/console/devices/\(id)/enrollment"
            #expect(try await browser.get("/console/devices/\(id)").text.contains("href=\"\(page)\""))
            #expect(try await !browser.get(page).text.contains("Have them sign in again"), "nobody came by an account")
            let asked = try await browser.post(page + "/withdraw")
            #expect(asked.status == 422 && asked.text.contains("id=\"field-confirmed-problem\""), "\(asked.text)")
            #expect(try await admin.get("/devices/\(id)", DeviceDetail.self).state == .enrolled)
            #expect(try await browser.post(page + "/withdraw", ["confirmed": "1"]).status == 303)
            #expect(try await admin.get("/devices/\(id)", DeviceDetail.self).state == .withdrawn)
            for (path, absent) in [
                ("", "End its enrollment"), ("/enrollment", "Withdraw its enrollment"), ("/groups", "Put it in"),
                ("/commands", "Send a command"), ("/command?kind=ProfileList", "Send it"),
            ] {
                let after = try await browser.get("/console/devices/\(id)\(path)")
                #expect(after.status == 200 && !after.text.contains(absent), "\(path)")
            }
        }
    }

    @Test(
        "the person of a device that came by an account is signed out, by the help desk, too; it keeps its enrollment")
    func signOut() async throws {
        try await ConsoleBrowser.signedInBesideDevice { (server, admin, owned, _) async throws in
            let device = try await PlayedDevice.byAccount(admin.signIn("anna", server), server, owned.client)
            let id = device.identifier.key
            try await ConsoleBrowser.with(server) { (browser) async throws in
                try await browser.signIn(as: .helpDesk, admin)
                let page = "/console/devices/\(id)/enrollment"
                let shown = try await browser.get(page).text
                #expect(shown.contains("Have them sign in again") && !shown.contains("Withdraw its enrollment"))
                #expect(try await browser.post(page + "/sign-out").status == 303)
                let detail: DeviceDetail = try await admin.get("/devices/\(id)")
                #expect(detail.signIn?.needed == true && detail.state == .enrolled)
                let after = try await browser.get(page).text
                #expect(after.contains("Has to sign in again") && !after.contains("Have them sign in again"))
                // The organization's own device has nobody to sign in.
                let other = "/console/devices/\(owned.identifier.key)/enrollment/sign-out"
                let refused = try await browser.post(other)
                #expect(refused.status == 422 && refused.text.contains("role=\"alert\""))
            }
        }
    }

    @Test("who only looks sees groups and commands of a device, and is offered and allowed no change")
    func readers() async throws {
        try await ConsoleBrowser.signedInBesideDevice { (server, admin, device, _) async throws in
            let id = device.identifier.key
            let queued = try await admin.send(
                "POST", "/devices/\(id)/commands", CommandRequest(requestType: "ProfileList"))
            let uuid = try AdminJSON.decode(CommandSummary.self, from: queued.body).uuid
            try await ConsoleBrowser.with(server) { (browser) async throws in
                try await browser.signIn(as: .reader, admin)
                for path in [
                    "/devices/\(id)/groups", "/devices/\(id)/commands", "/devices/\(id)/commands/\(uuid)",
                    "/devices/\(id)/command?kind=EraseDevice", "/devices/\(id)/enrollment", "/groups/teachers/devices",
                ] {
                    let page = try await browser.get("/console" + path)
                    let main = page.text.components(separatedBy: "<main").last ?? ""
                    #expect(page.status == 200 && !main.contains("<form"), "\(path): \(main)")
                }
                for (path, fields) in [
                    ("/devices/\(id)/groups", ["group": "teachers"]), ("/devices/\(id)/groups/teachers/remove", [:]),
                    ("/devices/\(id)/command", ["kind": "ProfileList"]),
                    ("/devices/\(id)/commands/\(uuid)/remove", [:]),
                    ("/devices/\(id)/enrollment/withdraw", ["confirmed": "1"]),
                    ("/devices/\(id)/enrollment/sign-out", [:]),
                    ("/groups/teachers/devices", ["devices": id]), ("/groups/teachers/devices/\(id)/remove", [:]),
                ] as [(String, [String: String])] {
                    #expect(try await browser.post("/console" + path, fields).status == 403, "\(path)")
                }
            }
            let commands: Page<CommandSummary> = try await admin.get("/devices/\(id)/commands")
            #expect(commands.items.map(\.uuid) == [uuid])
            let detail: DeviceDetail = try await admin.get("/devices/\(id)")
            #expect(detail.state == .enrolled && detail.groups == ["teachers"])
        }
    }
}
