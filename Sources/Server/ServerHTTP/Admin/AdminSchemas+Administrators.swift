extension AdminSchemas {
    /// The administrators, their rights, sessions and tokens.
    static let administrators: [String: Schema] = [
        "Administrator": .object(
            [.required("name", .string)] + rights + [
                .required("mustChangePassword", .boolean), .required("created", .date),
            ]),
        "AdministratorRequest": .object([.required("name", .string)] + rights),
        "RightsRequest": .object(rights),
        "AdministratorPassword": .object([
            .required("administrator", .named("Administrator")), .required("oneTimePassword", .string),
            .optional("expires", .date),
        ]),
        "SessionDetail": .object(
            [.required("name", .string)] + rights + [
                .required("permissions", .array(.string)), .required("expires", .date),
            ]),
        "TokenRequest": .object(
            [.required("name", .string), .required("validSeconds", .integer)] + rights + [
                .optional("readOnly", .boolean), .optional("administers", .boolean),
            ]),
        "TokenAnswer": .object([.required("token", .string), .required("summary", .named("TokenSummary"))]),
        "TokenSummary": .object(
            [.required("id", .string), .required("name", .string), .required("administrator", .string)] + rights + [
                .required("readOnly", .boolean), .required("administers", .boolean), .required("created", .date),
                .required("expires", .date), .optional("revoked", .date), .optional("lastUsed", .date),
            ]),
    ]

    private static var rights: [Schema.Member] {
        [.required("role", .string), .optional("apps", .array(.string)), .optional("groups", .array(.string))]
    }
}
