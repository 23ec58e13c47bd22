package import Foundation

/// Renewals of devices' identities, as a store keeps them.
package protocol RenewalStore: Sendable {
    /// The enrollments whose renewal is to be seen to by `now`, the longest due first: what it costs follows their number.
    func dueRenewals(now: Date, limit: Int) async throws -> [String]
    /// Has those seen to again that were told to renew and are due later than any next look is: a clock that was ahead put
    /// them off.
    func hastenRenewals(now: Date) async throws
    /// Takes the step that `IdentityRenewal` says, in one transaction: the command is queued and the next look set, or the
    /// renewal is given up and that is in the audit log.
    func stepRenewal(
        of device: String, command: QueuedCommand, grace: TimeInterval, now: Date
    ) async throws -> IdentityRenewal.Step
    /// Keeps the right to one certificate, for a command that leaves now: of a device's rights only the newest is good.
    func addRenewalRight(_ right: EnrollmentCode, digest: Data) async throws
    /// Keeps a result of the command to renew, and only of that, and offers the command if it has none yet.
    ///
    /// For a device that may do nothing else.
    func exchangeRenewal(result: CommandResult?, device: String, now: Date) async throws -> QueueStep
    /// Pins a certificate that was issued in a renewal, if `FirstUse` says so, and notes it in the audit log, in one
    /// transaction; the one before serves no more.
    func useFirst(
        _ fingerprint: Data, as device: String, now: Date
    ) async throws -> Outcome<FirstUse, FirstUseRefusal>
    /// Ends the identity that another one has replaced, now that the other one was used; a second time changes nothing.
    func retireIdentity(of device: String, now: Date) async throws
}
