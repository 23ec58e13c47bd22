import AdminMessages
import Foundation

/// The devices that enroll by themselves because they are expected: one by one, or by a table.
enum ExpectedDevicesPage {
    static let routes = [
        ConsoleRoute(.get, "/expected-devices", serve: { call in try await page(call) }),
        ConsoleRoute(.post, "/expected-devices", serve: expect),
        ConsoleRoute(.get, "/expected-devices/{serialnumber}", serve: { call in try await show(call) }),
        ConsoleRoute(.post, "/expected-devices/{serialnumber}/remove", serve: remove),
        ConsoleRoute(.post, "/expected-devices/import", serve: take),
    ]

    static let path = ["expected-devices"]
    private static let trail = [Shell.Step("Enrollment", ["enrollment"])]

    private static func page(
        _ call: ConsoleCall, refusal: AdminRefused? = nil, problem: String? = nil, came answer: HTML? = nil
    ) async throws -> ConsoleAnswer {
        let query = call.query("cursor").map { [("cursor", $0)] } ?? []
        let devices: Page<ExpectedDevice> = try await call.door.get(RequestPath.text(path, query: query))
        return call.page(
            "Expected devices", in: .enrollment, trail: trail, status: refusal?.status ?? (problem == nil ? 200 : 422),
            """
            \(refusal.map { ProblemPage.alert($0.problem) })\(answer)
            <p>They enroll once without a code, each known by its chip or, where that is trusted, by its serial number.</p>
            \(table(devices.items, call))\(Pager.html(next: devices.next, in: path, call))
            \(call.may(.help) ? try await forms(call, problem) : nil)
            """)
    }

    private static func table(_ devices: [ExpectedDevice], _ call: ConsoleCall) -> HTML {
        guard !devices.isEmpty else {
            return EmptyState.html("No device is expected", "Devices that are not enroll with a code or an account.")
        }
        return Table(
            caption: "Expected devices", columns: ["Serial number", "Group", "Known by", "Came"],
            rows: devices.map { device in
                [
                    Link.html(device.serialNumber, path + [device.serialNumber]),
                    Link.html(device.group, ["groups", device.group]),
                    device.chip == nil ? "its serial number" : "its chip",
                    device.used.map { Moment.html($0, now: call.request.now) }
                        ?? "<span class=\"muted\">not yet</span>",
                ]
            }
        ).html
    }

    // MARK: One

    private static func show(_ call: ConsoleCall, refusal: AdminRefused? = nil) async throws -> ConsoleAnswer {
        let place = path + [call.parameter("serialnumber")]
        let (device, tag): (ExpectedDevice, String?) = try await call.door.tagged(RequestPath.text(place))
        let removal: HTML? =
            call.may(.help)
            ? call.form(
                to: ConsolePath.text(place + ["remove"]),
                """
                \(FormEdit([], of: [:], tag: tag).hidden)<p class="hint">One that came stays enrolled.</p>
                <button class="danger">Expect it no more</button>
                """) : nil
        return call.page(
            device.serialNumber, in: .enrollment, trail: trail + [Shell.Step("Expected devices", path)],
            status: refusal?.status ?? 200,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            \(Facts.html([
                ("Group", Link.html(device.group, ["groups", device.group])),
                ("Known by", device.chip.map { Code.copied($0, what: "the digest of its chip") } ?? "its serial number"),
                ("Waits in its setup", device.awaitConfiguration == true ? "until everything is there" : "no"),
                ("Expected", Moment.html(device.created, now: call.request.now)),
                ("Came", device.used.map { Moment.html($0, now: call.request.now) } ?? "not yet"),
            ]))
            \(removal)
            """)
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let seen = FormEdit([], call.request.form)
        do {
            try await call.door.send(
                "DELETE", RequestPath.text(path + [call.parameter("serialnumber")]), ifMatch: seen.tag)
            return .seeOther(path, .removed)
        } catch let refusal as AdminRefused where refusal.status == 412 {
            return try await show(call, refusal: refusal)
        }
    }

    // MARK: New ones

    private static func forms(_ call: ConsoleCall, _ problem: String?) async throws -> HTML {
        let groups: Page<Group> = try await call.door.get(RequestPath.text(["groups"], query: [("limit", "500")]))
        let names = groups.items.filter { $0.rule == nil }.map(\.name)
        guard !names.isEmpty else { return "<p>First create a group: \(Link.html("Groups", ["groups"])).</p>" }
        let form = call.request.form
        func group(_ name: String) -> HTML {
            Field(name, "Group", value: form[name] ?? "", hint: "Which it joins.").choice(names.map { ($0, $0) })
        }
        let serial = Field("serialNumber", "Serial number", value: form["serialNumber"] ?? "", isRequired: true)
        let chip = Field(
            "chip", "Its chip", value: form["chip"] ?? "", hint: "What martlet-agent chip shows on it: 64 digits.",
            problem: problem)
        let trust = Field("trust", "The first device that says the serial number is let in", value: form["trust"] ?? "")
        let waits = Field("await", "It waits in its setup until everything is there", value: form["await"] ?? "")
        let table = Field(
            "table", "Table", value: form["table"] ?? "",
            hint: "Comma-separated values with a heading: serialNumber, and any of group and chip.", isRequired: true)
        let trustAll = Field(
            "trustAll", "Devices without a chip are let in by their number", value: form["trustAll"] ?? "")
        let waitAll = Field(
            "awaitAll", "They wait in their setup until everything is there", value: form["awaitAll"] ?? "")
        let replaceAll = Field(
            "replaceAll", "Change devices that are expected already to what the table says",
            value: form["replaceAll"] ?? "")
        let one = call.form(
            to: ConsolePath.text(path),
            "\(serial.line)\(group("group"))\(chip.line)\(trust.box)\(waits.box)<button>Expect it</button>")
        let many = call.form(
            to: ConsolePath.text(path + ["import"]),
            """
            <div class="field" data-file="field-table" hidden><label for="file">File</label>\
            <input type="file" id="file"></div>
            \(table.area(rows: 6))\(group("groupAll"))\(trustAll.box)\(waitAll.box)\(replaceAll.box)
            <button>Expect all of them</button>
            """)
        return "\(Panel.html("Expect a device", one))\(Panel.html("Expect many", many))"
    }

    private static func expect(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let form = call.request.form
        let chip = (form["chip"] ?? "").trimmingCharacters(in: .whitespaces).lowercased()
        let isTrusted = form["trust"] != nil
        guard chip.isEmpty == isTrusted else {
            return try await page(
                call, problem: "Say what its chip is, or that its serial number is trusted: one of both.")
        }
        let wish = ExpectedDeviceRequest(
            group: form["group"] ?? "", chip: chip.isEmpty ? nil : chip, trustSerialNumber: isTrusted ? true : nil,
            awaitConfiguration: form["await"] != nil ? true : nil)
        do {
            // One that is expected already is not expected otherwise unseen.
            let place = RequestPath.text(path + [(form["serialNumber"] ?? "").trimmingCharacters(in: .whitespaces)])
            try await call.door.send("PUT", place, wish, of: FormEdit([], of: [:], tag: nil))
            return .seeOther(path, .added)
        } catch let refusal as AdminRefused where [400, 404, 409, 412, 422].contains(refusal.status) {
            return try await page(call, refusal: refusal)
        }
    }

    private static func take(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let form = call.request.form
        let query = [
            ("group", form["groupAll"] ?? ""), form["trustAll"] != nil ? ("trustSerialNumber", "true") : nil,
            form["awaitAll"] != nil ? ("awaitConfiguration", "true") : nil,
            form["replaceAll"] != nil ? ("replace", "true") : nil,
        ].compactMap { $0 }
        do {
            let answer = try await call.door.send(
                "POST", RequestPath.text(path + ["import"], query: query.filter { !$0.1.isEmpty }),
                bytes: Data((form["table"] ?? "").utf8), type: "text/csv")
            let came = try AdminJSON.decode(ExpectedDevicesAnswer.self, from: answer.body)
            return try await page(call, came: told(came))
        } catch let refusal as AdminRefused where [400, 404, 409, 413, 422].contains(refusal.status) {
            return try await page(call, refusal: refusal)
        }
    }

    private static func told(_ answer: ExpectedDevicesAnswer) -> HTML {
        """
        <p class="flash" role="status">\(answer.added) are expected from now on, \(answer.changed) otherwise than before, \
        \(answer.unchanged) as before; \(answer.came) came already.</p>
        """
    }
}
