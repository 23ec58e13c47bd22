package import AdminMessages

/// The name in a request's path of something that is not there.
package enum MissingName {
    /// Which kinds of things the names behind a part of a path are of, in their order.
    private static let kinds: [String: [MissingKind]] = [
        "administrators": [.administrator],
        "apps": [.app],
        "assignments": [.group, .app],
        "configurations": [.configuration],
        "devices": [.device],
        "groups": [.group],
        "jobs": [.job],
        "people": [.person],
        "secret-assignments": [.group, .app],
        "secrets": [.secret],
        "setting-assignments": [.group],
        "tokens": [.token],
        "versions": [.configurationVersion],
        "webhooks": [.webhook],
    ]

    /// The name of the thing of a kind; nothing where the path names none.
    package static func of(_ kind: MissingKind, in path: [String]) -> String? {
        var rest = path[...]
        while let part = rest.popFirst() {
            for named in kinds[part] ?? [] {
                guard let name = rest.popFirst() else { return nil }
                if named == kind { return name }
            }
        }
        return nil
    }
}
