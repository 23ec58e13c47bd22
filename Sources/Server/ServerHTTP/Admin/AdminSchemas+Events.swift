/// The schemas of events.
extension AdminSchemas {
    static let events: [String: Schema] = [
        "ChangeEvent": .object([
            .required("id", .string), .required("kind", .string), .required("time", .date), .optional("app", .string),
            .optional("name", .string), .optional("version", .integer), .optional("group", .string),
            .optional("device", .string), .optional("actor", .string), .optional("sequence", .integer),
        ]),
        "ChangeReset": .object([.required("kind", .oneOf(["reset"]))]),
        "ChangeJourney": .object([
            .required("kind", .string), .required("time", .date), .optional("app", .string),
            .optional("name", .string), .optional("version", .integer), .optional("group", .string),
            .required("devices", .integer), .required("fetched", .integer), .required("settled", .integer),
            .required("refused", .integer),
        ]),
    ]
}
