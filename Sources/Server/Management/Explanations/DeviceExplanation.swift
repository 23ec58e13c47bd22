package import DeviceMessages

/// What a device gets, and the reasons as the rules found them.
package struct DeviceExplanation: Sendable {
    package let device: Device
    /// Whether the groups are not the device's own: then this is what it would get in them.
    package let isHypothetical: Bool
    package let groups: [ExplainedGroup]
    /// In the order of bundle identifiers.
    package let apps: [ExplainedApp]
    /// In the order of kinds and names.
    package let settings: [ExplainedSetting]
    /// What it has by command, beside what groups give it.
    package let commanded: [CommandedAppStatus]
}

/// One of the groups, and why the device is in it.
package struct ExplainedGroup: Sendable, Equatable {
    package let name: String
    package let rule: GroupRule?
    /// The conditions of the rule, with what was found of the device.
    package let findings: [GroupRuleFinding]
}

/// An app that is assigned to the device, and what it gets of it.
package struct ExplainedApp: Sendable {
    package let app: App
    /// By the device's newest report and what is withheld; nothing while the device has not reported the app.
    package let state: ReportedAppState?
    /// The first is the one that counts.
    package let candidates: [AssignmentCandidate]
    /// Where the device gets the app; nothing where it is taken over where it is, or not given.
    package let source: AppSource?
    package let install: AppSource.Install
    package let secrets: [ExplainedSecret]
    package let variables: [ExplainedVariable]
    package let withheld: [Withheld]

    /// The app itself is not kept from the device.
    package var isGiven: Bool { !withheld.contains { $0.subject == .app } }
}

/// A secret that an app finds, by name.
package struct ExplainedSecret: Sendable, Equatable {
    package let place: AssignmentSnapshot.SecretReference.Place
    package let secret: String
    package let version: Int?
    /// The device or the person whose value it is; nothing when it is the one for all.
    package let owner: SecretOwner?
    /// The group that has the assignment.
    package let group: String
    /// The value was forgotten with its master key.
    package let lacksValue: Bool
    /// The device reports that the app does not have it, or not in this version.
    package let isMissing: Bool
}

/// A variable that stands in what an app gets.
package struct ExplainedVariable: Sendable, Equatable {
    /// Where a variable is used.
    package enum Use: Sendable, Hashable {
        case configuration
        /// That of an extension.
        case extensionConfiguration(String)
        case secret(String)
    }

    package let name: String
    /// Nothing where the device has none.
    package let value: String?
    package let uses: [Use]

    /// The value is the person's, not what the device says of itself.
    package var isOfPerson: Bool { !DeviceVariables.isOfDevice(name) }
}
