extension AdminSchemas {
    static let settings: [String: Schema] = [
        "Setting": .object([
            .required("kind", .string), .required("name", .string), .required("version", .integer),
            .optional("payload", .any), .required("summary", .string), .optional("author", .string),
            .required("changed", .date), .optional("warnings", .array(.string)), .optional("unchanged", .boolean),
        ]),
        "SettingRequest": .object([.required("payload", .any)]),
        "SettingVersion": .object([
            .required("version", .integer), .required("payload", .any), .optional("author", .string),
            .required("created", .date),
        ]),
        "SettingKind": .object([
            .required("name", .string), .required("title", .string), .required("purpose", .string),
            .required("schema", .any), .required("combination", .oneOf(["all", "highest"])),
        ]),
        "SettingAssignment": .object([
            .required("group", .string), .required("kind", .string), .required("setting", .string),
            .required("priority", .integer), .required("assigned", .date),
        ]),
        "SettingAssignmentRequest": .object([.optional("priority", .integer)]),
    ]
}
