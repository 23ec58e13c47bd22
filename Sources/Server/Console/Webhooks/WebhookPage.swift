import AdminMessages

/// One webhook: how it fares, where it leads, its secret and what was sent to it.
enum WebhookPage {
    static let routes =
        [
            ConsoleRoute(.get, "/webhooks/{webhook}", serve: { call in try await show(call) }),
            ConsoleRoute(.post, "/webhooks/{webhook}", serve: save),
            ConsoleRoute(.post, "/webhooks/{webhook}/secret", serve: rotate),
            ConsoleRoute(.post, "/webhooks/{webhook}/remove", serve: remove),
        ] + WebhookDeliveries.routes

    /// How often a change is sent again because a delivery moved the tag meanwhile.
    private static let mostAttempts = 4
    private static let overlaps = [
        ("86400", "for a day more"), ("3600", "for an hour more"), ("604800", "for a week more"), ("0", "no more"),
    ]

    static func path(_ call: ConsoleCall) -> [String] { WebhooksPage.path + [call.parameter("webhook")] }

    private static func present(_ call: ConsoleCall) async throws -> (webhook: Webhook, edit: FormEdit) {
        let (webhook, tag): (Webhook, String?) = try await call.door.tagged(RequestPath.text(path(call)))
        return (webhook, FormEdit(WebhookForm.labels, of: WebhookForm.values(webhook), tag: tag))
    }

    static func show(
        _ call: ConsoleCall, edit known: FormEdit? = nil, refusal: AdminRefused? = nil
    ) async throws -> ConsoleAnswer {
        let (webhook, fresh) = try await present(call)
        let edit = known ?? fresh
        let may = call.may(.manage)
        let settings: HTML =
            may
            ? call.form(to: ConsolePath.text(path(call)), "\(WebhookForm.fields(edit))<button>Save</button>")
            : Facts.html(WebhookForm.labels.map { field in (field.label, WebhookForm.shown(field.name, edit)) })
        return call.page(
            webhook.name, in: .webhooks, trail: WebhooksPage.trail, status: refusal?.status ?? 200,
            """
            \(edit.alert ?? refusal.map { ProblemPage.alert($0.problem) })
            \(Panel.html("How it fares", facts(webhook, call)))
            \(Panel.html("Settings", settings))
            \(Panel.html("Deliveries", aside: WebhookDeliveries.testing(call), try await WebhookDeliveries.html(call)))
            \(may ? Panel.html("Secret", rotation(call, webhook)) : nil)
            \(may ? removal(call, fresh) : nil)
            """)
    }

    private static func facts(_ webhook: Webhook, _ call: ConsoleCall) -> HTML {
        let now = call.request.now
        return Facts.html([
            ("State", WebhooksPage.state(webhook)), ("Disabled", webhook.disabled.map { Moment.html($0, now: now) }),
            ("Last delivered", WebhooksPage.delivered(webhook, call)), ("Waiting", WebhooksPage.waiting(webhook)),
            ("Delivered up to entry", "\(webhook.cursor)"),
            ("App feedback", feedback(webhook)), ("Trouble", webhook.problem.map { "\($0)" }),
            ("Attempts that failed", webhook.failures > 0 ? "\(webhook.failures)" : nil),
            ("Failing since", webhook.failingSince.map { Moment.html($0, now: now) }),
            ("Next attempt", webhook.nextAttempt.map { Moment.html($0, now: now) }),
            ("Secret made", Moment.html(webhook.secretMade, now: now)),
            ("The secret before ends", webhook.previousSecretEnds.map { Moment.html($0, now: now) }),
            ("Added", "\(Moment.html(webhook.created, now: now)) by \(webhook.author)"),
        ])
    }

    private static func feedback(_ webhook: Webhook) -> HTML? {
        webhook.feedback.map { place in
            "delivered up to number \(place.cursor), \(place.skipped) deleted before delivery"
        }
    }

    // MARK: Changes

    private static func save(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        var edit = FormEdit(WebhookForm.labels, call.request.form)
        var attempt = 1
        while true {
            do {
                try await call.door.send("PUT", RequestPath.text(path(call)), WebhookForm.change(edit), of: edit)
                return .seeOther(path(call), .saved)
            } catch let refusal as AdminRefused where refusal.status == 412 {
                let merged = try await edit.after(refusal) { try await present(call).edit }
                // Each delivery moves the tag, too: then nobody changed what is edited here.
                guard merged.isNobodyElses, attempt < mostAttempts else {
                    return try await show(call, edit: merged, refusal: refusal)
                }
                edit = merged
                attempt += 1
            } catch let refusal as AdminRefused where [400, 409, 422].contains(refusal.status) {
                return try await show(call, edit: edit, refusal: refusal)
            }
        }
    }

    /// What a rotation is held to: since when the present secret is there.
    private static func secret(of webhook: Webhook) -> FormEdit {
        FormEdit([(name: "made", label: "Made")], of: ["made": AdminJSON.text(of: webhook.secretMade)], tag: nil)
    }

    private static func rotation(_ call: ConsoleCall, _ webhook: Webhook) -> HTML {
        let overlap = Field(
            "overlap", "The secret before counts", value: call.request.form["overlap"] ?? "86400",
            hint: "Meanwhile events are signed with both, so that the receiver loses none.")
        return call.form(
            to: ConsolePath.text(path(call) + ["secret"]),
            """
            \(secret(of: webhook).hidden)\(overlap.choice(overlaps))\
            <button class="plain">Make a new secret</button>
            """)
    }

    private static func rotate(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let wish = WebhookRotationRequest(overlapSeconds: call.request.form["overlap"].flatMap { Int($0) })
        // Of two made one after the other nobody would know the first, which ends the overlap of the one before.
        let webhook = try await call.door.present(RequestPath.text(path(call)), as: Webhook.self)
        let condition = webhook.flatMap { secret(of: $0.value).condition(shownBy: call.request.form) }
        do {
            let answer = try await call.door.send(
                "POST", RequestPath.text(path(call) + ["secret"]), wish, ifMatch: condition)
            return WebhooksPage.shown(call, try AdminJSON.decode(WebhookAnswer.self, from: answer.body))
        } catch let refusal as AdminRefused where [400, 409, 412, 422].contains(refusal.status) {
            return try await show(call, refusal: refusal)
        }
    }

    private static func removal(_ call: ConsoleCall, _ shown: FormEdit) -> HTML {
        call.form(
            to: ConsolePath.text(path(call) + ["remove"]),
            "\(shown.hidden)<button class=\"danger\">Remove this webhook</button>")
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let place = RequestPath.text(path(call))
        do {
            try await call.door.remove(place, shownBy: call.request.form) {
                let one = try await call.door.present(place, as: Webhook.self)
                return FormEdit(
                    WebhookForm.labels, of: one.map { WebhookForm.values($0.value) } ?? [:], tag: one?.entityTag)
            }
            return .seeOther(WebhooksPage.path, .removed)
        } catch let refusal as AdminRefused where refusal.status == 412 {
            return try await show(call, refusal: refusal)
        }
    }
}
