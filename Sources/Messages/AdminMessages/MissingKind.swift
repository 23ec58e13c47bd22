/// The kind of a thing that a request names and that is not there.
package struct MissingKind: Word {
    package static let administrator = MissingKind(rawValue: "administrator")
    package static let app = MissingKind(rawValue: "app")
    package static let appSource = MissingKind(rawValue: "appSource")
    package static let assignment = MissingKind(rawValue: "assignment")
    package static let auditEntry = MissingKind(rawValue: "auditEntry")
    package static let command = MissingKind(rawValue: "command")
    package static let configuration = MissingKind(rawValue: "configuration")
    package static let configurationVersion = MissingKind(rawValue: "configurationVersion")
    package static let device = MissingKind(rawValue: "device")
    package static let enrollmentCode = MissingKind(rawValue: "enrollmentCode")
    package static let expectedDevice = MissingKind(rawValue: "expectedDevice")
    package static let group = MissingKind(rawValue: "group")
    package static let hostedPackage = MissingKind(rawValue: "package")
    package static let invitation = MissingKind(rawValue: "invitation")
    package static let job = MissingKind(rawValue: "job")
    package static let person = MissingKind(rawValue: "person")
    package static let pushCredential = MissingKind(rawValue: "pushCredential")
    package static let secret = MissingKind(rawValue: "secret")
    package static let secretAssignment = MissingKind(rawValue: "secretAssignment")
    package static let setting = MissingKind(rawValue: "setting")
    package static let settingAssignment = MissingKind(rawValue: "settingAssignment")
    package static let settingKind = MissingKind(rawValue: "settingKind")
    package static let specification = MissingKind(rawValue: "specification")
    package static let team = MissingKind(rawValue: "team")
    package static let token = MissingKind(rawValue: "token")
    package static let webhook = MissingKind(rawValue: "webhook")

    package static let all: [MissingKind] = [
        administrator, app, appSource, assignment, auditEntry, command, configuration, configurationVersion, device,
        enrollmentCode, expectedDevice, group, hostedPackage, invitation, job, person, pushCredential, secret,
        secretAssignment, setting, settingAssignment, settingKind, specification, team, token, webhook,
    ]

    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}
