package import Foundation

/// How long the certificates live that this server issues, as the operator decided.
///
/// Short, so that a stolen key is worth little for long: both are renewed by themselves.
package struct CertificateLifetimes: Sendable, Equatable {
    /// Devices renew at two thirds: one that is away for a month at any moment finds its identity good when it is back.
    package static let enrollment: TimeInterval = 90 * 86_400
    /// Apps' identities are used where nobody may look for revoked ones, and no device locks itself out with them.
    package static let identity: TimeInterval = 30 * 86_400
    /// Summer holidays and a long illness are no reason to enroll anew.
    package static let grace: TimeInterval = 90 * 86_400
    /// A certificate that outlives its device's use is a key for anyone who finds the device.
    package static let longest: TimeInterval = 730 * 86_400

    /// Of the identities by which devices speak with this server.
    package var enrollment: TimeInterval
    /// Of apps' identities.
    package var identity: TimeInterval
    /// For so long after its end a device's identity may still fetch its renewal, and do nothing else.
    package var grace: TimeInterval

    package init(
        enrollment: TimeInterval = Self.enrollment, identity: TimeInterval = Self.identity,
        grace: TimeInterval = Self.grace
    ) {
        self.enrollment = enrollment
        self.identity = identity
        self.grace = grace
    }
}

extension Management {
    package var lifetimes: CertificateLifetimes { settings.lifetimes }
}
