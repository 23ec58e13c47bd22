extension AdminSchemas {
    static let effective: [String: Schema] = [
        "DeviceEffective": .object([
            .required("device", .string), .optional("name", .string), .optional("person", .string),
            .required("hypothetical", .boolean), .required("groups", .array(.named("EffectiveGroup"))),
            .required("apps", .array(.named("EffectiveApp"))),
            .required("settings", .array(.named("EffectiveSetting"))),
            .optional("commanded", .array(.named("EffectiveCommandedApp"))),
        ]),
        "EffectiveCommandedApp": .object([
            .required("identifier", .string), .required("name", .string), .optional("version", .string),
            .optional("state", .string), .required("hasConfiguration", .boolean), .required("hasFeedback", .boolean),
            .required("reasons", .array(.named("Reason"))),
        ]),
        "EffectiveSetting": .object([
            .required("kind", .string), .required("name", .string), .required("version", .integer),
            .required("summary", .string), .required("given", .boolean),
            .required("assignments", .array(.named("EffectiveSettingAssignment"))),
            .required("withheld", .array(.named("Reason"))),
        ]),
        "EffectiveSettingAssignment": .object([
            .required("group", .string), .required("priority", .integer), .required("assigned", .date),
        ]),
        "EffectiveGroup": .object([
            .required("name", .string), .optional("rule", .string),
            .optional("conditions", .array(.named("EffectiveCondition"))),
        ]),
        "EffectiveCondition": .object([
            .required("condition", .string), .optional("found", .string), .required("holds", .boolean),
        ]),
        "EffectiveApp": .object([
            .required("identifier", .string), .required("name", .string), .required("given", .boolean),
            .optional("standing", standing), .required("install", install),
            .optional("source", .named("EffectiveSource")),
            .optional("configuration", .named("EffectiveConfiguration")), .optional("delivery", delivery),
            .required("extensions", .array(.named("EffectiveExtension"))),
            .required("secrets", .array(.named("EffectiveSecret"))),
            .required("assignments", .array(.named("EffectiveAssignment"))),
            .required("variables", .array(.named("EffectiveVariable"))),
            .required("withheld", .array(.named("Reason"))),
        ]),
        "EffectiveSource": .object([.required("platform", .string), .required("origin", .string)]),
        "EffectiveConfiguration": .object([.required("name", .string), .optional("version", .integer)]),
        "EffectiveExtension": .object([
            .required("identifier", .string), .required("configuration", .named("EffectiveConfiguration")),
        ]),
        "EffectiveSecret": .object([
            .optional("extension", .string), .required("kind", .oneOf(["password", "certificate", "identity"])),
            .required("identifier", .string), .required("secret", .string), .optional("version", .integer),
            .required("own", .boolean), .optional("person", .string), .required("group", .string),
            .optional("lacksValue", .boolean), .optional("missing", .boolean),
        ]),
        "EffectiveAssignment": .object([
            .required("group", .string), .optional("configuration", .named("EffectiveConfiguration")),
            .optional("install", install), .required("priority", .integer), .required("assigned", .date),
            .required("counts", .boolean), .required("why", .string),
        ]),
        "EffectiveVariable": .object([
            .required("name", .string), .optional("value", .string), .required("from", .oneOf(["device", "person"])),
            .required("uses", .array(.string)),
        ]),
    ]
}
