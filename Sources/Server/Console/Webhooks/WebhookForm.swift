import AdminMessages

/// The form for the address of a webhook and the events that it asks for.
enum WebhookForm {
    static let labels = [
        (name: "url", label: "Address"), (name: "events", label: "Events"), (name: "feedback", label: "App feedback"),
        (name: "enabled", label: "Events are sent"),
    ]

    static func fields(_ edit: FormEdit) -> HTML {
        let enabled = Field("enabled", "Events are sent", value: edit["enabled"])
        return """
            \(edit.hidden)\(place(edit["url"], edit["events"], feedback: edit["feedback"]))
            \(enabled.choice([("yes", "yes, from where it stands"), ("no", "no: they wait until it is enabled")]))
            """
    }

    /// What a new one needs, too.
    static func place(_ url: String, _ events: String, feedback: String) -> HTML {
        let address = Field(
            "url", "Address", value: url,
            hint: "https, and reachable from the server, such as https://hooks.example.org/a.",
            isRequired: true)
        let kinds = Field(
            "events", "Events", value: events,
            hint: """
                Actions of the activity, each on its line: secret.set, all of a kind: secret.*, or all: *. Problems of \
                apps and devices: alert.refused, alert.failed, alert.withheld, alert.unseen, or all of these: alert.*
                """)
        let values = Field(
            "feedback", "App feedback, with its values", value: feedback,
            hint: "Feedback may be personal. It is sent only if this is ticked; * does not include it.")
        return "\(address.line)\(kinds.area(rows: 3))\(values.box)"
    }

    static func values(_ webhook: Webhook) -> [String: String] {
        [
            "url": webhook.url,
            "events": webhook.events.filter { $0 != Webhook.feedbackEvent }.joined(separator: "\n"),
            "feedback": webhook.events.contains(Webhook.feedbackEvent) ? "1" : "",
            "enabled": webhook.state == "disabled" ? "no" : "yes",
        ]
    }

    static func change(_ edit: FormEdit) -> WebhookChange {
        WebhookChange(
            url: edit["url"], events: events(edit["events"], feedback: edit["feedback"]),
            enabled: edit["enabled"] != "no")
    }

    /// The events of the form: the list that was typed, and feedback if its box is ticked.
    static func events(_ text: String, feedback: String) -> [String] {
        text.split { $0.isWhitespace || $0 == "," }.map(String.init) + (feedback == "1" ? [Webhook.feedbackEvent] : [])
    }

    /// The text of a field for administrators who may not change webhooks.
    static func shown(_ name: String, _ edit: FormEdit) -> HTML {
        name == "feedback" ? (edit[name].isEmpty ? "not sent" : "sent, with its values") : "\(edit[name])"
    }
}
