/// The shapes of secrets and of the audit log: what is sent, and the little that is answered.
extension AdminSchemas {
    static let secrets: [String: Schema] = [
        "Secret": .object(
            [
                .required("name", .string), .required("kind", kind), .optional("revoking", .boolean),
                .optional("lacksValue", .boolean),
            ] + versionMembers),
        "SecretVersion": .object(versionMembers),
        "SecretFacts": .object([
            .optional("hasUserName", .boolean), .optional("variables", .array(.string)),
            .optional("deviceValues", .integer), .optional("personValues", .integer), .optional("fingerprint", .string),
            .optional("subject", .string), .optional("expires", .date), .optional("authority", .string),
            .optional("keyType", .string), .optional("keySize", .integer), .optional("hardwareBound", .boolean),
            .optional("attest", .boolean), .optional("marker", .string),
        ]),
        "SecretValuesAnswer": .object([
            .optional("owner", .oneOf(["person"])), .required("version", .integer), .required("set", .integer),
            .required("removed", .integer), .required("total", .integer),
        ]),
        "SecretRequest": .oneMember([
            .optional("password", .named("PasswordSecret")), .optional("certificate", .named("CertificateSecret")),
            .optional("pkcs12", .named("PKCS12Secret")), .optional("scep", .named("SCEPSecret")),
            .optional("acme", .named("ACMESecret")),
        ]),
        "PasswordSecret": .object([.optional("userName", .string), .required("password", .string)]),
        "CertificateSecret": .object([.required("file", .base64)]),
        "PKCS12Secret": .object([.required("file", .base64), .required("password", .string)]),
        "SCEPSecret": .object(
            [
                .optional("url", .string), .optional("name", .string), .optional("challenge", .string),
                .optional("authorityFingerprint", .string),
            ] + certificateMembers),
        "ACMESecret": .object(
            [
                .optional("directoryURL", .string), .optional("clientIdentifier", .string),
                .optional("keyType", .oneOf(["EC", "RSA"])), .optional("hardwareBound", .boolean),
                .optional("attest", .boolean), .optional("extendedKeyUsage", .array(.string)),
            ] + certificateMembers),
        "SubjectAltName": .object([
            .optional("dns", .string), .optional("email", .string), .optional("uri", .string),
            .optional("ntPrincipal", .string),
        ]),
        "SecretAssignment": .object([
            .required("group", .string), .required("app", .string), .optional("extension", .string),
            .required("kind", .oneOf(["password", "certificate", "identity"])), .required("identifier", .string),
            .required("secret", .string),
        ]),
        "SecretAssignmentRequest": .object([.required("secret", .string)]),
        "AuditEntry": .object([
            .required("sequence", .integer), .required("time", .date), .required("actor", .string),
            .required("action", .string), .required("subject", .string), .required("details", .any),
            .required("hash", .string),
        ]),
        "AuditExportLine": .object([
            .optional("martletAudit", .integer), .optional("first", .integer), .optional("previous", .string),
            .optional("sequence", .integer), .optional("time", .date), .optional("actor", .string),
            .optional("action", .string), .optional("subject", .string), .optional("details", .string),
            .optional("hash", .string), .optional("entries", .integer), .optional("head", .string),
        ]),
        "AuditVerification": .object([
            .required("intact", .boolean), .required("entries", .integer), .required("first", .integer),
            .optional("head", .string), .optional("brokenAt", .integer), .optional("rule", .string),
        ]),
    ]

    private static let kind = Schema.oneOf(["password", "certificate", "pkcs12", "scep", "acme"])

    private static let versionMembers: [Schema.Member] = [
        .required("version", .integer), .required("created", .date), .optional("author", .string),
        .required("facts", .named("SecretFacts")),
    ]

    private static let certificateMembers: [Schema.Member] = [
        .required("subject", .array(.array(.string))), .optional("subjectAltName", .named("SubjectAltName")),
        .optional("keySize", .integer), .optional("keyUsage", .integer),
    ]
}
