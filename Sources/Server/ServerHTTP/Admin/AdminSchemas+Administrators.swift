extension AdminSchemas {
    /// Who may log in, and what they may do.
    static let administrators: [String: Schema] = [
        "Administrator": .object(
            [.required("name", .string)] + rights + [
                .required("mustChangePassword", .boolean), .required("created", .date),
            ]),
        "AdministratorRequest": .object([.required("name", .string)] + rights),
        "RightsRequest": .object(rights),
        "AdministratorPassword": .object([
            .required("administrator", .named("Administrator")), .required("oneTimePassword", .string),
        ]),
        "SessionDetail": .object([.required("name", .string)] + rights + [.required("expires", .date)]),
    ]

    private static var rights: [Schema.Member] {
        [.required("role", .string), .optional("apps", .array(.string)), .optional("groups", .array(.string))]
    }
}
