package import DeviceMessages
package import Foundation
import InputBounds

/// What a round of renewals came to.
package struct RenewalRound: Sendable, Equatable {
    /// Devices that were told to renew.
    package var ordered = 0
    /// Devices whose identity lapsed: they must be enrolled anew.
    package var lapsed: [String] = []
    /// Whether more were due than one round takes.
    package var hasMore = false

    package init(ordered: Int = 0, lapsed: [String] = [], hasMore: Bool = false) {
        self.ordered = ordered
        self.lapsed = lapsed
        self.hasMore = hasMore
    }
}

extension Management {
    /// Devices told to renew in one round: the next one is a second later, so that a server which was down for long does
    /// not call its whole fleet at once.
    private static let renewalsAtOnce = 100

    /// Tells the devices that are due to renew their identity, and wakes them.
    package func orderRenewals() async throws -> RenewalRound {
        guard settings.enrollmentOffer != nil else { return RenewalRound() }
        // After the clock was set forward, the whole fleet would be due, and certificates are not issued yet.
        guard clock.step?.isForward != true else { return RenewalRound() }
        let due = try await store.dueRenewals(now: moment, limit: Self.renewalsAtOnce)
        var round = RenewalRound(hasMore: due.count == Self.renewalsAtOnce)
        for device in due {
            switch try await stepRenewal(of: device) {
            case .order: round.ordered += 1
            case .lapse: round.lapsed.append(device)
            case .wake, .wait: break
            }
        }
        return round
    }

    private func stepRenewal(of device: String) async throws -> IdentityRenewal.Step {
        let (uuid, moment) = (commandUUID(), moment)
        // The profile is made when the command leaves: the right in it is kept nowhere.
        let command = QueuedCommand(
            uuid: uuid, requestType: "InstallProfile",
            document: try Command(uuid: uuid, request: .dictionary(["RequestType": .string("InstallProfile")]))
                .encoded(),
            state: .queued, deferred: false, author: "martlet-server", created: moment, sent: nil, finished: nil,
            result: nil, resultTooLarge: false)
        // Nothing is given up by a time that may never come.
        let grace = try await endsByAge() ? settings.lifetimes.grace : .infinity
        let step = try await store.stepRenewal(of: device, command: command, grace: grace, now: moment)
        switch step {
        case .order:
            contexts.forget(device)
            wakeHub.wake(device)
        case .wake: wakeHub.wake(device)
        case .lapse, .wait: break
        }
        return step
    }

    /// A command as the device gets it: the one to renew its identity has a new right in it each time it leaves.
    func outgoing(_ command: QueuedCommand, _ step: QueueStep, to device: DeviceContext) async throws -> Data {
        guard step.renews, let offer = settings.enrollmentOffer else {
            return try await withUnlockToken(command, for: device.key)
        }
        let text = Base32.text(random(20))
        let right = EnrollmentCode(
            renewing: device.key, id: Hexadecimal.text(random(16)), created: moment,
            expires: moment + EnrollmentCode.renewalSeconds)
        try await store.addRenewalRight(right, digest: Self.digest(text))
        // What the enrollment is must not change with its identity.
        let present = try await store.device(device.key)
        let arrival = present?.arrival ?? Arrival()
        return try Command(
            uuid: command.uuid,
            request: .dictionary([
                "RequestType": .string("InstallProfile"),
                "Payload": .data(offer.profile(right: text, arrival, topic: present?.facts.topic).encoded()),
            ])
        ).encoded()
    }

    /// Takes a report of a device whose identity has ended a short while ago: it may fetch its renewal and say what came
    /// of that, and nothing else.
    ///
    /// Its person need not be signed in for it: the device is to be there when they are.
    package func exchangeRenewal(_ report: CommandReport, signer: Data) async throws -> CommandAnswer {
        switch try await judge(key: report.identifier.key, signer: signer) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let context):
            let result = Self.result(of: report)
            var step = try await store.exchangeRenewal(result: result, device: context.key, now: moment)
            if step.next == nil, result?.verdict != .notNow, case .order = try await stepRenewal(of: context.key) {
                step = try await store.exchangeRenewal(result: nil, device: context.key, now: moment)
            }
            contexts.forget(context.key)
            guard let next = step.next else { return .nothing }
            return .command(try await outgoing(next, step, to: context))
        }
    }

    /// What a device's identity is worth now; nothing where there is none.
    package func standing(of device: Device) -> IdentityStanding? {
        guard device.state == .pending || device.state == .enrolled, let notAfter = device.certificateNotAfter else {
            return nil
        }
        return IdentityStanding(
            notAfter: notAfter, renewal: device.renewal, now: now(), grace: settings.lifetimes.grace)
    }
}
