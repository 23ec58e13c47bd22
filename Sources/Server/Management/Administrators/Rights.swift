import InputBounds

/// What an administrator is there for.
package enum Role: String, Sendable, CaseIterable {
    /// Looks, and changes nothing.
    case reader
    /// Has devices and their people come, and helps them.
    case helpDesk = "help-desk"
    /// Configures some apps, and gives them to some groups.
    case appOwner = "app-owner"
    /// Looks at everything, and at who did it.
    case auditor
    /// May do everything.
    case administrator
}

/// What an operation of the API asks of who calls it.
package enum Permission: String, Sendable, Equatable, CaseIterable {
    /// It concerns their own session, password or API tokens: no API token may do it.
    case own
    /// To see who one is, devices, groups, apps, and what is assigned to whom.
    case look
    /// To see with what an app is configured.
    case lookInside
    /// To have devices and people come, and to help those that are there.
    case help
    /// To change what one app is configured with and where devices get it.
    case configure
    /// To give one app to one group, or to take it away.
    case assign
    /// To see who did what.
    case audit
    /// Everything else: what reaches many, what is secret, what cannot be undone.
    case manage
    /// To say who may do what.
    case administer
}

/// What one administrator may do.
package struct Rights: Sendable, Equatable {
    /// No administrator may do more.
    package static let all = Rights(role: .administrator)
    /// How many apps, and how many groups, an owner of apps may be named.
    static let most = 100

    package let role: Role
    /// The apps of an owner of apps, by their bundle identifiers; of no meaning for other roles.
    package let apps: [String]
    /// The groups to which an owner of apps gives them.
    package let groups: [String]
    private let bound: Bound

    /// What holds beside the role.
    private indirect enum Bound: Sendable, Equatable {
        case none
        /// They are an API token's, and never more than its administrator has.
        case token(isReadOnly: Bool, administers: Bool, of: Rights)
    }

    package init(role: Role, apps: [String] = [], groups: [String] = []) {
        self.init(role, apps, groups, .none)
    }

    private init(_ role: Role, _ apps: [String], _ groups: [String], _ bound: Bound) {
        self.role = role
        self.apps = apps.sorted()
        self.groups = groups.sorted()
        self.bound = bound
    }

    /// The same for an API token of an administrator who now has `rights`.
    package func forToken(isReadOnly: Bool, administers: Bool, of rights: Rights) -> Rights {
        Rights(role, apps, groups, .token(isReadOnly: isReadOnly, administers: administers, of: rights))
    }

    /// Whether they are an API token's.
    package var areOfToken: Bool { bound != .none }

    /// Whether they are an API token's that changes nothing, whatever its operations need.
    package var areReadOnly: Bool {
        if case .token(isReadOnly: true, _, _) = bound { true } else { false }
    }

    /// Whether they allow an operation, on an app and a group where it is about one.
    package func allow(_ permission: Permission, app: String?, group: String?) -> Bool {
        isWithinBound(permission, app: app, group: group) && roleAllows(permission, app: app, group: group)
    }

    private func roleAllows(_ permission: Permission, app: String?, group: String?) -> Bool {
        switch (role, permission) {
        case (.administrator, _), (_, .own), (_, .look): true
        case (.auditor, .lookInside), (.auditor, .audit), (.reader, .lookInside): true
        case (.helpDesk, .help): true
        case (.appOwner, .lookInside), (.appOwner, .configure): owns(app)
        case (.appOwner, .assign): owns(app) && group.map(groups.contains) == true
        default: false
        }
    }

    /// What they allow at all; an owner of apps, with an app and a group of theirs.
    package var permissions: [Permission] {
        Permission.allCases.filter { allow($0, app: apps.first, group: groups.first) }
    }

    /// Whether they reach a device in these groups: an owner of apps has to do only with devices that are given them.
    package func reach(deviceIn groups: [String]) -> Bool {
        if case .token(_, _, let maker) = bound, !maker.reach(deviceIn: groups) { return false }
        return role != .appOwner || !Set(groups).isDisjoint(with: self.groups)
    }

    /// Whether they reach all that a change names: an owner of apps has to do only with apps and groups of theirs, and with
    /// devices in these.
    func reach(_ change: Change) -> Bool {
        if case .token(_, _, let maker) = bound, !maker.reach(change) { return false }
        guard role == .appOwner else { return true }
        guard change.app != nil || change.group != nil || change.device != nil else { return false }
        return change.app.map(apps.contains) ?? true && change.group.map(groups.contains) ?? true
            && (change.device == nil || reach(deviceIn: change.deviceGroups))
    }

    /// Whether these rights include the others, so that their holder may give them.
    package func include(_ other: Rights) -> Bool {
        switch (role, other.role) {
        case (.administrator, _), (.auditor, .reader): true
        case (.appOwner, .appOwner): Set(other.apps).isSubset(of: apps) && Set(other.groups).isSubset(of: groups)
        default: role == other.role
        }
    }

    private func isWithinBound(_ permission: Permission, app: String?, group: String?) -> Bool {
        guard case .token(let isReadOnly, let administers, let maker) = bound else { return true }
        switch permission {
        case .own: return false
        case .administer where !administers: return false
        case .look, .lookInside, .audit: break
        default: if isReadOnly { return false }
        }
        return maker.allow(permission, app: app, group: group)
    }

    private func owns(_ app: String?) -> Bool { app.map(apps.contains) == true }

    /// Why nobody can have these.
    var refusal: AdminRefusal? {
        guard role == .appOwner || (apps.isEmpty && groups.isEmpty) else {
            return .invalid(rule: "Only the role app-owner is limited to apps and groups.")
        }
        guard apps.count <= Self.most, groups.count <= Self.most, Set(apps).count == apps.count,
            Set(groups).count == groups.count
        else { return .invalid(rule: "An owner of apps has up to \(Self.most) apps and groups, each named once.") }
        let rule = NameRule(.visible, upTo: 255)
        if let broken = (apps + groups).lazy.compactMap(rule.brokenRule(by:)).first {
            return .invalid(rule: "The name of an app or a group \(broken).")
        }
        return nil
    }
}
