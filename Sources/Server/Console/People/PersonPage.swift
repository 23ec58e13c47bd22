import AdminMessages

/// One person: what is known of them, their devices, their invitation.
enum PersonPage {
    static let routes = [
        ConsoleRoute(.get, "/people/{person}", serve: { call in try await show(call) }),
        ConsoleRoute(.post, "/people/{person}", serve: save),
        ConsoleRoute(.post, "/people/{person}/remove", serve: remove),
        ConsoleRoute(.post, "/people/{person}/devices", serve: give),
        ConsoleRoute(.post, "/people/{person}/devices/{device}/remove", serve: take),
    ]

    private static func path(_ call: ConsoleCall) -> [String] { ["people", call.parameter("person")] }

    private static func present(_ call: ConsoleCall) async throws -> (person: Person, edit: FormEdit) {
        // Its devices are another thing: what is known of them is what is edited here, and has the tag of all.
        let (person, tag): (Person, String?) = try await call.door.tagged(RequestPath.text(path(call)))
        return (person, FormEdit(PersonForm.labels, of: PersonForm.values(person.details), tag: tag))
    }

    private static func show(
        _ call: ConsoleCall, edit known: FormEdit? = nil, refusal: AdminRefused? = nil
    ) async throws -> ConsoleAnswer {
        let (person, fresh) = try await present(call)
        let edit = known ?? fresh
        let facts: [(String, HTML?)] = PersonForm.labels.map { field in
            (field.label, edit.value(field.name).map { "\($0)" })
        }
        let details =
            call.may(.manage)
            ? call.form(to: ConsolePath.text(path(call)), "\(PersonForm.fields(edit))<button>Save</button>")
            : Facts.html(facts)
        let alert = edit.alert ?? refusal.map { ProblemPage.alert($0.problem) }
        return call.page(
            person.userName, in: .people, trail: PeoplePages.trail, status: refusal?.status ?? 200,
            """
            \(alert)
            \(Panel.html("What is known", details))
            \(Panel.html("Devices", try await devices(person, call, taken: refusal?.status == 412)))
            \(call.may(.help) ? Panel.html("Invitation", try await InvitationPages.form(of: person.userName, call)) : nil)
            \(call.may(.manage) ? removal(call, fresh) : nil)
            """)
    }

    private static func save(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let edit = FormEdit(PersonForm.labels, call.request.form)
        do {
            try await call.door.send("PUT", RequestPath.text(path(call)), PersonForm.details(edit), of: edit)
            return .seeOther(path(call), .saved)
        } catch let refusal as AdminRefused where [400, 409, 412, 422].contains(refusal.status) {
            let edit = try await edit.after(refusal) { try await present(call).edit }
            return try await show(call, edit: edit, refusal: refusal)
        }
    }

    private static func removal(_ call: ConsoleCall, _ shown: FormEdit) -> HTML {
        call.form(
            to: ConsolePath.text(path(call) + ["remove"]),
            "\(shown.hidden)<button class=\"danger\">Remove this person</button>")
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        do {
            let seen = FormEdit(PersonForm.labels, call.request.form)
            try await call.door.send("DELETE", RequestPath.text(path(call)), ifMatch: seen.tag)
            return .seeOther(["people"], .removed)
        } catch let refusal as AdminRefused where [409, 412].contains(refusal.status) {
            return try await show(call, refusal: refusal)
        }
    }

    // MARK: Their devices

    /// Where the API has whose a device is.
    private static func holder(of device: String) -> String { RequestPath.text(["devices", device, "person"]) }

    /// The person's devices; `taken` if the device in the form may be another person's, whom the page then names.
    private static func devices(_ person: Person, _ call: ConsoleCall, taken: Bool) async throws -> HTML {
        let mayChange = call.may(.manage)
        let rows: [[HTML]] = (person.devices ?? []).map { device in
            [
                Link.html(device, ["devices", device]),
                mayChange
                    ? call.form(
                        to: ConsolePath.text(path(call) + ["devices", device, "remove"]),
                        """
                        <button class="danger">Nobody’s any more<span class="unseen">: device \(device)</span></button>
                        """)
                    : "",
            ]
        }
        let table: HTML =
            rows.isEmpty
            ? "<p>No device is theirs.</p>"
            : Table(caption: "Devices of \(person.userName)", columns: ["Device", "Change"], rows: rows).html
        guard mayChange else { return table }
        let named = call.request.form["device"] ?? ""
        let device = Field(
            "device", "Device", value: named, hint: "Its identifier, as its page says it.", isRequired: true)
        let other =
            taken && !named.isEmpty
            ? try await call.door.present(holder(of: named), as: DevicePersonRequest.self) : nil
        let seen: HTML? = other.map { other in
            """
            <p>\(named) is the device of \(Link.html(other.value.userName, ["people", other.value.userName])). Nothing \
            is changed: said again, it becomes the device of \(person.userName).</p>
            <input type="hidden" name="\(takenFrom)" value="\(named)">\
            \(FormEdit([], of: [:], tag: other.entityTag).hidden)
            """
        }
        return """
            \(table)\(call.form(
                to: ConsolePath.text(path(call) + ["devices"]),
                "\(seen)\(device.line)<button class=\"plain\">It is theirs</button>"))
            """
    }

    /// The field with the device whose holder the page named.
    private static let takenFrom = "taken"

    /// A device is taken from another person only after the page named that person.
    private static func give(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let (device, person) = (call.request.form["device"] ?? "", call.parameter("person"))
        let isTold = call.request.form[takenFrom] == device
        do {
            try await call.door.send(
                "PUT", holder(of: device), DevicePersonRequest(userName: person),
                of: isTold ? FormEdit([], call.request.form) : FormEdit([], of: [:], tag: nil))
            return .seeOther(path(call), .saved)
        } catch let refusal as AdminRefused where [400, 404, 409, 412, 422].contains(refusal.status) {
            if refusal.status == 412 {
                let present = try await call.door.present(holder(of: device), as: DevicePersonRequest.self)
                if present?.value.userName == person { return .seeOther(path(call), .saved) }
            }
            return try await show(call, refusal: refusal)
        }
    }

    /// A device that has become another's meanwhile is not taken from them.
    private static func take(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let place = holder(of: call.parameter("device"))
        let present = try await call.door.present(place, as: DevicePersonRequest.self)
        let isTheirs = present?.value.userName == call.parameter("person")
        do {
            try await call.door.send("DELETE", place, ifMatch: isTheirs ? present?.entityTag : "\"another\"")
            return .seeOther(path(call), .saved)
        } catch let refusal as AdminRefused where refusal.status == 412 {
            return try await show(call, refusal: refusal)
        }
    }
}
