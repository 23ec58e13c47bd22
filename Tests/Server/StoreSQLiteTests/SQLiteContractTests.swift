import EmptyStore
import Foundation
import Management
import StoreContract
import StoreSQLite
import Testing

/// The promises that every store keeps, kept by this one.
struct SQLiteContractTests {
    @Test(
        arguments: [
            ("first administrator", storeContractFirstAdministrator), ("sessions", storeContractSessions),
            ("administrators", storeContractAdministrators),
            ("API tokens", storeContractTokens), ("sign-in elsewhere", storeContractSignIn),
            ("groups", storeContractGroups), ("configurations", storeContractConfigurations),
            ("optimistic writers", storeContractOptimisticWriters), ("assignments", storeContractAssignments),
            ("assignment writers", storeContractAssignmentWriters), ("priorities", storeContractPriorities),
            ("group rules", storeContractGroupRules), ("judging", storeContractJudging),
            ("removed groups", storeContractRemovedGroups),
            ("configurations of extensions", storeContractExtensionConfigurations),
            ("codes", storeContractCodes), ("redemption", storeContractRedemption),
            ("legacy enrollments", storeContractLegacyEnrollments),
            ("enrollment", storeContractEnrollment), ("devices", storeContractDevices),
            ("parallel enqueue", storeContractParallelEnqueue), ("queue", storeContractQueue),
            ("retired command", storeContractRetiredCommand),
            ("told", storeContractTold), ("retention", storeContractRetention), ("status", storeContractStatus),
            ("bounds of status", storeContractStatusBounds), ("listed values", storeContractListedValues),
            ("bounds of items", storeContractItemBounds), ("bounds of apps", storeContractAppBounds),
            ("bounds of changed apps", storeContractAppChangeBounds),
            ("ACME", storeContractACME), ("identities", storeContractIdentities), ("chips", storeContractChips),
            ("revocation", storeContractRevocation), ("losses of single devices", storeContractLosses),
            ("losses by priority", storeContractPriorityLosses), ("losses by a rule", storeContractRuleLosses),
            ("returns after a loss", storeContractReturns), ("losses of many", storeContractManyLosses),
            ("losses of many, later", storeContractManyLossesLater),
            ("secrets", storeContractSecrets), ("master keys", storeContractMasterKeys),
            ("locked secrets", storeContractLockedSecrets), ("escrow", storeContractEscrow),
            ("locked escrow", storeContractLockedEscrow),
            ("secret assignments", storeContractSecretAssignments), ("people", storeContractPeople),
            ("person writers", storeContractPersonWriters),
            ("secret values", storeContractSecretValues),
            ("secret values of people", storeContractPersonSecretValues), ("own snapshots", storeContractOwnSnapshots),
            ("believed time", storeContractBelievedTime),
            ("renewals", storeContractRenewals), ("succession", storeContractSuccession),
            ("late renewal", storeContractLateRenewal), ("followed renewal", storeContractFollowedRenewal),
            ("enrollment orders", storeContractEnrollmentOrders),
            ("enrollment chips", storeContractEnrollmentChips), ("app sources", storeContractAppSources),
            ("specifications", storeContractSpecifications), ("versions on devices", storeContractAppVersions),
            ("versions concerned", storeContractConcernedVersions),
            ("refusals", storeContractRefusals), ("overview", storeContractOverview),
            ("audit watch", storeContractAuditWatch),
            ("adoption", storeContractAdoption), ("device history", storeContractDeviceHistory),
            ("adoption of extensions", storeContractAdoptionOfExtensions),
            ("refused templates", storeContractRefusedTemplates),
            ("trials", storeContractTrials), ("sums of feedback", storeContractFeedbackSums),
            ("versions of feedback", storeContractFeedbackVersions),
            ("courses of feedback", storeContractFeedbackCourses),
            ("audiences", storeContractAudiences), ("teams", storeContractTeams),
            ("invitations", storeContractInvitations),
            ("account enrollment", storeContractAccountEnrollment),
            ("expected devices", storeContractExpectedDevices), ("requests with a key", storeContractRequests),
            ("webhooks", storeContractWebhooks), ("feedback of webhooks", storeContractWebhookFeedback),
            ("feedback metrics", storeContractFeedbackMetrics),
            ("jobs", storeContractJobs), ("Apple push", storeContractApplePush),
            ("settings", storeContractSettings), ("setting assignments", storeContractSettingAssignments),
            ("replacement", storeContractReplacement), ("reach", storeContractReach),
            ("device filters", storeContractDeviceFilters), ("attributes", storeContractAttributes),
            ("alerts", storeContractAlerts), ("withheld", storeContractWithheld),
            ("rejected", storeContractRejected),
        ] as [(String, @Sendable (MakeStore) async throws -> Void)])
    func keepsThePromise(name: String, check: @Sendable (MakeStore) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.sqlite")
        let make = MakeStore {
            let isNew = !FileManager.default.fileExists(atPath: path)
            return try isNew ? EmptyStore.open(path: path) : SQLiteStore(path: path)
        }
        try await check(make)
    }
}

/// A directory that goes with its owner.
final class TemporaryDirectory: Sendable {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func path(_ name: String) -> String { url.appending(path: name).path }

    deinit { try? FileManager.default.removeItem(at: url) }
}
