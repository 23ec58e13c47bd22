import Foundation
import Management
import Testing

@testable import ServerHTTP

/// The operations that each role may use, written down a second time and the other way round: change both together.
@Suite struct RoleMatrixTests {
    private static let own = ["logOut", "changePassword", "logOutElsewhere", "createToken", "revokeToken"]
    /// Of what they may ask for themselves some goes on as a job, which they may end.
    private static let ownJobs = ["cancelJob"]
    private static let help = [
        "createEnrollmentCode", "revokeEnrollmentCode", "expectDevice", "unexpectDevice", "importExpectedDevices",
        "invitePerson", "uninvitePerson", "signOutDevice", "sendCommand", "sendCommandToGroup", "removeCommand",
        "fetchFeedback",
    ]
    private static let configure = [
        "tryConfiguration", "setConfiguration", "revertConfiguration", "removeConfiguration", "setSpecification",
        "removeSpecification", "putAppSource", "removeAppSource", "uploadPackage", "acceptPackage", "removePackage",
        "checkForAppUpdates", "assign", "changeAssignment", "unassign",
    ]
    /// What is asked with a body and changes nothing.
    private static let questions = ["checkConfiguration", "previewGroup"]

    private static let whoDidWhat = [
        "listAuditEntries", "exportAudit", "listAdministrators", "showAdministrator", "listWebhooks", "showWebhook",
        "listWebhookDeliveries",
    ]
    private static let insides = [
        "listConfigurations", "showConfiguration", "listConfigurationVersions", "showConfigurationVersion",
        "showConfigurationAdoption", "showConfigurationTrial", "listAppFeedback", "showFeedbackSummary",
        "showFeedbackTrend", "showFeedbackMetrics",
    ]
    private static let secrets = ["listSecrets", "showSecret", "listSecretVersions"]
    private static let ofAllApps = ["listDeviceFeedback", "listFeedbackMetrics"]
    private static let settings = ["listSettings", "showSetting", "listSettingVersions"]
    private static let uploads = ["showPackageUpload"]

    /// Of what is more than a question these may do this alone, and of what is read they may not read that.
    private static let matrix: [(role: Role, changes: [String], unread: [String])] = [
        (.reader, own + ownJobs + questions, whoDidWhat + uploads),
        (
            .helpDesk, own + ownJobs + help + ["previewGroup"],
            whoDidWhat + insides + ofAllApps + secrets + settings + uploads
        ),
        (.appOwner, own + ownJobs + configure + questions, whoDidWhat + ofAllApps + secrets + settings),
        (.auditor, own + ownJobs + questions + ["startAuditVerification"], uploads),
    ]

    @Test func eachRoleChangesWhatIsItsAndReadsAllButWhatIsNot() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let operations = try await AdminOperation.all(admin)
                    .filter { !["logIn", "describe", "showReference"].contains($0.name) }
                try #require(operations.count > 90)
                for (role, changes, unread) in Self.matrix {
                    let isOwner = role == .appOwner
                    let rights = Rights(role: role, apps: isOwner ? ["a.b"] : [], groups: isOwner ? ["g"] : [])
                    func allowed(_ operation: AdminOperation) -> Bool {
                        rights.allow(
                            AdminPermissions.needed(for: operation.name),
                            app: operation.path.contains("{app}") ? "a.b" : nil,
                            group: operation.path.contains("{group}") ? "g" : nil)
                    }
                    let changed = operations.filter { $0.method != "GET" && allowed($0) }.map(\.name)
                    #expect(changed.sorted() == changes.sorted(), "\(role)")
                    let hidden = operations.filter { $0.method == "GET" && !allowed($0) }.map(\.name)
                    #expect(hidden.sorted() == unread.sorted(), "\(role)")
                }
            }
        }
    }

    /// A token that does not administer has all but what says who may do what.
    @Test func onlyAnAdministratorSaysWhoMayDoWhat() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let token = Rights.all.forToken(isReadOnly: false, administers: false, of: .all)
                let refused = try await AdminOperation.all(admin).map(\.name).filter {
                    !token.allow(AdminPermissions.needed(for: $0), app: "a.b", group: "g")
                }
                let table = [
                    "createAdministrator", "setAdministrator", "removeAdministrator", "resetPassword",
                    "setPushCredential", "removePushCredential",
                ]
                let open = ["logIn", "describe", "showReference"]
                #expect(Set(refused) == Set(Self.own + ["listTokens"] + table + open))
            }
        }
    }
}
