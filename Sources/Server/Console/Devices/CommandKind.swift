import AdminMessages
import InputBounds

/// A command that the console has a form for: what it does, and what it is given.
struct CommandKind: Sendable {
    /// The protocol's name.
    let requestType: String
    let title: String
    let purpose: String
    var fields: [CommandField] = []
    /// What it does that cannot be taken back; nothing of one that asks, or that another undoes.
    var consequence: String?
    /// What it asks of who sends it; only for leaving out what the API would refuse.
    var needs = AdministratorPermission.manage
    /// The name of the one item of `Settings` that the fields make; nothing where they stand in the command itself.
    var settingsItem: String?

    static let all: [CommandKind] = general + apps + [other]

    private static let general: [CommandKind] = [
        CommandKind(
            requestType: "DeviceInformation", title: "Ask the device about itself",
            purpose: "The device answers the queries that it knows.",
            fields: [
                CommandField(
                    "Queries", "What to ask for", .names, "The protocol’s names, each on its line.",
                    usual: "UDID\nDeviceName\nModel\nModelName\nProductName\nSerialNumber\nOSVersion\nBuildVersion")
            ], needs: .help),
        CommandKind(
            requestType: "InstalledApplicationList", title: "Ask which apps are on it",
            purpose: "A device that its person enrolled lists managed apps only.",
            fields: [CommandField("ManagedAppsOnly", "Only managed apps", .flag)], needs: .help),
        CommandKind(
            requestType: "ProfileList", title: "Ask which profiles are on it",
            purpose: "The enrollment's own profile is one of them.", needs: .help),
        CommandKind(
            requestType: "CertificateList", title: "Ask which certificates are on it",
            purpose: "Those that the management installed, and its own.", needs: .help),
        CommandKind(
            requestType: "DeviceConfigured", title: "Let it out of its setup",
            purpose: "A device that waits in its setup continues, even if something is still missing.", needs: .help),
        CommandKind(
            requestType: "InstallProfile", title: "Install a profile",
            purpose: "Apple’s devices do; a Linux device refuses every profile that has a payload.",
            fields: [CommandField("Payload", "Profile", .profile, "The text of the file, a property list in XML.")]),
        CommandKind(
            requestType: "RemoveProfile", title: "Remove a profile",
            purpose: "This cannot remove the enrollment's own profile.",
            fields: [CommandField("Identifier", "Identifier of the profile", .text)],
            consequence: "Everything that the profile brought goes with it, such as authorities that the device trusts."
        ),
        CommandKind(
            requestType: "RestartDevice", title: "Restart it",
            purpose: "Macs and supervised iPhones and iPads do; a Linux device unless its administrator forbids it.",
            consequence: "The person at the device loses unsaved work.", needs: .help),
        CommandKind(
            requestType: "ShutDownDevice", title: "Shut it down",
            purpose: "Macs and supervised iPhones and iPads do; a Linux device unless its administrator forbids it.",
            consequence: "You cannot reach it until somebody switches it on.", needs: .help),
        CommandKind(
            requestType: "DeviceLock", title: "Lock it", purpose: "Apple’s devices do; on Linux it is refused.",
            fields: [
                CommandField("PIN", "PIN", .digits, "Six digits, of a Mac. Note them: nobody else has them."),
                CommandField("Message", "Message on its screen", .optional),
                CommandField("PhoneNumber", "Telephone number on its screen", .optional),
            ], consequence: "Its user is locked out; a Mac takes nothing but the PIN.", needs: .help),
        CommandKind(
            requestType: "EraseDevice", title: "Erase it", purpose: "Apple’s devices do; on Linux it is refused.",
            fields: [CommandField("PIN", "PIN", .digits, "Six digits, of a Mac that has no chip for its keys.")],
            consequence: "Everything on the device is gone forever, and its enrollment with it."),
    ]

    /// Whatever else the protocol has; what it does is known to who sends it.
    static let other = CommandKind(
        requestType: "", title: "Another command", purpose: "Any command of the MDM protocol that the device knows.",
        fields: [
            CommandField(otherType, "Request type", .text, "The protocol’s name of the command."),
            CommandField("Parameters", "Other keys", .object, "A JSON object, where the command has any."),
        ], consequence: "The console does not know what the command does. Perhaps it cannot be undone.")

    static let otherType = "RequestType"

    /// What a command of this name asks of who sends it or takes it back.
    static func needs(_ requestType: String) -> AdministratorPermission { named(requestType)?.needs ?? .manage }

    /// The one with this name, or nothing.
    static func named(_ requestType: String) -> CommandKind? { all.first { $0.requestType == requestType } }
}

extension CommandKind {
    /// The command as the protocol has it, or what is wrong by the key of the field.
    func request(typed: (String) -> String) -> Result<PropertyListValue, CommandRefusal> {
        var members: [String: PropertyListValue] = requestType.isEmpty ? [:] : ["RequestType": .string(requestType)]
        var problems: [String: String] = [:]
        for field in fields {
            switch field.value(of: typed(field.key)) {
            case .failure(let refusal): problems[field.key] = refusal.rule
            case .success(nil): break
            case .success(let value?):
                if field.shape == .object {
                    members.merge(value.dictionary ?? [:]) { own, _ in own }
                } else {
                    members[field.key] = value
                }
            }
        }
        guard problems.isEmpty else { return .failure(CommandRefusal(problems: problems)) }
        guard let settingsItem else { return .success(.dictionary(members)) }
        var item = members
        item["RequestType"] = nil
        item["Item"] = .string(settingsItem)
        return .success(
            .dictionary(["RequestType": .string(requestType), "Settings": .array([.dictionary(item)])]))
    }
}

/// What is wrong with a command, by the key of each field.
struct CommandRefusal: Error, Equatable {
    let problems: [String: String]
}
