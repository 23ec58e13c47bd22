import AdminMessages
import DeviceMessages
import Management

extension Reason {
    /// The server's own reason: something is not given, because the device has no value for it or is not one for it.
    init(_ withheld: Withheld, person: String?, _ audience: DeviceAudience) {
        let subject: String
        var details: [String: JSON] = [:]
        switch withheld.subject {
        case .app: subject = "The app"
        case .configuration: subject = "The configuration"
        case .extensionConfiguration(let name):
            subject = "The configuration of an extension"
            details["Extension"] = .string(name)
        case .secret(let place, name: _):
            subject = "A secret"
            details["Identifier"] = .string(place.identifier)
            details["Kind"] = .string(place.kind.rawValue)
            if let name = place.extension { details["Extension"] = .string(name) }
        }
        let cause: String
        switch withheld.reason {
        case .noValue(let variables):
            let isOfPerson = variables.contains { $0.hasPrefix("person.") }
            cause =
                "the device has no value for \(variables.map { "${\($0)}" }.joined(separator: ", "))"
                + (isOfPerson && person == nil ? ", because it belongs to no person" : "")
                + (variables.contains("device.serialNumber")
                    ? "; if the firmware of a Linux device has no serial number, set one before the device enrolls: "
                        + "martlet-agent run --serial-number NUMBER" : "")
            details["Variables"] = .array(variables.map { .string($0) })
        case .noDeviceValue(let secret):
            cause =
                "only single devices or people have a value of it; this device has none, or another device says the "
                + "same serial number, and "
                + (person == nil ? "it belongs to no person" : "its person has none")
            details["Secret"] = .string(secret)
        case .tooLarge:
            cause = "with the device's values it is larger than a configuration may be"
        case .systemTooOld(let platform, let minimum):
            cause =
                "it needs \(platform.name) \(minimum), and the device "
                + (audience.osVersion.map { "has \($0)" } ?? "has not said which version it has")
            details["Minimum"] = .string(minimum.description)
        case .agentTooOld(let minimum):
            cause =
                "it needs Martlet's agent \(minimum), and the device "
                + (audience.agentVersion.map { "has \($0)" } ?? "has not said that it has one")
            details["Minimum"] = .string(minimum.description)
        case .noSource(let platform):
            cause = "it has no source for \(platform.name)"
        }
        self.init(
            code: "Server.Withheld", description: "\(subject) is withheld: \(cause).",
            details: details.isEmpty ? nil : .object(details))
    }

    init(_ reason: StatusReason) {
        self.init(
            code: reason.code, description: reason.description, details: reason.details.map { JSON($0) })
    }
}
