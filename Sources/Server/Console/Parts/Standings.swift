import AdminMessages

extension AppStanding {
    /// How an app fares on one device.
    var badge: Badge {
        switch self {
        case .decoded: Badge(.good, "Took its configuration")
        case .unconfigured: Badge(.plain, "Reports no configuration")
        case .unknown: Badge(.busy, "Configuration not read yet")
        case .refused: Badge(.bad, "Refuses its configuration")
        case .unapplied: Badge(.bad, "Newest version not applied")
        case .withheld: Badge(.bad, "Something is withheld")
        case .failed: Badge(.bad, "Installation failed")
        case .waiting: Badge(.busy, "Not on the device yet")
        case .offered: Badge(.plain, "Offered")
        case .unreported: Badge(.busy, "Not reported yet")
        default: Badge(.plain, rawValue)
        }
    }
}

extension DeviceApp {
    /// How the app fares on its device.
    var badge: Badge {
        guard let standing else {
            // An app that only commands manage has no standing: show the protocol's state.
            guard let state else { return AppStanding.unreported.badge }
            return Badge(state == "managed" ? .good : state == "failed" ? .bad : .plain, state)
        }
        if standing == .unconfigured, let handOver {
            return handOver == "fetched"
                ? Badge(.good, "Fetched its configuration") : Badge(.plain, "Configuration written for the app")
        }
        // An app does not report on a configuration in its defaults dictionary, so there is nothing to wait for.
        let isDelivered = delivery == Delivery.defaults.rawValue && configurationName != nil
        return standing == .unconfigured && isDelivered ? Badge(.good, "Configuration delivered") : standing.badge
    }
}

extension DeviceState {
    /// The badge of a device: its health while it is enrolled, else the state of its enrollment.
    func badge(_ health: DeviceHealth?) -> Badge {
        switch (self, health) {
        case (_, .refusing?): Badge(.bad, "Refuses a configuration")
        case (_, .failing?): Badge(.bad, "An app needs attention")
        case (_, .silent?): Badge(.warn, "Not seen for a week")
        case (_, .changing?): Badge(.busy, "Change under way")
        case (_, .upToDate?): Badge(.good, "Up to date")
        case (.enrolled, nil): Badge(.plain, "Enrolled")
        case (.enrolling, nil): Badge(.busy, "Enrolling")
        case (.checkedOut, nil): Badge(.plain, "Left by itself")
        case (.withdrawn, nil): Badge(.plain, "Withdrawn")
        default: Badge(.plain, rawValue)
        }
    }

    /// A sentence that explains the badge.
    func meaning(_ health: DeviceHealth?) -> String? {
        switch (self, health) {
        case (_, .refusing?): "An app on it refuses its configuration: its apps below say which, and why."
        case (_, .failing?):
            """
            An app on it could not be installed, lacks something that is withheld or works with an older configuration: \
            its apps below say which.
            """
        case (_, .silent?): "The server has not seen it for a week: this page shows its last report."
        case (_, .changing?): "It has not yet reported that it has its present configurations and apps."
        case (_, .upToDate?): "It has reported that it has exactly what it should have."
        case (.enrolling, nil): "It has begun to enroll and has not finished."
        case (.checkedOut, nil): "It has left the management."
        case (.withdrawn, nil): "An administrator has withdrawn it: it gets nothing any more."
        default: nil
        }
    }
}

extension DeviceSummary {
    var badge: Badge { state.badge(health) }
}

extension DeviceDetail {
    var badge: Badge { state.badge(health) }
    var meaning: String? { state.meaning(health) }
}
