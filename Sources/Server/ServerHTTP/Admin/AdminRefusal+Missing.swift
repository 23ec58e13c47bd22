import AdminMessages
import Management

extension AdminRefusal {
    /// Which kind of thing is not there; nothing where the request is refused for something else.
    var missing: MissingKind? {
        switch self {
        case .unknownGroup: .group
        case .unknownApp: .app
        case .unknownConfiguration: .configuration
        case .unknownVersion: .configurationVersion
        case .unknownAssignment: .assignment
        case .unknownEnrollmentCode: .enrollmentCode
        case .unknownDevice: .device
        case .unknownCommand: .command
        case .unknownSecret: .secret
        case .unknownSecretAssignment: .secretAssignment
        case .unknownPerson: .person
        case .unknownAppSource: .appSource
        case .unknownPackage: .hostedPackage
        case .unknownTeam: .team
        case .unknownInvitation: .invitation
        case .unknownExpectedDevice: .expectedDevice
        case .unknownSpecification: .specification
        case .unknownAdministrator: .administrator
        case .unknownToken: .token
        case .unknownWebhook: .webhook
        case .unknownEntry: .auditEntry
        case .unknownJob: .job
        case .unknownPushCredential: .pushCredential
        case .unknownSetting: .setting
        case .unknownSettingKind: .settingKind
        case .unknownSettingAssignment: .settingAssignment
        case .tooManyWaiting, .nameTaken, .groupHasRule, .inUse, .versionMoved, .invalid, .violations,
            .secretNotAsked, .table, .tooLarge, .queueFull, .hostsNoPackages, .noSpace, .uploadElsewhere,
            .deviceWithdrawn, .lastAdministrator, .groupGivesSecrets:
            nil
        }
    }
}
