import AdminMessages

/// The secrets: what they are and who gets them, never what they hold.
enum SecretPages {
    static let routes =
        [
            ConsoleRoute(.get, "/secrets", serve: list),
            ConsoleRoute(.get, "/secrets/{name}", serve: { call in try await show(call) }),
            ConsoleRoute(.post, "/secrets/{name}", serve: rotate),
            ConsoleRoute(.post, "/secrets/{name}/remove", serve: remove),
            ConsoleRoute(.get, "/new/secret", serve: { call in new(call) }),
            ConsoleRoute(.post, "/new/secret", serve: create),
        ]

    private static let trail = [Shell.Step("Secrets", ["secrets"])]

    /// What is said of a secret whose value was forgotten with its master key.
    static let lack = Badge(.bad, "Has no value: set it again").html

    private static func list(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let query = call.query("cursor").map { [("cursor", $0)] } ?? []
        let page: Page<Secret> = try await call.door.get(RequestPath.text(["secrets"], query: query))
        let rows: [[HTML]] = page.items.map { secret in
            [
                "\(Link.html(secret.name, ["secrets", secret.name])) \(secret.lacksValue == true ? lack : nil)",
                "\(secret.kind.rawValue)", "\(secret.version)",
                Moment.html(secret.created, now: call.request.now),
                secret.facts.expires.map { Moment.html($0, now: call.request.now) } ?? "",
            ]
        }
        let table: HTML =
            rows.isEmpty
            ? EmptyState.html("No secrets yet", "A secret leaves the server only for devices whose app was given it.")
            : Table(caption: "Secrets", columns: ["Name", "Kind", "Version", "Set", "Expires"], rows: rows).html
        let add: HTML = call.may(.manage) ? Link.button("New secret", ["new", "secret"]) : ""
        return call.page(
            "Secrets", in: .secrets, aside: add, "\(table)\(Pager.html(next: page.next, in: ["secrets"], call))")
    }

    private static func show(_ call: ConsoleCall, refusal: AdminRefused? = nil) async throws -> ConsoleAnswer {
        let name = call.parameter("name")
        let one = try await call.door.tagged(RequestPath.text(["secrets", name]), as: Secret.self)
        let (secret, seen) = (one.value, SeenVersion(tag: one.entityTag))
        let versions: Page<SecretVersion> = try await call.door.get(RequestPath.text(["secrets", name, "versions"]))
        let uses: Page<SecretAssignment> = try await call.door.get(
            RequestPath.text(["secret-assignments"], query: [("secret", name)]))
        let may = call.may(.manage)
        return call.page(
            name, in: .secrets, trail: trail, status: refusal?.status ?? 200,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            \(Panel.html("What is known of it", facts(secret, call)))
            \(Panel.html("Who gets it", used(uses.items)))
            \(may ? Panel.html("Set it anew", renewing(call, secret, seen)) : nil)
            \(Panel.html("Versions", history(versions.items, call)))
            \(may ? removal(call, secret, seen) : nil)
            """)
    }

    private static func facts(_ secret: Secret, _ call: ConsoleCall) -> HTML {
        let facts = secret.facts
        return Facts.html([
            ("Kind", "\(secret.kind.rawValue)"), ("Version", "\(secret.version)"),
            ("Value", secret.lacksValue == true ? lack : nil),
            ("Set", Moment.html(secret.created, now: call.request.now)), ("By", secret.author.map { "\($0)" }),
            ("Certificates", secret.revoking == true ? Badge(.busy, "Being revoked").html : nil),
            ("Subject", facts.subject.map { "\($0)" }), ("SHA-256", facts.fingerprint.map { Code.html($0) }),
            ("Expires", facts.expires.map { Moment.html($0, now: call.request.now) }),
            ("Authority", facts.authority.map { "\($0)" }), ("Key", facts.keyType.map { "\($0)" }),
            ("Variables", facts.variables.map { "\($0.joined(separator: ", "))" }),
            ("Devices with a value of their own", facts.deviceValues.map { "\($0)" }),
            ("People with a value of their own", facts.personValues.map { "\($0)" }),
        ])
    }

    private static func used(_ uses: [SecretAssignment]) -> HTML {
        guard !uses.isEmpty else { return "<p>No app yet. Secrets are assigned on the page of their app.</p>" }
        let items: [HTML] = uses.map { use in
            """
            <li>\(Link.html(use.app, ["apps", use.app, "secrets"])) as <code>\(use.identifier)</code> in \
            \(Link.html(use.group, ["groups", use.group]))</li>
            """
        }
        return "<ul class=\"list\">\(items)</ul>"
    }

    private static func history(_ versions: [SecretVersion], _ call: ConsoleCall) -> HTML {
        Table(
            caption: "Versions, newest first", columns: ["Version", "When", "Who"],
            rows: versions.map {
                ["\($0.version)", Moment.html($0.created, now: call.request.now), "\($0.author ?? "")"]
            }
        ).html
    }

    private static func renewing(_ call: ConsoleCall, _ secret: Secret, _ seen: SeenVersion?) -> HTML {
        if let unshown = SecretForm.unshown(of: secret) { return "<p>\(unshown)</p>" }
        return call.form(
            to: ConsolePath.text(["secrets", secret.name]),
            """
            <input type="hidden" name="kind" value="\(secret.kind.rawValue)">\
            <input type="hidden" name="base" value="\(seen?.text ?? "")">\
            \(SecretForm(call.request.form, kind: secret.kind).fields(of: secret.facts))
            <p class="hint">Devices get it at once, and apps that use the old value learn that it changed.</p><button>Set</button>
            """)
    }

    private static func rotate(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let name = call.parameter("name")
        let form = SecretForm(call.request.form)
        do {
            let present = try await call.door.tagged(RequestPath.text(["secrets", name]), as: Secret.self)
            // For a page with an older version, the conditional request below is refused first.
            let base = call.request.form["base"]
            let isPresent = base == nil || base == SeenVersion(tag: present.entityTag)?.text
            if isPresent, let loss = form.loss(of: present.value) {
                throw AdminRefused(status: 422, problem: Problem(title: loss, status: 422))
            }
            try await call.door.send(
                "PUT", RequestPath.text(["secrets", name]), form.request,
                ifMatch: base.map { "\"v\($0)\"" })
            return .seeOther(["secrets", name], .saved)
        } catch let refusal as AdminRefused where [400, 409, 412, 413, 422].contains(refusal.status) {
            return try await show(call, refusal: refusal)
        }
    }

    private static func removal(_ call: ConsoleCall, _ secret: Secret, _ seen: SeenVersion?) -> HTML {
        call.form(
            to: ConsolePath.text(["secrets", secret.name, "remove"]),
            """
            <input type="hidden" name="base" value="\(seen?.text ?? "")">\
            <button class="danger">Remove this secret</button>
            """)
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let base = call.request.form["base"]
        do {
            try await call.door.send(
                "DELETE", RequestPath.text(["secrets", call.parameter("name")]), ifMatch: base.map { "\"v\($0)\"" })
            return .seeOther(["secrets"], .removed)
        } catch let refusal as AdminRefused where refusal.status == 412 {
            return try await show(call, refusal: refusal)
        }
    }

    // MARK: A new one

    private static func new(_ call: ConsoleCall, _ refusal: AdminRefused? = nil) -> ConsoleAnswer {
        let form = call.request.form
        let kind = SecretKind(rawValue: call.query("kind") ?? form["kind"] ?? "password")
        let choices: [HTML] = SecretForm.kinds.map { one in
            let mark: HTML = one.kind == kind ? " aria-current=\"true\"" : ""
            let address = ConsolePath.text(["new", "secret"], query: [("kind", one.kind.rawValue)])
            return "<a class=\"button plain\" href=\"\(address)\"\(mark)>\(one.title)</a>"
        }
        let name = Field(
            "name", "Name", value: form["name"] ?? "", hint: "How administrators call it.", isRequired: true)
        return call.page(
            "New secret", in: .secrets, trail: trail, status: refusal?.status ?? 200,
            """
            \(refusal.map { ProblemPage.alert($0.problem) })
            <nav class="views" aria-label="Kind">\(choices)</nav>
            \(call.form(
                to: ConsolePath.text(["new", "secret"]),
                """
                <input type="hidden" name="kind" value="\(kind.rawValue)">\(name.line)
                \(SecretForm(form, kind: kind).fields())<button>Set</button>
                """ as HTML))
            """)
    }

    private static func create(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let name = call.request.form["name"] ?? ""
        do {
            var wish = AdminDoorCall("PUT", RequestPath.text(["secrets", name]), headers: ["If-None-Match": "*"])
            wish.body = try AdminJSON.encode(SecretForm(call.request.form).request)
            wish.headers["Content-Type"] = "application/json"
            _ = try await call.door.accepted(wish)
            return .seeOther(["secrets", name], .added)
        } catch let refusal as AdminRefused where [400, 404, 409, 412, 413, 422].contains(refusal.status) {
            return new(call, refusal)
        }
    }
}
