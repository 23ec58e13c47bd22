import Management

extension AdminSchemas {
    /// Where devices get apps.
    static let apps: [String: Schema] = [
        "AppSource": .object(
            [
                .required("platform", .oneOf(DevicePlatform.allCases.map(\.rawValue))),
                .required("origin", .oneOf(AppSourceRecord.Origin.allCases.map(\.rawValue))),
                .required("install", install),
            ] + sourceMembers),
        "AppSourceRequest": .object([.optional("install", install)] + sourceMembers),
    ]

    private static let install = Schema.oneOf(AppSourceRecord.Install.allCases.map(\.rawValue))

    private static let sourceMembers: [Schema.Member] = [
        .optional("location", .string),
        .optional("license", .oneOf(AppSourceRecord.License.allCases.map(\.rawValue))),
        .optional("updates", .oneOf(AppSourceRecord.Updates.allCases.map(\.rawValue))),
        .optional("minimumOSVersion", .string), .optional("minimumAgentVersion", .string),
    ]
}
