import DeviceMessages
import Management

extension AdminSchemas {
    static let lowestTrust = Schema.oneOf(AppTrust.allCases.map(\.rawValue))
    static let delivery = Schema.oneOf(AssignmentRecord.Delivery.allCases.map(\.rawValue))

    /// Where devices get apps, and what they say of them.
    static let apps: [String: Schema] = [
        "AppSource": .object(
            [
                .required("platform", .oneOf(DevicePlatform.allCases.map(\.rawValue))),
                .required("origin", .oneOf(AppSourceRecord.Origin.allCases.map(\.rawValue))),
                .required("install", install),
            ] + sourceMembers),
        "AppSourceRequest": .object([.optional("install", install)] + sourceMembers),
        "ConfigurationRefusal": .object([
            .optional("extension", .string), .optional("appVersion", .string), .optional("configurationName", .string),
            .optional("configurationVersion", .integer), .required("groups", .array(.string)),
            .optional("code", .integer), .optional("keyPath", .string), .optional("keyPathSupplied", .boolean),
            .optional("message", .string), .required("devices", .integer), .required("since", .date),
            .optional("latest", .date), .optional("explanation", .named("RefusalExplanation")),
        ]),
        "RefusalExplanation": .object([
            .optional("name", .string), .required("meaning", .string), .optional("remedy", .string),
            .optional("specification", .string), .optional("isNearest", .boolean),
        ]),
        "Health": .object([
            .required("ready", .boolean), .optional("fault", .string),
            .required("certificates", .array(.named("ServerCertificate"))), .required("databaseBytes", .integer),
            .required("logBytes", .integer), .optional("freeBytes", .integer), .required("waitingWrites", .integer),
            .required("wakeStreams", .integer), .required("webhooks", .named("WebhookCounts")),
            .optional("clock", .named("ServerClock")), .optional("version", .string),
        ]),
        "ServerClock": .object([
            .required("stepSeconds", .integer), .required("deletesByAge", .boolean), .required("certifies", .boolean),
        ]),
        "ServerCertificate": .object([
            .required("name", .string), .required("expires", .date), .optional("endsWithinDays", .integer),
        ]),
        "Overview": .object([
            .required("devices", .named("DeviceCounts")), .required("silent", .named("BoundedCount")),
            .required("openEnrollmentCodes", .named("BoundedCount")), .required("apps", .array(.named("AppOverview"))),
            .optional("changes", .array(.named("ChangeJourney"))), .optional("changesSince", .date),
            .optional("secretsWithoutValue", .array(.string)),
        ]),
        "DeviceCounts": .object(["enrolled", "enrolling", "checkedOut", "withdrawn"].map { .required($0, .integer) }),
        "BoundedCount": .object([.required("count", .integer), .required("isMore", .boolean)]),
        "AppOverview": .object([
            .required("bundleIdentifier", .string), .required("name", .string), .required("devices", .integer),
            .required("refusals", .integer), .required("groups", .integer),
            .required("states", .named("AppStateCounts")), .required("unreported", .named("BoundedCount")),
        ]),
        "AppStates": .object([
            .required("states", .named("AppStateCounts")), .required("unreported", .integer),
            .required("notInOrder", .integer),
        ]),
        "AppStateCounts": .object(
            [
                "decoded", "unconfigured", "unknown", "refused", "unapplied", "withheld", "failed", "waiting",
                "offered",
            ].map { .required($0, .integer) }),
        "ConfigurationAdoption": .object([
            .required("since", .date), .required("versions", .array(.named("AdoptedVersion"))),
            .required("points", .array(.named("AdoptionPoint"))),
        ]),
        "AdoptedVersion": .object([
            .optional("extension", .string), .required("version", .integer), .required("devices", .integer),
        ]),
        "AdoptionPoint": .object([
            .required("time", .date), .optional("extension", .string), .required("version", .integer),
            .required("devices", .integer),
        ]),
        "AppVersionSummary": .object([
            .required("version", .string), .required("devices", .integer), .optional("specification", .string),
        ]),
    ]

    /// Hosted packages, and whose are trusted.
    static let packages: [String: Schema] = [
        "Package": .object([
            .required("sha256", .string), .required("app", .string), .required("size", .integer),
            .required("title", .string), .required("version", .string), .required("shortVersion", .string),
            .required("team", .string), .optional("minimumOSVersion", .string),
            .optional("minimumAgentVersion", .string), .required("author", .string), .required("uploaded", .date),
            .optional("unusedSince", .date), .required("manifestURL", .string),
            .optional("specification", .named("PackagedSpecification")),
        ]),
        "PackagedSpecification": .object([
            .required("version", .string), .required("taken", .boolean), .optional("note", .string),
            .required("warnings", .array(.string)),
        ]),
        "PackageRequest": .object([.optional("offer", .boolean)]),
        "PackageUpload": .object([.required("received", .integer), .required("hosted", .boolean)]),
        "Team": .object([
            .required("fingerprint", .string), .optional("name", .string), .optional("team", .string),
            .required("authority", .boolean), .required("expires", .date), .required("author", .string),
            .required("added", .date), .required("certificate", .string),
        ]),
        "TeamRequest": .object([.required("certificate", .string)]),
    ]

    static let install = Schema.oneOf(AppSourceRecord.Install.allCases.map(\.rawValue))

    private static let sourceMembers: [Schema.Member] = [
        .optional("location", .string),
        .optional("license", .oneOf(AppSourceRecord.License.allCases.map(\.rawValue))),
        .optional("updates", .oneOf(AppSourceRecord.Updates.allCases.map(\.rawValue))),
        .optional("minimumOSVersion", .string), .optional("minimumAgentVersion", .string),
    ]
}
