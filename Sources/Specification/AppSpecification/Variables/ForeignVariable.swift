/// A variable as another management writes it, and the one that means the same here.
package struct ForeignVariable: Hashable, Sendable {
    /// As it stands in the text: `{{mail}}`, `$EMAIL`.
    package let spelling: String
    /// The scope and name that AppConfig files have for it; nothing where those have none.
    package let specified: SpecifiedVariable?
    /// Ours, without `${` and `}`; nothing where nothing here stands for it.
    package let ours: String?

    private init(_ spelling: String, _ meaning: Meaning) {
        self.spelling = spelling
        (specified, ours) = (meaning.specified, meaning.ours)
    }

    private struct Meaning {
        var specified: SpecifiedVariable?
        var ours: String?

        init(_ ours: String?, _ scope: String? = nil, _ name: String? = nil) {
            self.ours = ours
            if let scope, let name { specified = SpecifiedVariable(scope: scope, name: name) }
        }
    }

    // MARK: Finding one

    /// The first variable of another management that a text holds.
    ///
    /// Only names that are known count: an app has words of its own between such signs.
    package static func first(in text: String) -> ForeignVariable? {
        // A hostile text must not cost much.
        guard text.utf8.count <= 4_096, text.utf8.contains(where: { "$%{".utf8.contains($0) }) else { return nil }
        var found: [(range: Range<String.Index>, name: Substring)] = []
        for match in text.matches(of: /\{\{\s*([A-Za-z][A-Za-z0-9_.]{1,63})\s*\}\}/) {
            found.append((match.range, match.1))
        }
        for match in text.matches(of: /\$([A-Z][A-Z0-9_]{1,63})\$?/) { found.append((match.range, match.1)) }
        for match in text.matches(of: /%([A-Za-z][A-Za-z0-9_]{1,63})%/) { found.append((match.range, match.1)) }
        for (range, name) in found.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            if let meaning = meaning(of: String(name)) { return ForeignVariable(String(text[range]), meaning) }
        }
        // Between single braces, these alone have no other meaning.
        guard let match = text.firstMatch(of: /\{([A-Za-z]{1,63})\}/), bracedNames.contains(String(match.1)),
            let meaning = meaning(of: String(match.1))
        else { return nil }
        return ForeignVariable(String(text[match.range]), meaning)
    }

    /// Ours for a variable that an AppConfig file names, without `${` and `}`.
    package static func ours(for variable: SpecifiedVariable) -> String? {
        guard variable.scope == "user" || variable.scope == "device" else { return nil }
        return meaning(of: variable.name)?.ours
    }

    private static func meaning(of name: String) -> Meaning? {
        var word = name.lowercased().filter { $0.isLetter || $0.isNumber }
        for prefix in ["user", "device", "owner"] where meanings[word] == nil && word.hasPrefix(prefix) {
            word = String(word.dropFirst(prefix.count))
        }
        return meanings[word]
    }

    // MARK: What they mean

    private static let bracedNames: Set = [
        "EmailAddress", "EmailDomain", "EmailUserName", "UserPrincipalName", "EnrollmentUser", "FirstName", "LastName",
        "DeviceSerialNumber", "DeviceUid", "DeviceFriendlyName", "DeviceModel", "DeviceAssetNumber",
    ]

    private static let meanings: [String: Meaning] = people.merging(devices) { one, _ in one }

    private static let people: [String: Meaning] = table([
        (Meaning("person.email", "user", "emailAddress"), ["mail", "email", "emailaddress"]),
        (
            Meaning("person.emailLocalPart", "user", "emailAddressLocalPart"),
            ["emailaddresslocalpart", "emailusername", "partialupn", "emailprefix"]
        ),
        (Meaning("person.emailDomain", "user", "emailAddressDomain"), ["emailaddressdomain", "emaildomain"]),
        (Meaning("person.userName", "user", "username"), ["username", "enrollmentuser", "userid", "loginname"]),
        (Meaning("person.fullName", "user", "displayName"), ["fullname", "realname", "displayname", "cn"]),
        (Meaning("person.firstName", "user", "firstName"), ["firstname", "givenname"]),
        (Meaning("person.lastName", "user", "lastName"), ["lastname", "surname", "familyname"]),
        (Meaning("person.principalName", "user", "upn"), ["upn", "userprincipalname", "principalname"]),
        (Meaning("person.accountName", "user", "sAMAccountName"), ["samaccountname", "onpremisessamaccountname"]),
        (Meaning("person.distinguishedName", "user", "dn"), ["dn", "distinguishedname", "userdn"]),
        (Meaning("person.department", "user", "ou"), ["department", "departmentname", "ou"]),
        (Meaning("person.locale", "user", "locale"), ["locale", "preferredlanguage"]),
        (Meaning(nil), ["phone", "phonenumber", "jobtitle", "managedappleid", "sitename"]),
    ])

    private static let devices: [String: Meaning] = table([
        (
            Meaning("device.serialNumber", "device", "serialNumber"),
            ["serialnumber", "serial", "sn", "deviceserialnumber"]
        ),
        (Meaning("device.udid", "device", "udid"), ["udid", "uid", "hardwareuuid"]),
        (Meaning("device.model", "device", "model"), ["model", "modelname"]),
        (Meaning("device.name"), ["devicename", "computername", "friendlyname"]),
        (Meaning("device.productName"), ["productname", "modelidentifier"]),
        (Meaning("device.osVersion"), ["osversion", "systemversion"]),
        (Meaning(nil, "device", "imei"), ["imei"]), (Meaning(nil, "device", "meid"), ["meid"]),
        (Meaning(nil, "device", "iccid"), ["iccid"]), (Meaning(nil, "device", "imsi"), ["imsi"]),
        (Meaning(nil, "device", "wifiMacAddress"), ["wifimacaddress", "macaddress", "wifimac"]),
        (
            Meaning(nil),
            [
                "deviceid", "aaddeviceid", "azureaddeviceid", "assettag", "assetnumber", "jssid", "managementid",
                "serialnumberlast4digits", "buildingname",
            ]
        ),
    ])

    private static func table(_ rows: [(Meaning, [String])]) -> [String: Meaning] {
        var table: [String: Meaning] = [:]
        for (meaning, names) in rows {
            for name in names { table[name] = meaning }
        }
        return table
    }
}
