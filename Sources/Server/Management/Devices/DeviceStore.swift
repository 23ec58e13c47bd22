package import Foundation

/// An Authenticate, ready to be kept.
package struct EnrollmentDraft: Sendable {
    package let key: String
    package let kind: EnrollmentKind
    package let fingerprint: Data
    package let facts: DeviceFacts
    /// What it says of what it runs; what it says nothing of stays as it was known in the same life.
    package let audience: DeviceAudience
    /// Whether it is supervised because its profile says so; an Apple device is what its own setup made it.
    package let obeysSupervision: Bool
    package let now: Date

    package init(
        key: String, kind: EnrollmentKind = .device, fingerprint: Data, facts: DeviceFacts,
        audience: DeviceAudience = DeviceAudience(), obeysSupervision: Bool = true, now: Date
    ) {
        self.obeysSupervision = obeysSupervision
        self.key = key
        self.kind = kind
        self.fingerprint = fingerprint
        self.facts = facts
        self.audience = audience
        self.now = now
    }
}

/// Which devices are asked for.
package struct DeviceFilter: Sendable {
    package let group: String?
    /// As the device said it.
    package let serialNumber: String?
    /// The device with this ID and the devices with this serial number; if no device has this ID, also the devices with
    /// this name.
    package let named: DeviceReference?
    package var state: EnrollmentState?
    /// Those on which an app, or an extension, refuses its configuration.
    package var isRefusing = false
    /// Devices that were not seen since; those that are enrolled, if no state is asked for.
    package var seenBefore: Date?

    package init(group: String? = nil, serialNumber: String? = nil, named: String? = nil) {
        self.group = group
        self.serialNumber = serialNumber
        self.named = named.map { DeviceReference($0) }
    }
}

/// How a device is woken, as its TokenUpdate says.
package struct PushDetails: Sendable, Equatable {
    package let token: Data
    package let pushMagic: String
    /// Nothing where the device sent none, or the one that is kept; what is kept stays.
    package let unlockToken: SealedSecret?
    /// Nothing where the device did not say; what it said before stands.
    package let awaitingConfiguration: Bool?

    package init(token: Data, pushMagic: String, unlockToken: SealedSecret?, awaitingConfiguration: Bool?) {
        self.token = token
        self.pushMagic = pushMagic
        self.unlockToken = unlockToken
        self.awaitingConfiguration = awaitingConfiguration
    }
}

/// Enrollments, as a store keeps them.
package protocol DeviceStore: Sendable {
    /// Pins the certificate to the enrollment by the rule of `Authentication`, spends its code, begins a new epoch.
    ///
    /// A right to renew changes the identity and nothing else; the one before serves until the new one was used.
    func authenticate(_ draft: EnrollmentDraft) async throws -> Outcome<DeviceContext, DeviceRefusal>
    /// Keeps the newest push details and completes the enrollment. A user's channel begins with this.
    ///
    /// Throws `MasterKeyReplaced` as `keepEscrowedToken` does.
    func updateToken(
        key: String, userOf parent: String?, push: PushDetails, now: Date
    ) async throws -> Outcome<DeviceContext, DeviceRefusal>
    func checkOut(key: String, now: Date) async throws
    func deviceContext(key: String) async throws -> DeviceContext?
    /// The enrollment to which a certificate is pinned, or that it was issued to renew.
    func deviceKey(fingerprint: Data) async throws -> String?

    func device(_ id: String) async throws -> Device?
    func devices(_ filter: DeviceFilter, _ page: PageRequest) async throws -> Page<Device>
    /// Ends an enrollment: commands, status and push details go.
    func withdraw(_ id: String, author: String, now: Date) async throws -> AdminRefusal?
    func addDevice(
        _ id: String, toGroup group: String, author: String, now: Date
    ) async throws -> Outcome<Regrouped, AdminRefusal>
    func removeDevice(
        _ id: String, fromGroup group: String, author: String, now: Date
    ) async throws -> Outcome<Regrouped, AdminRefusal>
    func recordSeen(_ seen: [String: Date]) async throws
}

/// What follows from a device's being in other groups than before.
package struct Regrouped: Sendable, Equatable {
    /// Groups whose manifests have to look at single devices from now on, because this one lost a secret of theirs.
    package let concerned: [String]

    package init(concerned: [String] = []) {
        self.concerned = concerned
    }
}

/// Decides whether a certificate may be pinned to an enrollment at Authenticate.
package struct Authentication: Sendable {
    /// The enrollment to which the certificate is pinned already.
    package let certificatePinnedTo: String?
    /// Whether we issued the certificate for a code.
    package let isIssued: Bool
    /// The state of the code.
    package let codeState: EnrollmentCode.State?
    /// The enrollment whose identity the code renews.
    package let renews: String?
    /// The enrolled device whose chip it is under which the code was used, if that is another one.
    package let chipOf: String?
    /// The device whose place the code lets another enrollment take.
    package let replaces: String?
    /// The enrollment that sends the message, if we know it.
    package let existing: (state: EnrollmentState, fingerprint: Data, kind: EnrollmentKind)?

    package init(
        certificatePinnedTo: String?, isIssued: Bool, codeState: EnrollmentCode.State?, renews: String? = nil,
        chipOf: String? = nil, replaces: String? = nil,
        existing: (state: EnrollmentState, fingerprint: Data, kind: EnrollmentKind)?
    ) {
        self.replaces = replaces
        self.certificatePinnedTo = certificatePinnedTo
        self.isIssued = isIssued
        self.codeState = codeState
        self.renews = renews
        self.chipOf = chipOf
        self.existing = existing
    }

    /// Whether a new enrollment would take the place of one that is alive.
    package func isReplacement(fingerprint: Data) -> Bool {
        guard renews == nil, let existing, existing.fingerprint != fingerprint else { return false }
        return existing.state == .pending || existing.state == .enrolled
    }

    /// Nothing when it may be pinned.
    package func refusal(key: String, kind: EnrollmentKind, fingerprint: Data) -> DeviceRefusal? {
        if let existing, existing.state == .withdrawn, existing.fingerprint == fingerprint { return .withdrawn }
        guard isIssued else {
            return .unknownDevice(log: "Authenticate with a certificate that is not in the record of issued ones")
        }
        if let certificatePinnedTo {
            guard certificatePinnedTo == key else {
                return .mismatch(log: "Authenticate with a certificate that is pinned to another enrollment")
            }
            // A stolen old certificate must not take the enrollment back, and a code lets in only once.
            guard let existing, existing.fingerprint == fingerprint else {
                return .mismatch(log: "Authenticate with a certificate that a newer one has replaced")
            }
            return existing.state == .checkedOut
                ? .mismatch(log: "Authenticate after CheckOut without a new enrollment code") : nil
        }
        if let renews {
            guard renews == key, let existing else {
                return .mismatch(log: "Authenticate with a certificate that renews another enrollment's identity")
            }
            if existing.state == .withdrawn { return .withdrawn }
            guard existing.state != .checkedOut else {
                return .mismatch(log: "Authenticate after CheckOut without a new enrollment code")
            }
        }
        guard chipOf == nil || chipOf == key else {
            return .mismatch(log: "Authenticate with a key in a chip that is another enrolled device's")
        }
        guard replaces == nil || replaces == key else {
            return .mismatch(log: "Authenticate of another device than the one that the enrollment code replaces")
        }
        switch codeState {
        case .redeemed: break
        case .spent: return .mismatch(log: "Authenticate with a second certificate of a spent enrollment code")
        default: return .mismatch(log: "Authenticate with a certificate whose enrollment code is not in use")
        }
        // The identifier is a claim, which anybody makes who can read it or has a copy of the machine.
        if isReplacement(fingerprint: fingerprint), let existing {
            guard existing.kind == kind, replaces == key || chipOf == key else { return .identifierTaken }
        }
        return nil
    }
}
