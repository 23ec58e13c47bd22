import AppMessages

/// What every app and every extension is to be told.
package struct AppStates: Sendable {
    let apps: [String: AppState]
    /// The states for extensions; the rest of an extension's state follows from its app.
    let extensions: [ExtensionName: AppState]
    /// The restricted extensions that may have what is meant for them.
    let fullAccess: Set<ExtensionName>
    let others: AppState
    /// Whether the device waits in its setup, where nobody opens apps.
    let isInSetup: Bool

    /// Creates the states; apps that are not named get `others`.
    package init(
        apps: [String: AppState], extensions: [ExtensionName: AppState] = [:], fullAccess: Set<ExtensionName> = [],
        others: AppState = .unmanaged, isInSetup: Bool = false
    ) {
        self.apps = apps
        self.extensions = extensions
        self.fullAccess = fullAccess
        self.others = others
        self.isInSetup = isInSetup
    }

    /// The team that must have signed an app to be the one that is meant, if one must.
    func team(of identity: AppIdentity) -> String? { apps[identity.app]?.team }

    /// The state for an app; an app of another team than the declared one gets the state of an unknown app.
    ///
    /// An extension is managed as its app is, and has nothing of what its app has.
    subscript(_ identity: AppIdentity) -> AppState {
        let state = apps[identity.app] ?? others
        let app = state.team == nil || state.team == identity.team ? state : others
        guard let name = identity.extensionName else { return app }
        guard app.managed, let own = extensions[name], own.team == nil || own.team == identity.team else {
            return app.withoutContent()
        }
        return isShutOut(identity) ? own.withoutContent(needsFullAccess: true) : own
    }

    /// Whether it is an extension that is given nothing as long as nobody has granted it full access.
    func isShutOut(_ identity: AppIdentity) -> Bool {
        guard let name = identity.extensionName, identity.role?.isRestricted == true else { return false }
        return !fullAccess.contains(name)
    }

    /// Whether a secret that is not its own is one of its app's, or of another part of its app.
    func isRelatives(_ kind: SecretKind, _ identifier: String, of identity: AppIdentity) -> Bool {
        let own = identity.extensionName
        if own != nil, apps[identity.app]?.secrets.names(kind, identifier) == true { return true }
        return extensions.contains { name, state in
            name.app == identity.app && name != own && state.secrets.names(kind, identifier)
        }
    }
}
