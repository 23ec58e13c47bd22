import Management

extension AdminSchemas {
    /// What apps count on devices.
    static let feedback: [String: Schema] = [
        "AppFeedback": .object([
            .required("number", .integer), .required("device", .string), .required("app", .string),
            .required("life", .string), .optional("configuration", .string), .optional("configurationName", .string),
            .optional("configurationVersion", .integer), .required("from", .date), .required("to", .date),
            .required("received", .date), .required("refused", .integer), .required("feedback", .any),
        ]),
        "FeedbackSummary": .object([
            .required("since", .date), .required("totals", .array(.named("FeedbackSum"))),
            .required("isCut", .boolean), .optional("devices", .array(.named("FeedbackDevice"))),
            .optional("sinceVersion", .integer), .optional("configurationName", .string),
            .optional("unknownVersions", .integer),
        ]),
        "FeedbackSum": .object([
            .required("key", .string), .optional("configuration", .string), .optional("isOfOthers", .boolean),
            .required("sum", .any), .required("devices", .integer),
        ]),
        "FeedbackTrend": .object([
            .required("key", .string), .required("interval", .oneOf(FeedbackInterval.allCases.map(\.rawValue))),
            .required("since", .date), .required("steps", .array(.named("FeedbackTrendStep"))),
            .required("isCut", .boolean),
        ]),
        "FeedbackTrendStep": .object([
            .required("from", .date), .optional("configuration", .string), .optional("isOfOthers", .boolean),
            .required("sum", .any), .required("devices", .integer),
        ]),
        "FeedbackDevice": .object([.required("device", .string), .required("sum", .any)]),
        "FeedbackFetchRequest": .object([.optional("app", .string)]),
        "FeedbackMetrics": .object([.required("keys", .array(.string))]),
        "FeedbackMetric": .object([.required("app", .string), .required("key", .string)]),
    ]
}
