import AdminMessages

/// An edit of a thing that others may edit at the same time: the page carries the values that it began with, so that no
/// change is lost.
///
/// A change is sent on condition that the thing is as it was seen. Where it is not, the two edits are put together field
/// by field: what only one of both changed is taken, and where both changed a field it says so and has what this person
/// typed. Nothing is saved before they have seen it.
struct FormEdit: Sendable {
    /// What people call each field, by its name in the form, in the order of the page.
    let labels: [(name: String, label: String)]
    /// The tag of what the edit began with; nothing where there was nothing.
    private(set) var tag: String?
    /// What the fields held then.
    private(set) var before: [String: String]
    /// What they hold now.
    private(set) var fields: [String: String]
    /// What each of both changed, since somebody else was quicker.
    private(set) var steps: [Step] = []
    /// The API's text about the change that came first.
    private(set) var quicker: String?

    /// One field that somebody changed.
    struct Step: Sendable, Equatable {
        enum Outcome: Sendable, Equatable {
            case mine, theirs, same, conflict
        }

        let name: String
        let before: String
        let mine: String
        let theirs: String
        let outcome: Outcome
    }

    /// Begins with what is there.
    init(_ labels: [(name: String, label: String)], of present: [String: String], tag: String?) {
        self.labels = labels
        self.tag = tag
        before = present
        fields = present
    }

    /// Goes on with what somebody sent.
    init(_ labels: [(name: String, label: String)], _ form: Form) {
        self.labels = labels
        tag = form[Self.tagName].flatMap { $0.isEmpty ? nil : $0 }
        func values(_ prefix: String) -> [String: String] {
            // Keys: ours.
            Dictionary(uniqueKeysWithValues: labels.map { ($0.name, Self.text(form[prefix + $0.name])) })
        }
        before = values(Self.beforePrefix)
        fields = values("")
    }

    /// Fills fields in before anybody did; nothing was there.
    mutating func begin(_ fields: [String: String]) { self.fields.merge(fields) { $1 } }

    /// What a field holds.
    subscript(name: String) -> String { fields[name] ?? "" }

    /// What a field holds, unless it is empty.
    func value(_ name: String) -> String? { self[name].isEmpty ? nil : self[name] }

    /// What a field held when the edit began, unless it was empty.
    func valueBefore(_ name: String) -> String? { before[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// The same, put together with what is there by now.
    func merged(with present: [String: String], tag: String?, saidOf quicker: Problem) -> FormEdit {
        var merged = self
        merged.tag = tag
        merged.before = present
        merged.quicker = quicker.detail ?? quicker.title
        merged.steps = labels.compactMap { field in
            Self.step(
                field.name, before: before[field.name] ?? "", mine: self[field.name],
                theirs: present[field.name] ?? "")
        }
        for step in merged.steps { merged.fields[step.name] = step.outcome == .theirs ? step.theirs : step.mine }
        return merged
    }

    /// The same after a refusal: where somebody else was quicker, put together with what is there by now.
    func after(_ refusal: AdminRefused, _ present: () async throws -> FormEdit) async throws -> FormEdit {
        guard refusal.status == 412 else { return self }
        let now = try await present()
        return merged(with: now.before, tag: now.tag, saidOf: refusal.problem)
    }

    /// Whether this is what the page of a form showed; nothing where the form does not say what that was.
    fileprivate func isShown(by form: Form) -> Bool? {
        guard labels.contains(where: { form[Self.beforePrefix + $0.name] != nil }) else { return nil }
        return FormEdit(labels, form).before == before
    }

    /// The condition of a change that no tag can hold, because there is none or it moves all the time.
    ///
    /// Nothing meets it where the page of the form showed something else than this.
    func condition(shownBy form: Form) -> String? { isShown(by: form) == false ? "\"another\"" : nil }

    private static func step(_ name: String, before: String, mine: String, theirs: String) -> Step? {
        let outcome: Step.Outcome
        switch (mine == before, theirs == before) {
        case (true, true): return nil
        case (false, true): outcome = .mine
        case (true, false): outcome = .theirs
        case (false, false): outcome = mine == theirs ? .same : .conflict
        }
        return Step(name: name, before: before, mine: mine, theirs: theirs, outcome: outcome)
    }

    /// Whether nobody but this person changed a field: the thing moved, but nothing of what is edited here.
    var isNobodyElses: Bool { steps.allSatisfy { $0.outcome == .mine } }

    // MARK: On the page

    private static let tagName = "base"
    private static let beforePrefix = "before."

    /// Browsers end lines with two characters.
    private static func text(_ sent: String?) -> String { (sent ?? "").replacing("\r\n", with: "\n") }

    /// What travels along; it stands in the form.
    var hidden: HTML {
        let values: [HTML] = labels.map { field in
            "<input type=\"hidden\" name=\"\(Self.beforePrefix + field.name)\" value=\"\(before[field.name] ?? "")\">"
        }
        return "<input type=\"hidden\" name=\"\(Self.tagName)\" value=\"\(tag ?? "")\">\(values)"
    }

    /// An alert that names the change which came first and the fields that each changed; nil if there was none.
    var alert: HTML? {
        guard let quicker else { return nil }
        // Keys: ours.
        let labels = Dictionary(uniqueKeysWithValues: labels.map { ($0.name, $0.label) })
        func shown(_ text: String) -> HTML {
            text.isEmpty ? "<span class=\"muted\">nothing</span>" : "<code>\(text)</code>"
        }
        let table: HTML? =
            steps.isEmpty
            ? nil
            : Table(
                caption: "What each of you changed",
                columns: ["What", "Before", "Yours", "Theirs", "Who changed it"],
                rows: steps.map { step in
                    [
                        "\(labels[step.name] ?? step.name)", shown(step.before), shown(step.mine), shown(step.theirs),
                        step.outcome.badge.html,
                    ]
                }
            ).html
        return """
            <div class="alert" role="alert"><p><strong>\(quicker)</strong></p>\
            <p>Nothing of yours is saved, and nothing of theirs is lost. The form below has both changes\(note): save it if \
            it is what you mean.</p></div>\(table)
            """
    }

    private var note: String {
        steps.contains { $0.outcome == .conflict } ? ", and yours where both of you changed the same" : ""
    }
}

extension FormEdit.Step.Outcome {
    fileprivate var badge: Badge {
        switch self {
        case .mine: Badge(.plain, "You")
        case .theirs: Badge(.busy, "They")
        case .same: Badge(.good, "Both, to the same")
        case .conflict: Badge(.warn, "Both")
        }
    }
}

extension AdminDoor {
    /// Sends a change of what the person saw, or of nothing where there was nothing.
    @discardableResult
    func send(
        _ method: String, _ path: String, _ body: (any Encodable)? = nil, of edit: FormEdit
    ) async throws -> AdminDoorAnswer {
        var call = AdminDoorCall(method, path)
        if let body {
            call.body = try AdminJSON.encode(body)
            call.headers["Content-Type"] = "application/json"
        }
        if let tag = edit.tag { call.headers["If-Match"] = tag } else { call.headers["If-None-Match"] = "*" }
        return try await accepted(call)
    }

    /// Removes a thing that is still what the page of the form showed of it; of something else the API says who was quicker.
    ///
    /// A list has no tag, and a tag also changes with what the page does not show. So this compares what is there now with
    /// what the page showed, and makes the removal depend on what is there now.
    func remove(_ path: String, shownBy form: Form, _ look: () async throws -> FormEdit) async throws {
        var attempts = 4
        while true {
            attempts -= 1
            let present = try await look()
            let isShown = present.tag == nil ? nil : present.isShown(by: form)
            // A tag that nothing has makes the API refuse in its own words.
            let tag = isShown.flatMap { $0 ? present.tag : "\"another\"" }
            do {
                try await send("DELETE", path, ifMatch: tag)
                return
            } catch let refusal as AdminRefused where refusal.status == 412 && isShown == true && attempts > 0 {
                // Something moved that is not shown.
            }
        }
    }

    /// Reads a value with its tag, or nothing where it is not there.
    func present<Value: Decodable>(
        _ path: String, as type: Value.Type = Value.self
    ) async throws -> (value: Value, entityTag: String?)? {
        do {
            return try await tagged(path)
        } catch let refusal as AdminRefused where refusal.status == 404 {
            return nil
        }
    }
}
