import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds
import Logging

/// Replaces the identity of an enrolled device, as the server asked by sending the enrollment's profile anew.
///
/// Key, certificate and what the server has accepted are on the disk before the next step begins. Until it has accepted the
/// new identity the old one serves; afterwards only the new one does.
struct Succession: Sendable {
    /// How it went.
    enum End: Equatable {
        /// There is another identity from now on.
        case succeeded
        /// Not now; whether the old identity may still be used says `Successor.isAuthenticated`.
        case tryLater(Busy?)
        /// The authority or the server does not want it: the old identity stays.
        case abandoned
    }

    let device: Device
    let log: Logger

    /// Goes on where the last attempt ended.
    func run() async -> End {
        do {
            try await advance()
            log.notice("this device has a new identity with its server")
            return .succeeded
        } catch {
            let why = (error as? ServerSilence)?.explanation ?? "\(error)"
            log.warning("the identity could not be replaced yet", metadata: ["why": "\(why)"])
            guard Self.isFinal(error), device.known.enrollment?.successor?.isAuthenticated == false else {
                if case ServerRefusal.busy(let busy) = error { return .tryLater(busy) }
                return .tryLater(nil)
            }
            // The server sends the profile again, with another challenge, if it still wants to.
            _ = try? device.change { $0.enrollment?.successor = nil }
            return .abandoned
        }
    }

    private func advance() async throws {
        guard let enrollment = device.known.enrollment, var successor = enrollment.successor else { return }
        let profile = try EnrollmentProfile(parsing: successor.profile)
        let roots = enrollment.roots(with: profile)
        let identity = EnrollmentIdentity(profile, enrollment, device: device, log: log)
        let key: KeptKey
        if let known = successor.key {
            key = known
        } else {
            key = try await identity.makeKey()
            successor.key = key
            try keep(successor)
        }
        if successor.certificate == nil {
            successor.certificate = try await identity.certificate(for: key)
            try keep(successor)
        }
        guard let certificate = successor.certificate else { return }
        let connection = try ServerConnection(
            roots: roots,
            identity: DeviceIdentity(certificateDER: certificate, key: try DeviceKey(key, tpm: device.tpm)),
            signs: profile.mdm.signMessage, accessToken: enrollment.accessToken(with: profile))
        let requests = MDMRequests(connection: connection, profile: profile, identifier: device.known.identifier)
        defer { connection.close() }
        if !successor.isAuthenticated {
            try await requests.checkIn(.authenticate(device.authenticate(profile)))
            successor.isAuthenticated = true
            try keep(successor)
        }
        try await requests.checkIn(.tokenUpdate(device.tokenUpdate(enrollment, profile)))
        try device.change { state in
            state.enrollment?.succeed()
            // To the server it is as if the device had just come: it is told everything once more.
            state.status = StatusBook()
        }
    }

    private func keep(_ successor: Successor) throws { try device.change { $0.enrollment?.successor = successor } }

    /// Whether the same again would be refused again.
    private static func isFinal(_ error: any Error) -> Bool {
        switch error {
        case EnrollmentRefusal.certificateRefused, EnrollmentRefusal.authorityFingerprintDiffers: true
        case EnrollmentRefusal.authorityStatus(400..<500), ServerRefusal.status(400..<500): true
        // Said of the new identity: of the old one the server says it when that is used.
        case ServerRefusal.unrecognized, ServerRefusal.notFound, ServerRefusal.identityExpired,
            ServerRefusal.identifierTaken, ServerRefusal.secretsOutOfReach:
            true
        case is InputRefusal, is UnusableKey: true
        default: false
        }
    }
}
