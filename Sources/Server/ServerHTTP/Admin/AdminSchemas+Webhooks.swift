extension AdminSchemas {
    /// Webhooks, waking Apple devices, and long work.
    static let webhooks: [String: Schema] = [
        "Webhook": .object([
            .required("name", .string), .required("url", .string), .required("events", .array(.string)),
            .required("state", .oneOf(["active", "failing", "disabled"])),
            .optional("reason", .oneOf(["by-administrator", "gone", "failed-for-days", "secret-forgotten"])),
            .optional("disabled", .date),
            .required("author", .string), .required("created", .date), .required("cursor", .integer),
            .required("waiting", .named("BoundedCount")), .required("failures", .integer),
            .optional("failingSince", .date), .optional("nextAttempt", .date), .optional("lastDelivered", .date),
            .optional("problem", .string), .required("secretMade", .date), .optional("previousSecretEnds", .date),
            .optional("feedback", .object([.required("cursor", .integer), .required("skipped", .integer)])),
        ]),
        "PushCredential": .object([
            .required("kind", .oneOf(["certificate", "token"])), .required("topic", .string),
            .optional("expires", .date),
            .required("author", .string), .required("uploaded", .date), .required("reachable", .integer),
            .required("retired", .integer),
        ]),
        "AppleReadiness": .object([
            .required("needs", .array(.named("AppleNeed"))), .optional("topic", .string),
            .required("capabilities", .array(.string)),
            .optional("identity", .oneOf(["scep", "acme", "acme-attested"])), .required("untried", .array(.string)),
        ]),
        "AppleNeed": .object([
            .required("name", .string), .required("state", .oneOf(["met", "attention", "missing", "unverified"])),
            .required("detail", .string),
        ]),
        "PushCredentialRequest": .object([
            .optional("certificate", .string), .required("key", .string), .optional("keyID", .string),
            .optional("teamID", .string), .optional("topic", .string), .optional("replaceTopic", .boolean),
        ]),
        "WebhookRequest": .object([
            .required("name", .string), .required("url", .string), .required("events", .array(.string)),
        ]),
        "WebhookChange": .object([
            .required("url", .string), .required("events", .array(.string)), .required("enabled", .boolean),
        ]),
        "WebhookAnswer": .object([.required("secret", .string), .required("webhook", .named("Webhook"))]),
        "WebhookRotationRequest": .object([.optional("overlapSeconds", .integer)]),
        "RedeliveryRequest": .object([.required("sequence", .integer)]),
        "WebhookDelivery": .object([
            .required("number", .integer), .required("kind", .oneOf(["event", "redelivery", "test"])),
            .optional("sequence", .integer), .optional("feedback", .integer),
            .required("state", .oneOf(["waiting", "delivered", "failed"])),
            .required("attempts", .integer), .required("created", .date), .optional("attempted", .date),
            .optional("problem", .string),
        ]),
        "WebhookCounts": .object(["active", "failing", "disabled"].map { .required($0, .integer) }),
        "Job": .object([
            .required("id", .string),
            .required("kind", .oneOf(["audit.verification", "group.devices", "group.command"])),
            .required("author", .string),
            .required("state", .oneOf(["waiting", "running", "done", "failed", "cancelled"])),
            .required("done", .integer), .required("total", .integer), .required("resumed", .integer),
            .required("created", .date), .optional("started", .date), .optional("ended", .date),
            .optional("problem", .string),
            .optional(
                "result",
                .anyOf([.named("AuditVerification"), .named("GroupDevicesResult"), .named("GroupCommandResult")])),
        ]),
        "GroupCommandResult": .object([
            .required("queued", .integer), .required("refused", .integer),
            .required("refusals", .array(.object([.required("device", .string), .required("reason", .string)]))),
            .optional("warnings", .array(.string)),
        ]),
        "GroupDevicesResult": .object([
            .required("inGroup", .integer), .required("refused", .integer),
            .required("refusals", .array(.object([.required("device", .string), .required("reason", .string)]))),
        ]),
        "GroupDevicesRequest": .object([.required("devices", .array(.string)), .optional("force", .boolean)]),
    ]
}
