extension Change {
    /// Whether what another change gives is withheld from this change's device.
    func withholds(_ given: Change) -> Bool {
        switch AuditEntry.Action(rawValue: given.kind) {
        case .setSetting, .assignSetting: withheldSettings.contains { $0.key.text == given.name }
        default: withheld.contains { $0.isGiven(by: given) }
        }
    }
}

extension Withheld {
    /// Whether the change gives what is withheld.
    ///
    /// A new value of a secret is withheld only where the secret itself is: it may be for several apps.
    fileprivate func isGiven(by change: Change) -> Bool {
        switch (AuditEntry.Action(rawValue: change.kind), subject) {
        case (.setSecret, .secret(_, let name)): name == change.name
        case (.assignSecret, .secret(_, let name)): name == change.name && app == change.app
        case (.assignSecret, .configuration): isOfSystem && app == change.app
        case (.assignSecret, .app), (.setAppSource, .app): app == change.app
        case (.setConfiguration, .secret), (.revertConfiguration, .secret), (.setAssignment, .secret): false
        case (.setConfiguration, _), (.revertConfiguration, _), (.setAssignment, _): app == change.app
        default: false
        }
    }

    /// Whether the device's system takes no configurations; then its apps get no secrets either.
    private var isOfSystem: Bool {
        switch reason {
        case .systemTooOld, .agentTooOld, .noSource: true
        case .noValue, .noDeviceValue, .tooLarge: false
        }
    }
}
