extension AdminSchemas {
    static let groupRules: [String: Schema] = [
        "GroupRuleDetail": .object([
            .required("rule", .string), .required("tree", .any), .required("facts", .array(.string)),
            .required("judging", .boolean),
        ]),
        "GroupRuleRequest": .object([.optional("rule", .string), .optional("tree", .any)]),
        "GroupPreviewRequest": .object([
            .optional("rule", .string), .optional("tree", .any), .optional("group", .string),
            .optional("limit", .integer), .optional("cursor", .string),
        ]),
        "GroupPreview": .object([
            .required("rule", .string), .required("members", .named("GroupPreviewPart")),
            .required("joining", .named("GroupPreviewPart")), .required("leaving", .named("GroupPreviewPart")),
            .required("judged", .integer), .optional("next", .string),
        ]),
        "GroupPreviewPart": .object([
            .required("count", .integer),
            .required(
                "devices",
                .array(
                    .object([
                        .required("id", .string), .optional("name", .string), .optional("serialNumber", .string),
                    ]))),
        ]),
    ]
}
