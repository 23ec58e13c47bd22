package import AdminMessages

/// Something that a request names and that is not there.
struct MissingThing: Sendable, Equatable {
    let kind: MissingKind
    /// Nothing where the request has several names of the kind, or none.
    var name: String?
    /// What was requested.
    let path: [String]

    init(_ kind: MissingKind, path: [String], members: [String: String]) {
        self.kind = kind
        self.path = path
        name = MissingName.of(kind, in: path) ?? MissingName.of(kind, in: members)
    }
}

/// The name in a request of something that is not there.
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
        "setting-assignments": [.group, .settingKind, .setting],
        "settings": [.settingKind, .setting],
        "tokens": [.token],
        "versions": [.configurationVersion],
        "webhooks": [.webhook],
    ]

    /// The members of a request's query or body by which it names a thing of a kind.
    private static let members: [MissingKind: [String]] = [
        .app: ["app"], .device: ["replaces", "device"], .group: ["group"], .person: ["person"], .secret: ["secret"],
    ]

    /// The name of the thing of a kind; nothing where the members name none.
    static func of(_ kind: MissingKind, in members: [String: String]) -> String? {
        (Self.members[kind] ?? []).compactMap { members[$0] }.first
    }

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
