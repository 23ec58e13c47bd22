import InputBounds

/// The specification files of the AppConfig Community: one flat dictionary, and how a console shows it.
///
/// Reading is lenient, because what is published often breaks the schema of the format; writing keeps to it.
enum AppConfigXML {
    static let name = "AppConfig XML"
    static let root = "managedAppConfiguration"
    static let limits = InputLimits(bytes: SpecificationLimits.bytes, depth: 32, objects: 200_000)

    /// What a server may put in place of a value.
    static let variables: [String: [String]] = [
        "user": [
            "cn", "displayName", "dn", "emailAddress", "emailAddressDomain", "emailAddressLocalPart", "firstName",
            "lastName", "locale", "ou", "sAMAccountName", "username", "upn",
        ],
        "device": ["iccid", "imei", "imsi", "meid", "model", "phoneNumber", "serialNumber", "udid", "wifiMacAddress"],
    ]

    /// The element for keys of a type, or for lists of it.
    static func element(_ key: SpecifiedKey) -> String? {
        guard key.type == .array else { return scalars.first { $0.type == key.type }?.name }
        guard let item = key.item.first, let name = scalars.first(where: { $0.type == item.type })?.name else {
            return nil
        }
        return ["string", "integer", "float"].contains(name) ? name + "Array" : nil
    }

    static let scalars: [(name: String, type: SpecifiedType)] = [
        ("string", .string), ("integer", .integer), ("float", .real), ("date", .date), ("boolean", .boolean),
    ]

    /// Whether a text is a tag of a language, as the format wants it.
    static func isLanguage(_ text: String) -> Bool { text.wholeMatch(of: /[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*/) != nil }
}
