import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// A server that is not Martlet says by predicates what applies on which of its devices.
struct PredicateSessionTests {
    /// How the activation fares by the last report that says so.
    private func activation(_ fixture: EnrolledDevice) -> DeclarationStatus? {
        let values = fixture.management.reports.compactMap { $0.value(at: DeclarationStatuses.name) }
        return values.last.flatMap { try? DeclarationStatuses($0) }?.activations.first
    }

    /// Configurations apply while the predicate holds for the device and the declared properties, and are withdrawn
    /// when a property changes.
    @Test func configurationsFollowThePropertiesThatAreDeclared() async throws {
        let predicate = "@status(device.operating-system.family) == 'Linux' AND @property(shard) <= 75"
        try await EnrolledDevice.run { fixture in
            fixture.management.declare(["shard": .integer(40)])
            fixture.management.publish(2, predicate: predicate)
            fixture.doorbell.ring(.look)
            try await fixture.serves(2)
            try await fixture.eventually("the activation is active") {
                activation(fixture)?.serverToken == "2" && activation(fixture)?.active == true
            }
            fixture.management.declare(["shard": .integer(76)])
            fixture.management.publish(3, predicate: predicate)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("the activation is inactive") {
                guard let status = activation(fixture), status.serverToken == "3" else { return false }
                return !status.active && status.valid == .valid && status.reasons.map(\.code) == ["Info.Predicate"]
            }
            #expect(fixture.device.known.applied.apps.isEmpty)
            fixture.management.declare(["shard": .integer(7)])
            fixture.management.publish(4, predicate: predicate)
            fixture.doorbell.ring(.look)
            try await fixture.serves(4)
        }
    }

    /// A predicate is evaluated again when a status item changes, although the server's set is the same.
    @Test func configurationsFollowTheDevicesOwnState() async throws {
        try await EnrolledDevice.run { fixture in
            fixture.management.publish(2, predicate: "@status(mdm.is-awaiting-configuration) == FALSE")
            fixture.doorbell.ring(.look)
            try await fixture.serves(2)
            try fixture.device.change { $0.enrollment?.awaitsConfiguration = true }
            fixture.doorbell.ring(.status)
            try await fixture.eventually("the activation is inactive") { activation(fixture)?.active == false }
            #expect(fixture.device.known.applied.apps.isEmpty)
            #expect(fixture.device.known.declarations.token == "2")
            try fixture.device.change { $0.enrollment?.awaitsConfiguration = nil }
            fixture.doorbell.ring(.status)
            try await fixture.serves(2)
        }
    }

    /// An upgraded agent evaluates the held declarations again: an earlier one refused every predicate.
    @Test func aVerdictOfAnEarlierAgentIsMended() async throws {
        try await EnrolledDevice.run { fixture in
            fixture.management.publish(2, predicate: "@status(device.model.family) == 'Linux'")
            fixture.doorbell.ring(.look)
            try await fixture.serves(2)
            try fixture.device.change { state in
                state.applied.apps = [:]
                state.applied.verdicts["activation"]?.active = false
                state.applied.verdicts["activation"]?.valid = .invalid
                state.applied.verdicts["activation"]?.reasons = [
                    StatusReason(code: "Error.UnableToEvaluatePredicate")
                ]
            }
            fixture.doorbell.ring(.status)
            try await fixture.serves(2)
            #expect(fixture.device.known.applied.verdicts["activation"]?.active == true)
        }
    }
}
