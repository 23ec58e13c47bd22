import AppMessages

/// What every app and every extension is to be told.
package struct AppStates: Sendable {
    let apps: [String: AppState]
    /// What is meant for extensions alone; what an extension is told beside that follows from its app.
    let extensions: [ExtensionName: AppState]
    /// The restricted extensions that may have what is meant for them.
    let fullAccess: Set<ExtensionName>
    let others: AppState
    /// Whether the device waits in its setup, where nobody opens apps.
    let isInSetup: Bool

    /// Says what is told to whom; an app that is not named is told `others`.
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

    /// What is told to who asks so: one whose team is not the one that is meant only borrows the identifier.
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
