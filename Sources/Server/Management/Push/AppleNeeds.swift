import DeviceMessages
import Foundation

/// One thing that an Apple device needs of its server, and whether this server has it.
package struct AppleNeed: Sendable, Equatable {
    package enum Name: String, Sendable, CaseIterable {
        case pushCertificate = "push-certificate"
        case pushService = "push-service"
        case profile
        case serverCertificate = "server-certificate"
        case address
    }

    package enum State: String, Sendable, CaseIterable {
        case met
        /// It works now, and something has to be done.
        case attention
        case missing
        /// The server cannot see it from where it is.
        case unverified
    }

    package let name: Name
    package let state: State
    /// What was found, and what to do.
    package let detail: String
}

/// What Apple devices need of this server, judged at one moment.
///
/// What the server cannot see, such as which authorities a device trusts, is `unverified` and never `met`.
package struct AppleNeeds: Sendable, Equatable {
    /// The facts by which the needs are judged.
    struct Facts: Sendable {
        var push: PushCredentialRecord?
        /// Nothing where no device enrolls.
        var offer: EnrollmentOffer?
        /// Whether the certificate that clients are shown is one of the server's own authority.
        var showsOwnCertificate: Bool
    }

    /// The topic of pushes in a profile made at this moment; nothing where no device enrolls.
    package let topic: String?
    /// What such a profile announces as `ServerCapabilities`.
    package let capabilities: [String]
    package let means: EnrollmentOffer.Means?
    /// Each name once, in the order of `AppleNeed.Name`.
    package let needs: [AppleNeed]

    init(_ facts: Facts, at now: Date) {
        let payload = facts.offer?.profile(right: "", topic: facts.push?.topic).mdm
        topic = payload?.topic
        capabilities = payload?.serverCapabilities ?? []
        means = facts.offer?.means
        needs = AppleNeed.Name.allCases.map { name in
            let finding: Finding =
                switch name {
                case .pushCertificate: Self.pushCertificate(facts.push, now)
                case .pushService: Self.pushService
                case .profile: Self.profile(facts.offer?.means)
                case .serverCertificate: Self.serverCertificate(facts.showsOwnCertificate)
                case .address: Self.address(facts.offer?.baseURL)
                }
            return AppleNeed(name: name, state: finding.state, detail: finding.detail)
        }
    }

    private typealias Finding = (state: AppleNeed.State, detail: String)

    private static func pushCertificate(_ push: PushCredentialRecord?, _ now: Date) -> Finding {
        guard let push else {
            return (
                .missing,
                "There is none, so Apple devices are not woken. Upload one before you enroll devices: a device listens "
                    + "to the topic of its profile alone."
            )
        }
        guard push.isCertificate else {
            return (
                .missing,
                "A key for provider tokens is set. Apple's push service accepts pushes to managed devices with an MDM "
                    + "push certificate only."
            )
        }
        let counts = "It wakes \(push.counts.reachable) enrollments; \(push.counts.retired) have a refused token."
        switch push.expires.flatMap({ PushSetup.warning(of: $0, at: now) }) {
        case nil: return (.met, counts)
        case 0?:
            return (
                .missing,
                "It has ended, so Apple devices are not woken. Renew it with the Apple account that made it."
            )
        case let days?:
            return (.attention, "It ends within \(days) days. Renew it with the Apple account that made it. \(counts)")
        }
    }

    private static let pushService: Finding = (
        .unverified,
        "The server must reach Apple's push service at api.push.apple.com, port 443. If it does not, the server's log "
            + "says so when a device is to be woken."
    )

    private static func profile(_ means: EnrollmentOffer.Means?) -> Finding {
        switch means {
        case nil: return (.missing, "This server enrolls no devices.")
        case .scep: return (.met, "Profiles give the device an identity by SCEP.")
        case .acme: return (.met, "Profiles give the device an identity by ACME.")
        case .attestedACME:
            return (
                .attention,
                "Profiles ask for a key that the device attests. A device that cannot do so does not enroll."
            )
        }
    }

    private static func serverCertificate(_ isOwn: Bool) -> Finding {
        guard isOwn else {
            return (
                .unverified,
                "It is of another authority than the server's own. Devices must trust that authority before they get a "
                    + "profile."
            )
        }
        return (
            .attention,
            "The server issued it to itself. Install /ca.pem on a device before its profile, or give the server a "
                + "certificate of a public authority."
        )
    }

    private static func address(_ baseURL: String?) -> Finding {
        guard let host = baseURL.flatMap({ URLComponents(string: $0)?.host }) else {
            return (.missing, "There is no address that a profile could name.")
        }
        let name = host.trimmingCharacters(in: ["[", "]"]).lowercased()
        guard name != "localhost", !name.hasSuffix(".localhost"), !name.hasPrefix("127."), name != "::1" else {
            return (
                .missing,
                "Profiles name \(host), which no device can reach. Start the server with --hostname or --url."
            )
        }
        return (
            .unverified,
            "Profiles name \(host). Devices must reach it, and their TLS connections must end at this server and not "
                + "before it."
        )
    }
}

extension AppleNeeds {
    /// What was not tried, for want of an Apple device or Apple's services; `docs/apple-devices.md` has the same list.
    package static let untried = [
        "The device's own judgement: whether a version of iOS, iPadOS, macOS or visionOS installs the profile as it "
            + "is.",
        "Apple's push service, and what a device does on a push.",
        "Attestation by Apple's chips, automated enrollment with Apple's servers, an account-driven enrollment of "
            + "Apple's, service tokens, and return to service.",
        "What the system does with what it is given: apps installed, configurations handed to them, passcodes cleared, "
            + "profiles removed.",
    ]
}

extension Management {
    /// What Apple devices need of this server, and what is missing.
    package func appleNeeds(showsOwnCertificate: Bool) async throws -> AppleNeeds {
        AppleNeeds(
            AppleNeeds.Facts(
                push: try await pushCredential(), offer: settings.enrollmentOffer,
                showsOwnCertificate: showsOwnCertificate),
            at: now())
    }
}
