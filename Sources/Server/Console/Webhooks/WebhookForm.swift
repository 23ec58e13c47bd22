import AdminMessages

/// Where a webhook leads and what it is told of, as a form.
enum WebhookForm {
    static let labels = [
        (name: "url", label: "Address"), (name: "events", label: "Events"), (name: "enabled", label: "Events are sent"),
    ]

    static func fields(_ edit: FormEdit) -> HTML {
        let enabled = Field("enabled", "Events are sent", value: edit["enabled"])
        return """
            \(edit.hidden)\(place(edit["url"], edit["events"]))
            \(enabled.choice([("yes", "yes, from where it stands"), ("no", "no: they wait until it is enabled")]))
            """
    }

    /// What a new one needs, too.
    static func place(_ url: String, _ events: String) -> HTML {
        let address = Field(
            "url", "Address", value: url,
            hint: "https, and reachable from the server, such as https://hooks.example.org/a.",
            isRequired: true)
        let kinds = Field(
            "events", "Events", value: events,
            hint: "Actions of the activity, each on its line: secret.set, all of a kind: secret.*, or all: *",
            isRequired: true)
        return "\(address.line)\(kinds.area(rows: 3))"
    }

    static func values(_ webhook: Webhook) -> [String: String] {
        [
            "url": webhook.url, "events": webhook.events.joined(separator: "\n"),
            "enabled": webhook.state == "disabled" ? "no" : "yes",
        ]
    }

    static func change(_ edit: FormEdit) -> WebhookChange {
        WebhookChange(url: edit["url"], events: events(edit["events"]), enabled: edit["enabled"] != "no")
    }

    /// As people write a list.
    static func events(_ text: String) -> [String] {
        text.split { $0.isWhitespace || $0 == "," }.map(String.init)
    }
}
