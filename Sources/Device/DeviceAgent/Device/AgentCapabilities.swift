package import DeviceMessages

/// What this agent can be sent and can report.
package enum AgentCapabilities {
    package static let activations = [SimpleActivation.type]
    package static let assets = [DataAsset.type] + secrets.map(\.rawValue)

    /// The kinds of secrets that can be had here.
    package static let secrets: [CredentialAsset.Kind] = [.userNameAndPassword, .certificate, .identity, .scep, .acme]
    package static let management = [
        OrganizationInfo.type, PredicateFacts.propertiesType, ServerCapabilities.type,
    ]

    /// Items the server hears of without asking.
    package static let implicitItems = [ClientCapabilities.name, DeclarationStatuses.name]

    package static let statusItems =
        DeviceSystems.statusItems + [
            "device.identifier.serial-number", "device.identifier.udid", "device.model.family",
            "device.model.identifier", "device.model.marketing-name", "device.operating-system.build-version",
            "device.operating-system.family", "device.operating-system.marketing-name",
            "device.operating-system.version", "mdm.is-awaiting-configuration",
        ]

    /// What names the device; where a person's part of it is managed the server does not hear it.
    package static let identifyingItems = ["device.identifier.serial-number", "device.identifier.udid"]

    /// The value of `management.client-capabilities`.
    package static func status(separatesData: Bool = false) -> ClientCapabilities {
        let items = statusItems.filter { !separatesData || !identifyingItems.contains($0) }
        return ClientCapabilities(
            supportedFeatures: MartletAgent.supportedFeatures,
            declarations: [
                .activation: activations, .asset: assets, .configuration: DeviceSystems.configurations,
                .management: management,
            ], statusItems: (items + implicitItems).sorted())
    }
}
