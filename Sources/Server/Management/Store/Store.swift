package import Foundation

/// What the rules need to remember: named operations, each one rule kept in one transaction.
package protocol Store: ACMEStore, AccountAccessStore, AdministratorStore, AdoptionStore, AlertStore, AppSourceStore,
    AppStore, AssignmentStore,
    AttestationStore, AttributeStore, AuditStore, ClockStore, CommandStore, ConfigurationStore, DeclarationStore,
    DeviceHistoryStore, DeviceStore, EnrollmentCodeStore, EscrowStore,
    ExpectedDeviceStore, FeedbackMetricStore, FeedbackStore,
    FleetStore, GroupStore, IdentityStore, InvitationStore, JobStore, OverviewStore, PackageStore,
    PersonStore, PushStore, ReadmissionStore,
    RenewalStore, RequestStore, RetentionStore, SecretStore, SettingStore, SpecificationStore, StatusStore,
    TeamStore, TokenStore, WatchedStore, WebhookStore
{}

/// Forgetting, as a store does it.
package protocol RetentionStore: Sendable {
    /// Removes what its retention has ended for.
    func prune(_ retention: Retention, now: Date) async throws
}

/// How long things are kept.
package struct Retention: Sendable {
    package var finishedCommandSeconds: TimeInterval = CommandLimits.finishedSeconds
    package var finishedCommandsPerDevice = CommandLimits.finished
    /// A device has this long to fetch what its declarations refer to.
    package var supersededSnapshotSeconds: TimeInterval = 7 * 24 * 3_600
    /// Many changes in a week must not fill the disk.
    package var supersededSnapshots = 1_000
    /// Orders, and accounts that never got anything, are looked at for a day after they ended.
    package var endedOrderSeconds: TimeInterval = 24 * 3_600
    /// Entries of the audit log; nothing keeps them forever.
    package var auditSeconds: TimeInterval? = 3 * 365 * 24 * 3_600
    /// Packages that no source names can be gone back to for a month.
    package var unusedPackageSeconds: TimeInterval = 30 * 24 * 3_600
    /// Codes stay visible for a while after they ended.
    package var endedCodeSeconds: TimeInterval = 30 * 24 * 3_600

    /// API tokens stay in the list for a while after they ended.
    package var endedTokenSeconds: TimeInterval = 90 * 24 * 3_600

    /// What was sent to webhooks is looked at for a month.
    package var webhookDeliverySeconds: TimeInterval = 30 * 24 * 3_600
    /// Jobs stay in the list for a week after they ended.
    package var endedJobSeconds: TimeInterval = 7 * 24 * 3_600
    /// How many devices had a version of a configuration, hour by hour.
    package var adoptionSeconds = TimeInterval(Adoption.days) * 24 * 3_600
    /// What became of what devices are given.
    package var deviceHistorySeconds = TimeInterval(DeviceHistoryEntry.days) * 24 * 3_600
    /// What apps counted on devices.
    package var feedbackSeconds = FeedbackLimits.seconds

    package init() {}
}

/// More is asked of the store than it can write down in time: try again later.
package struct StoreOverload: Error, Sendable, CustomStringConvertible {
    package init() {}

    package var description: String { "the store has too many writes waiting" }
}
