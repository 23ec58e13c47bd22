import HTTPTypes
import Management

/// What each operation of the API asks of who calls it: the one table.
enum AdminPermissions {
    /// What an operation needs; one that is not in the table is for administrators alone.
    static func needed(for operation: String) -> Permission { table[operation] ?? .administer }

    static let table: [String: Permission] = [
        "logOut": .own, "changePassword": .own, "logOutElsewhere": .own, "createToken": .own, "listTokens": .own,
        "revokeToken": .own,

        "showSession": .look, "listApps": .look, "showApp": .look, "listAppSources": .look, "showAppSource": .look,
        "listPackages": .look,
        "showPackage": .look, "listSpecifications": .look, "showSpecification": .look, "listTeams": .look,
        "listGroups": .look, "showGroup": .look, "showGroupRule": .look, "previewGroup": .look,
        "listAssignments": .look, "showAssignment": .look,
        "listSettingKinds": .look, "listSettingAssignments": .look, "showSettingAssignment": .look,
        "listDevices": .look, "showDevice": .look, "showEffective": .look, "listDeviceStatus": .look,
        "listDeviceHistory": .look,
        "listCommands": .look, "showCommand": .look, "listEnrollmentCodes": .look, "listExpectedDevices": .look,
        "showExpectedDevice": .look, "listInvitations": .look, "showInvitation": .look, "showDevicePerson": .look,
        "showDeviceAttributes": .look,
        "listPeople": .look, "showPerson": .look, "listSecretAssignments": .look, "showSecretAssignment": .look,
        "listAppVersions": .look, "showAppStates": .look, "listRefusals": .look,
        "showOverview": .look, "showHealth": .look,
        // Each change is checked against the listener's rights.
        "listenToEvents": .look,

        "listConfigurations": .lookInside, "showConfiguration": .lookInside, "listConfigurationVersions": .lookInside,
        "showConfigurationVersion": .lookInside, "checkConfiguration": .lookInside,
        "showConfigurationAdoption": .lookInside,
        "listAppFeedback": .lookInside, "showFeedbackSummary": .lookInside, "listDeviceFeedback": .lookInside,
        "showFeedbackTrend": .lookInside, "showFeedbackMetrics": .lookInside,
        "listFeedbackMetrics": .lookInside,
        "showConfigurationTrial": .lookInside, "listSecrets": .lookInside,
        "showSecret": .lookInside, "listSecretVersions": .lookInside,
        "listSettings": .lookInside, "showSetting": .lookInside, "listSettingVersions": .lookInside,

        "createEnrollmentCode": .help, "revokeEnrollmentCode": .help, "expectDevice": .help, "unexpectDevice": .help,
        "importExpectedDevices": .help, "invitePerson": .help, "uninvitePerson": .help, "signOutDevice": .help,
        // What one command asks of an administrator is judged by its rule.
        "sendCommand": .help, "sendCommandToGroup": .help, "removeCommand": .help, "fetchFeedback": .help,

        "tryConfiguration": .configure, "setConfiguration": .configure, "revertConfiguration": .configure,
        "removeConfiguration": .configure,
        "setSpecification": .configure, "removeSpecification": .configure, "putAppSource": .configure,
        "removeAppSource": .configure, "showPackageUpload": .configure, "uploadPackage": .configure,
        "acceptPackage": .configure, "removePackage": .configure, "checkForAppUpdates": .configure,
        // They reach every app of a device: not for an owner of some, who is asked for the app.
        "setSetting": .configure, "removeSetting": .configure,

        "assign": .assign, "changeAssignment": .assign, "unassign": .assign,
        "assignSetting": .assign, "unassignSetting": .assign,

        "listAuditEntries": .audit, "exportAudit": .audit, "listAdministrators": .audit,
        "showAdministrator": .audit,

        "putApp": .manage, "removeApp": .manage, "addTeam": .manage, "removeTeam": .manage, "createGroup": .manage,
        "removeGroup": .manage, "setGroupRule": .manage, "removeGroupRule": .manage, "addDeviceToGroup": .manage,
        "removeDeviceFromGroup": .manage,
        "withdrawDevice": .manage, "setDevicePerson": .manage,
        // All apps share the bound on measured numbers, and reading the measurements needs no sign-in.
        "setFeedbackMetrics": .manage,
        // They move devices into groups by rule, and so to secrets.
        "setDeviceAttributes": .manage, "changeDeviceAttributes": .manage, "importDeviceAttributes": .manage,
        "removeDevicePerson": .manage, "setPerson": .manage, "importPeople": .manage, "removePerson": .manage,
        // A person who gives a secret to an app of their own can read it.
        "setSecret": .manage, "setSecretValues": .manage, "removeSecret": .manage, "assignSecret": .manage,
        "unassignSecret": .manage,

        "listWebhooks": .audit, "showWebhook": .audit, "listWebhookDeliveries": .audit,
        "addWebhook": .manage, "setWebhook": .manage, "removeWebhook": .manage, "rotateWebhookSecret": .manage,
        "redeliverToWebhook": .manage, "testWebhook": .manage,
        // Whose jobs one sees and ends is judged with the job.
        "listJobs": .look, "showJob": .look, "cancelJob": .look, "startAuditVerification": .audit,
        "addDevicesToGroup": .manage,

        "showAppleReadiness": .look,
        "showPushCredential": .look, "setPushCredential": .administer, "removePushCredential": .administer,

        "createAdministrator": .administer, "setAdministrator": .administer, "removeAdministrator": .administer,
        "resetPassword": .administer,
    ]
}

extension HTTPProblem {
    /// A role does not allow what was asked for.
    static func notAllowed(_ rights: Rights) -> HTTPProblem {
        if rights.areOfToken {
            return HTTPProblem(
                .forbidden, "not-allowed", "The API token does not allow this",
                detail: "What it may do is in the list of tokens, and never more than its administrator may.")
        }
        let detail =
            rights.role == .appOwner
            ? "You may change some apps only, and give them to some groups only."
            : "Your role is \(rights.role.rawValue)."
        return HTTPProblem(.forbidden, "not-allowed", "Your role does not allow this", detail: detail)
    }
}
