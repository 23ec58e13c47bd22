import AdminMessages
import Foundation

/// What somebody may do, as a form.
enum AdministratorForm {
    static let labels = [
        (name: "role", label: "Role"), (name: "apps", label: "Apps"), (name: "groups", label: "Groups"),
    ]

    private static let roles: [(role: AdministratorRole, label: String)] = [
        (.reader, "reader: looks, and changes nothing"),
        (.helpDesk, "help-desk: has devices and people come, and helps them"),
        (.appOwner, "app-owner: configures some apps, and gives them to some groups"),
        (.auditor, "auditor: looks at everything, and at who did it"),
        (.administrator, "administrator: may do everything"),
    ]

    static func fields(_ edit: FormEdit) -> HTML {
        let role = Field("role", "Role", value: edit["role"])
        let apps = Field(
            "apps", "Apps", value: edit["apps"], hint: "Of an owner of apps: bundle identifiers, each on its line.")
        let groups = Field(
            "groups", "Groups", value: edit["groups"], hint: "Of an owner of apps: names, each on its line.")
        return """
            \(edit.hidden)\(role.choice(roles.map { ($0.role.rawValue, $0.label) }))
            \(apps.area(rows: 2))\(groups.area(rows: 2))
            """
    }

    static func values(_ one: Administrator) -> [String: String] {
        [
            "role": one.role.rawValue, "apps": (one.apps ?? []).joined(separator: "\n"),
            "groups": (one.groups ?? []).joined(separator: "\n"),
        ]
    }

    /// What other roles have no use for is not sent: who becomes another loses it.
    static func rights(_ edit: FormEdit) -> RightsRequest {
        let role = AdministratorRole(rawValue: edit["role"])
        func names(_ field: String) -> [String]? {
            guard role == .appOwner else { return nil }
            return edit[field].split { $0.isNewline || $0 == "," }.map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { !$0.isEmpty }
        }
        return RightsRequest(role: role, apps: names("apps"), groups: names("groups"))
    }
}
