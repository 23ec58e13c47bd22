import DeviceMessages
import Foundation

/// Ends an enrollment from the device's side.
package enum Unenroll {
    /// What the server knows of it.
    package enum Farewell: Sendable, Equatable {
        /// It was told, and knows that the device has left.
        case told
        /// It did not know the device any more: the enrollment had ended there already.
        case endedBefore
        /// It could not be told, or does not want to be: it may still count the device as enrolled.
        case untold
    }

    /// Tells the server once, if it wants to hear it and can be reached; then everything of the enrollment leaves the device.
    ///
    /// Returns what the server knows of it.
    package static func run(_ device: Device) async throws -> Farewell {
        let profile = device.known.enrollment.flatMap { try? EnrollmentProfile(parsing: $0.profile) }
        guard profile?.removalDisallowed != true || device.known.enrollment?.stage != .isComplete else {
            throw EnrollmentRefusal.removalDisallowed
        }
        let farewell = await (try? checkOut(device)) ?? .untold
        // Once the server knows, nothing of the enrollment is served any more, whatever the disk says.
        if farewell != .untold { device.serveNothing() }
        try device.change(forgetting: true) { $0.unenroll() }
        device.serve(within: nil)
        return farewell
    }

    private static func checkOut(_ device: Device) async throws -> Farewell {
        let state = device.known
        guard let enrollment = state.enrollment, enrollment.stage >= .isAuthenticated else { return .untold }
        let profile = try EnrollmentProfile(parsing: enrollment.profile)
        guard profile.mdm.checkOutWhenRemoved else { return .untold }
        let connection = try ServerConnection(
            roots: enrollment.roots(with: profile), identity: enrollment.identity(tpm: device.tpm),
            signs: profile.mdm.signMessage, accessToken: enrollment.accessToken(with: profile))
        let requests = MDMRequests(connection: connection, profile: profile, identifier: state.identifier)
        let message = CheckInMessage.checkOut(CheckOut(identifier: state.identifier, topic: profile.mdm.topic))
        defer { connection.close() }
        do {
            try await requests.checkIn(message)
            return .told
        } catch ServerRefusal.unrecognized {
            return .endedBefore
        } catch {
            return .untold
        }
    }
}
