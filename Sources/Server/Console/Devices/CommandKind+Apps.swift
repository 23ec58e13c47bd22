import AdminMessages
import InputBounds

extension CommandKind {
    private static let app = CommandField("Identifier", "Bundle identifier of the app", .text)
    private static let someApps = CommandField(
        "Identifiers", "Bundle identifiers of the apps", .names, "Each on its line.")

    /// Apps that are managed by command.
    static let apps: [CommandKind] = [
        CommandKind(
            requestType: "InstallApplication", title: "Install an app",
            purpose: "The app is managed by command. One that a group is given needs none, and is out of its reach.",
            fields: [
                CommandField(
                    "ManifestURL", "Address of its manifest", .optional,
                    "An HTTPS address; the page of a hosted package shows its own."),
                CommandField("iTunesStoreID", "Number in the App Store", .number, "For Apple’s devices."),
                CommandField(
                    "Identifier", "Bundle identifier", .optional, "Alone it means an app that is on the device."),
                CommandField(
                    "Configuration", "Configuration", .dictionary,
                    "A property list in XML, or a JSON object; it is no place for secrets."),
                CommandField("ManagementFlags", "Remove it when the enrollment ends", .ticked(.integer(1))),
                CommandField(
                    "ChangeManagementState", "Take it over if somebody else has installed it",
                    .ticked(.string("Managed"))),
            ]),
        CommandKind(
            requestType: "RemoveApplication", title: "Remove an app",
            purpose: "Only one that is managed by command.", fields: [app],
            consequence: "The app and all that it keeps on the device are gone."),
        CommandKind(
            requestType: "Settings", title: "Configure an app",
            purpose: "One managed by command gets this dictionary in place of the one it has, also while it runs.",
            fields: [
                app,
                CommandField(
                    "Configuration", "Configuration", .dictionary,
                    "A property list in XML, or a JSON object; it is no place for secrets. Empty takes it away."),
            ],
            settingsItem: "ApplicationConfiguration"),
        CommandKind(
            requestType: "ManagedApplicationList", title: "Ask which apps it manages by command",
            purpose: "The state of each, and whether it has a configuration and feedback.", needs: .help),
        CommandKind(
            requestType: "ManagedApplicationConfiguration", title: "Ask for configurations given by command",
            purpose: "The device answers with the dictionaries that it holds.", fields: [someApps]),
        CommandKind(
            requestType: "ManagedApplicationFeedback", title: "Read what apps have counted",
            purpose: "What is deleted on the device is kept here, with the app’s feedback.",
            fields: [someApps, CommandField("DeleteFeedback", "Delete it on the device", .flag)]),
    ]
}
