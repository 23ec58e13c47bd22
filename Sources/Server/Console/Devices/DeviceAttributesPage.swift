import AdminMessages

/// What administrators say of a device: its attributes, a line each, and the form that changes them.
enum DeviceAttributesPage {
    static let routes = [
        ConsoleRoute(.get, "/devices/{device}/attributes", serve: { call in try await page(call) }),
        ConsoleRoute(.post, "/devices/{device}/attributes", serve: save),
    ]

    /// The attributes on the page of the device; nothing where there are none and nobody may add any.
    static func panel(_ device: DeviceDetail, _ call: ConsoleCall) -> HTML {
        let attributes = (device.attributes ?? [:]).sorted { $0.key < $1.key }
        let mayChange = call.may(.manage) && device.isServed
        guard mayChange || !attributes.isEmpty else { return .empty }
        let change: HTML = mayChange ? Link.html("Change", ["devices", device.id, "attributes"]) : .empty
        let facts: HTML =
            attributes.isEmpty ? "<p>None yet.</p>" : Facts.html(attributes.map { key, value in (key, "\(value)") })
        return Panel.html("Attributes", aside: change, facts)
    }

    private static let field = "attributes"
    private static let labels = [(name: field, label: "Attributes")]

    private static func path(_ call: ConsoleCall) -> [String] { ["devices", call.parameter("device")] }

    private static func place(_ call: ConsoleCall) -> String { RequestPath.text(path(call) + ["attributes"]) }

    private static func present(_ call: ConsoleCall) async throws -> FormEdit {
        let (present, tag): (DeviceAttributes, String?) = try await call.door.tagged(place(call))
        return FormEdit(labels, of: [field: text(present.attributes)], tag: tag)
    }

    private static func page(
        _ call: ConsoleCall, edit known: FormEdit? = nil, refusal: AdminRefused? = nil, problem: String? = nil
    ) async throws -> ConsoleAnswer {
        let device: DeviceDetail = try await call.door.get(RequestPath.text(path(call)))
        let fresh = try await present(call)
        let edit = known ?? fresh
        let alert = edit.alert ?? refusal.map { ProblemPage.alert($0.problem) }
        let lines = Field(
            field, "Attributes", value: edit[field],
            hint: """
                One in each line, such as “location = Room 12”. A configuration has it as ${device.attributes.location}, a \
                group’s rule as device.attributes.location. A line that goes takes its attribute away.
                """,
            problem: problem)
        let form: HTML =
            call.may(.manage) && device.isServed
            ? call.form(
                to: ConsolePath.text(path(call) + ["attributes"]),
                "\(edit.hidden)\(lines.area(rows: 10))<button>Save</button>")
            : "<p>They cannot be changed here.</p>"
        return call.page(
            "Attributes of \(device.name ?? device.id)", in: .devices, trail: DeviceActions.trail(device),
            status: refusal?.status ?? (problem == nil ? 200 : 422), "\(alert)\(form)")
    }

    private static func save(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let edit = FormEdit(labels, call.request.form)
        let attributes: [String: String]
        switch read(edit[field]) {
        case .success(let read): attributes = read
        case .failure(let fault): return try await page(call, edit: edit, problem: fault.rule)
        }
        do {
            try await call.door.send("PUT", place(call), DeviceAttributes(attributes: attributes), of: edit)
            return .seeOther(path(call), .saved)
        } catch let refusal as AdminRefused where [400, 409, 412, 422].contains(refusal.status) {
            let edit = try await edit.after(refusal) { try await present(call) }
            return try await page(call, edit: edit, refusal: refusal)
        }
    }

    // MARK: Lines

    /// Why lines are no attributes.
    struct Fault: Error, Equatable {
        let rule: String
    }

    static func text(_ attributes: [String: String]) -> String {
        attributes.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }.joined(separator: "\n")
    }

    /// Reads what `text` writes; empty lines mean nothing.
    static func read(_ text: String) -> Result<[String: String], Fault> {
        var attributes: [String: String] = [:]
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, bytes) in lines.enumerated() {
            let line = Substring(bytes)
            guard line.contains(where: { !$0.isWhitespace }) else { continue }
            guard let mark = line.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                return .failure(Fault(rule: "Line \(index + 1) has no =."))
            }
            let key = trimmed(line[..<mark])
            guard attributes.updateValue(trimmed(line[line.utf8.index(after: mark)...]), forKey: key) == nil else {
                return .failure(Fault(rule: "Line \(index + 1) has a key that stands in an earlier line, too."))
            }
        }
        return .success(attributes)
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0.isWhitespace }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
