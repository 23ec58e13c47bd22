import DeviceMessages
import Foundation

/// Ends an enrollment from the device's side.
package enum Unenroll {
    /// Tells the server once, if it wants to hear it and can be reached; then everything of the enrollment leaves the device.
    ///
    /// Returns whether the server was told.
    package static func run(_ device: Device) async throws -> Bool {
        let profile = device.known.enrollment.flatMap { try? EnrollmentProfile(parsing: $0.profile) }
        guard profile?.removalDisallowed != true || device.known.enrollment?.stage != .isComplete else {
            throw EnrollmentRefusal.removalDisallowed
        }
        let told = await (try? checkOut(device)) ?? false
        // Once the server has been told, nothing of the enrollment is served any more, whatever the disk says.
        if told { device.serveNothing() }
        try device.change(forgetting: true) { $0.unenroll() }
        device.serve(within: nil)
        return told
    }

    private static func checkOut(_ device: Device) async throws -> Bool {
        let state = device.known
        guard let enrollment = state.enrollment, enrollment.stage >= .isAuthenticated else { return false }
        let profile = try EnrollmentProfile(parsing: enrollment.profile)
        guard profile.mdm.checkOutWhenRemoved else { return false }
        let connection = try ServerConnection(
            roots: enrollment.roots(with: profile), identity: enrollment.identity(tpm: device.tpm),
            signs: profile.mdm.signMessage, accessToken: enrollment.accessToken(with: profile))
        let requests = MDMRequests(connection: connection, profile: profile, identifier: state.identifier)
        let message = CheckInMessage.checkOut(CheckOut(identifier: state.identifier, topic: profile.mdm.topic))
        let told = (try? await requests.checkIn(message)) != nil
        connection.close()
        return told
    }
}
