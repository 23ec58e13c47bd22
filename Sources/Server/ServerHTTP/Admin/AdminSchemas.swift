import AdminMessages

/// The named shapes of the administrator's API: the values of AdminMessages, member by member.
enum AdminSchemas {
    static let all: [String: Schema] = [
        "Problem": .object([
            .required("type", .string), .required("title", .string), .required("status", .integer),
            .optional("detail", .string), .optional("findings", .array(.named("Finding"))),
            .optional("missing", .oneOf(MissingKind.all.map(\.rawValue))),
        ]),
        "SessionRequest": .object([.required("name", .string), .required("password", .string)]),
        "SessionAnswer": .object([
            .required("token", .string), .required("expires", .date), .required("mustChangePassword", .boolean),
        ]),
        "PasswordChange": .object([.required("old", .string), .required("new", .string)]),
        "Group": .object([
            .required("name", .string), .optional("deviceCount", .integer), .optional("rule", .string),
            .optional("judging", .boolean),
        ]),
        "App": .object([
            .required("bundleIdentifier", .string), .required("name", .string), .optional("teamIdentifier", .string),
        ]),
        "ConfigurationSummary": .object([
            .required("name", .string), .required("version", .integer), .required("sha256", .string),
            .required("size", .integer), .required("modified", .date), .optional("variables", .array(.string)),
        ]),
        "ConfigurationAnswer": .object([
            .required("version", .integer), .required("sha256", .string), .required("size", .integer),
            .required("warnings", .array(.string)), .optional("variables", .array(.string)),
            .optional("unchanged", .boolean),
        ]),
        "ConfigurationVersion": .object([
            .required("version", .integer), .required("sha256", .string), .required("size", .integer),
            .required("created", .date), .optional("author", .string), .optional("revertOf", .integer),
        ]),
        "RevertRequest": .object([.required("version", .integer)]),
        "SpecificationSummary": .object([
            .required("version", .string), .required("sha256", .string), .required("size", .integer),
            .required("author", .string), .required("added", .date), .optional("package", .string),
            .optional("warnings", .array(.string)),
        ]),
        "Finding": .object([
            .required("path", .string), .required("rule", .string), .required("message", .string),
            .optional("suggestion", .string), .optional("versions", .array(.named("AppVersionSummary"))),
            .optional("app", .string), .optional("severity", .oneOf([FindingSeverity.warning.rawValue])),
        ]),
        "Membership": .object([
            .required("device", .string), .required("group", .string), .required("warnings", .array(.string)),
        ]),
        "ConfigurationCheck": .object([
            .required("errors", .array(.named("Finding"))), .required("warnings", .array(.string)),
        ]),
        "Assignment": .object([
            .required("group", .string), .required("app", .string), .optional("configuration", .string),
            .optional("extensions", .map(.string)), .optional("lowestTrust", lowestTrust),
            .optional("install", install), .optional("priority", .integer), .optional("delivery", delivery),
            .optional("warnings", .array(.string)), .optional("changed", .array(.string)),
        ]),
        "AssignmentRequest": .object([
            .optional("configuration", .string), .optional("extensions", .map(.string)),
            .optional("lowestTrust", lowestTrust), .optional("install", install), .optional("priority", .integer),
            .optional("delivery", delivery),
        ]),
        "AssignmentPatch": .object([
            .optional("configuration", .orNull(.string)), .optional("extensions", .orNull(.map(.orNull(.string)))),
            .optional("lowestTrust", .orNull(lowestTrust)), .optional("install", .orNull(install)),
            .optional("priority", .orNull(.integer)), .optional("delivery", .orNull(delivery)),
        ]),
    ].merging(enrollment) { first, _ in first }.merging(devices) { first, _ in first }
        .merging(secrets) { first, _ in first }.merging(people) { first, _ in first }
        .merging(apps) { first, _ in first }.merging(packages) { first, _ in first }
        .merging(administrators) { first, _ in first }.merging(effective) { first, _ in first }
        .merging(groupRules) { first, _ in first }.merging(events) { first, _ in first }
        .merging(webhooks) { first, _ in first }.merging(settings) { first, _ in first }
        .merging(feedback) { first, _ in first }.merging(attributes) { first, _ in first }

    /// Every name that a member of an object has in the description.
    static let memberNames = Set(
        all.values.flatMap { schema in
            switch schema {
            case .object(let members), .oneMember(let members): return members.map(\.name)
            default: return [String]()
            }
        })

    private static let enrollment: [String: Schema] = [
        "EnrollmentCodeRequest": .object([
            .required("group", .string), .optional("validSeconds", .integer), .optional("ownership", ownership),
            .optional("supervised", .boolean), .optional("allowLegacyCryptography", .boolean),
            .optional("replaces", .string),
        ]),
        "EnrollmentCodeAnswer": .object([
            .required("id", .string), .required("code", .string), .required("enrollmentURL", .string),
            .required("expires", .date), .required("group", .string), .optional("authorityFingerprint", .string),
        ]),
        "EnrollmentCodeSummary": .object([
            .required("id", .string), .required("group", .string),
            .required("state", .oneOf(["open", "used", "expired", "revoked"])),
            .required("created", .date), .required("expires", .date), .required("ownership", ownership),
            .required("supervised", .boolean),
            .required("allowLegacyCryptography", .boolean), .optional("replaces", .string),
        ]),
    ]

    private static let people: [String: Schema] = [
        "InvitationRequest": .object([
            .required("group", .string), .optional("account", .string), .optional("validSeconds", .integer),
        ]),
        "InvitationAnswer": .object([
            .required("person", .string), .required("account", .string), .required("password", .string),
            .required("group", .string), .required("expires", .date),
        ]),
        "InvitationSummary": .object([
            .required("person", .string), .required("account", .string), .required("group", .string),
            .required("created", .date), .required("expires", .date),
        ]),
        "ExpectedDeviceRequest": .object([
            .required("group", .string), .optional("chip", .string), .optional("trustSerialNumber", .boolean),
            .optional("awaitConfiguration", .boolean),
        ]),
        "ExpectedDevice": .object([
            .required("serialNumber", .string), .required("group", .string), .optional("chip", .string),
            .optional("awaitConfiguration", .boolean), .required("created", .date), .optional("used", .date),
        ]),
        "ExpectedDevicesAnswer": .object([
            .required("added", .integer), .required("changed", .integer), .required("unchanged", .integer),
            .required("came", .integer),
        ]),
        "Person": .object([
            .required("userName", .string), .required("details", .named("PersonDetails")), .required("modified", .date),
            .optional("devices", .array(.string)),
        ]),
        "PersonDetails": .object(
            [
                "fullName", "firstName", "lastName", "email", "department", "principalName", "accountName",
                "distinguishedName", "locale",
            ].map { .optional($0, .string) }),
        "PeopleImportAnswer": .object([
            .required("added", .integer), .required("changed", .integer), .required("unchanged", .integer),
            .required("dryRun", .boolean),
        ]),
        "DevicePersonRequest": .object([.required("userName", .string)]),
    ]

    private static let devices: [String: Schema] = [
        "DeviceSummary": .object(
            enrollmentMembers + [
                .optional("lastSeen", .date), .required("synchronised", .boolean), .optional("refusals", .integer),
                .optional("failingApps", .integer), .optional("silent", .boolean),
            ]),
        "DeviceDetail": .object(
            enrollmentMembers + [
                .required("facts", .map(.any)), .optional("attributes", .map(.string)),
                .optional("enrolled", .date), .optional("lastSeen", .date), .optional("silent", .boolean),
                .optional("identity", .named("DeviceIdentity")),
                .required("declarationsToken", .named("DeclarationsTokenPair")),
                .optional("signIn", .named("DeviceSignIn")), .optional("awaitsConfiguration", .boolean),
                .optional("atRest", .named("AtRest")),
                .required("apps", .array(.named("DeviceApp"))),
                .required("declarations", .array(.named("DeclarationState"))),
            ]),
        "DeviceIdentity": .object([
            .optional("serial", .string), .required("expires", .date),
            .required("state", .oneOf(["good", "renewing", "expired", "lapsed"])), .optional("moment", .date),
        ]),
        "DeviceSignIn": .object([.required("since", .date), .required("needed", .boolean)]),
        "AtRest": .object([
            .required("keyHolder", .oneOf(["tpm", "file"])), .optional("olderCopyNoticed", .date),
            .optional("damageNoticed", .date), .optional("damageReplaced", .date),
        ]),
        "DeclarationsTokenPair": .object([.required("current", .string), .optional("acknowledged", .string)]),
        "Reason": .object([
            .required("code", .string), .optional("description", .string), .optional("details", .any),
        ]),
        "DeviceApp": .object([
            .required("identifier", .string), .optional("name", .string), .optional("version", .string),
            .optional("state", .string), .optional("updateState", .string),
            .optional("configState", .oneOf(["valid", "invalid", "unknown"])), .optional("isCurrent", .boolean),
            .optional("standing", standing),
            .required("reasons", .array(.named("Reason"))), .optional("configurationName", .string),
            .optional("configurationVersion", .integer), .optional("delivery", delivery),
            .optional("extensions", .array(.named("DeviceExtension"))),
            .optional("refusals", .array(.named("ConfigurationRefusal"))),
            .optional("managedBy", .oneOf(["declaration", "command"])), .optional("hasConfiguration", .boolean),
            .optional("hasFeedback", .boolean),
        ]),
        "DeviceExtension": .object([
            .required("identifier", .string), .optional("configState", .oneOf(["valid", "invalid", "unknown"])),
            .optional("configurationName", .string), .optional("configurationVersion", .integer),
        ]),
        "DeclarationState": .object([
            .required("identifier", .string), .required("serverToken", .string), .required("active", .boolean),
            .required("valid", .oneOf(["valid", "invalid", "unknown"])),
            .required("reasons", .array(.named("Reason"))), .optional("secret", .named("DeclaredSecret")),
        ]),
        "DeclaredSecret": .object([
            .required("app", .string), .optional("extension", .string),
            .required("kind", .oneOf(["password", "certificate", "identity"])), .required("identifier", .string),
        ]),
        "StatusItem": .object([
            .required("name", .string), .required("value", .any), .optional("size", .integer),
            .required("reported", .date),
        ]),
        "DeviceHistoryEntry": .object([
            .required(
                "kind",
                .oneOf([
                    "device.tell", "device.fetch", "device.hold", "device.settle", "device.refuse", "device.accept",
                    "device.replace", "device.enroll-refuse",
                ])), .required("time", .date),
            .optional("token", .string), .optional("app", .string), .optional("configuration", .string),
            .optional("version", .integer),
        ]),
        "CommandRequest": .object([.required("requestType", .string), .optional("parameters", .map(.any))]),
        "CommandSummary": .object(commandMembers + [.optional("warnings", .array(.string))]),
        "CommandDetail": .object(
            commandMembers + [
                .optional("answer", .any), .required("errorChain", .array(.named("CommandError"))),
                .optional("oddities", .array(.named("CommandOddity"))),
            ]),
        "CommandOddity": .object([.required("place", .string), .required("rule", .string)]),
        "CommandError": .object([
            .required("domain", .string), .required("code", .integer), .optional("description", .string),
        ]),
        "ConfigurationTrial": .object([
            .optional("id", .string),
            .required(
                "state",
                .oneOf(["waiting", "running", "accepted", "refused", "untried", "expired", "cancelled", "failed"])),
            .optional("reason", .string), .optional("missing", .array(.string)),
            .optional("refusal", .named("TrialRefusal")), .optional("expires", .date),
            .optional("check", .named("ConfigurationCheck")),
        ]),
        "TrialRefusal": .object([
            .required("code", .integer), .optional("message", .string), .optional("keyPath", .string),
            .required("keyPathSupplied", .boolean), .optional("type", .string),
            .optional("explanation", .named("RefusalExplanation")),
        ]),
    ]

    private static let ownership = Schema.oneOf(["organization", "personal"])
    static let standing = Schema.oneOf((AppStanding.reported + [.unreported]).map(\.rawValue))

    private static let enrollmentMembers: [Schema.Member] = [
        .required("id", .string), .optional("name", .string), .required("kind", .oneOf(["device", "user"])),
        .required("ownership", ownership), .required("supervised", .boolean), .required("groups", .array(.string)),
        .optional("person", .string), .optional("arrival", .oneOf(["code", "account", "expected"])),
        .required("state", .oneOf(["enrolling", "enrolled", "checkedOut", "withdrawn"])),
    ]

    private static let commandMembers: [Schema.Member] = [
        .required("uuid", .string), .required("requestType", .string),
        .required(
            "state",
            .oneOf(["queued", "sent", "notNow", "acknowledged", "error", "commandFormatError", "cancelled", "retired"])),
        .required("queued", .date), .optional("updated", .date),
    ]
}
