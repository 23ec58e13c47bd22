import DeviceMessages

/// Something beside Apple's protocol that Martlet's server and agent have together, and that another server has not.
package enum MissingExtension: String, Codable, Sendable, CaseIterable {
    /// Nobody can wake the device.
    case wake
    /// The server does not renew the identity by itself.
    case renewal
    /// The server cannot hold the device in its setup.
    case setup
    /// No chip can vouch for keys: the authority that believes it is Martlet's.
    case attestation

    /// What follows from it, for a person.
    package var consequence: String {
        switch self {
        case .wake: "the server cannot wake this device: the agent asks it now and then (--poll-interval)"
        case .renewal: "the identity is renewed when the server sends its enrollment profile again, and not by itself"
        case .setup: "the server cannot hold back apps until the device is set up"
        case .attestation: "this device's TPM cannot vouch for keys to the server"
        }
    }

    /// All of them where the enrollment's profile says nothing of a wake-up stream, which every Martlet server's does.
    static func all(of enrollment: Enrollment?) -> [MissingExtension]? {
        guard let enrollment, let profile = try? EnrollmentProfile(parsing: enrollment.profile), profile.wakeURL == nil
        else { return nil }
        return allCases
    }
}
