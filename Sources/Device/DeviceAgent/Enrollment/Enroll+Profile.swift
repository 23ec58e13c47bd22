import Crypto
import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds

extension Enroll {
    /// Begins with a profile that any MDM server may have made.
    ///
    /// The server is believed by the certificates that were given, else by those of the profile, else by the system's.
    func begin(
        _ file: Data, allowsLegacy: Bool, _ wish: EnrollmentWish, _ trust: ServerTrust
    ) async throws -> Enrollment {
        let content = try ProfileFile.content(of: file, policy: allowsLegacy ? .legacy : .modern)
        let profile: EnrollmentProfile
        do {
            profile = try EnrollmentProfile(parsing: content)
        } catch {
            throw EnrollmentRefusal.profileRefused(error.rule)
        }
        if let refusal = EnrollmentProfile.refusal(of: content, profile) { throw refusal }
        if let refusal = EnrollmentIdentity.refusal(of: profile.identity, tpm: device.tpm) { throw refusal }
        let origin = try ServerOrigin(of: profile.mdm.serverURL)
        var enrollment = Enrollment(
            origin: origin.text, codeDigest: wish.digest,
            roots: try await trust.roots(host: origin.host, port: origin.port), profile: content,
            key: try await EnrollmentIdentity(profile: profile, roots: [], device: device, log: log).makeKey(),
            token: SymmetricKey(size: .bits256).data, pushMagic: UUID().uuidString, kind: .profile,
            allowsLegacy: allowsLegacy)
        if profile.awaitsConfiguration { enrollment.awaitsConfiguration = true }
        try device.change { $0.enrollment = enrollment }
        return enrollment
    }
}
