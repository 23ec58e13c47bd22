package import Foundation

/// An enrollment in the list of devices. `GET /devices`
package struct DeviceSummary: Codable, Hashable, Sendable {
    package var id: String
    package var name: String?
    package var kind: EnrollmentKind
    package var ownership: Ownership
    package var supervised: Bool
    package var groups: [String]
    /// The user name of the person whose device it is.
    package var person: String?
    /// How the device came to be enrolled.
    package var arrival: EnrollmentArrival?
    package var state: DeviceState
    package var lastSeen: Date?
    package var synchronised: Bool
    /// Configurations that apps on it, and their extensions, refuse; servers of before say nothing of it.
    package var refusals: Int?
    /// The number of its apps that need attention, by `AppStanding.isFailing`; nil from older servers.
    package var failingApps: Int?
    /// True where the device is enrolled and the server has not seen it for a week; else nothing.
    package var silent: Bool?

    package init(
        id: String, name: String? = nil, kind: EnrollmentKind, ownership: Ownership, supervised: Bool,
        groups: [String], person: String? = nil, arrival: EnrollmentArrival? = nil, state: DeviceState,
        lastSeen: Date? = nil, synchronised: Bool, refusals: Int? = nil, failingApps: Int? = nil, silent: Bool? = nil
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.ownership = ownership
        self.supervised = supervised
        self.groups = groups
        self.person = person
        self.arrival = arrival
        self.state = state
        self.lastSeen = lastSeen
        self.synchronised = synchronised
        self.refusals = refusals
        self.failingApps = failingApps
        self.silent = silent
    }
}

/// What is known about one enrollment. `GET /devices/{id}`
package struct DeviceDetail: Codable, Hashable, Sendable {
    package var id: String
    package var name: String?
    package var kind: EnrollmentKind
    package var ownership: Ownership
    package var supervised: Bool
    package var groups: [String]
    /// The user name of the person whose device it is.
    package var person: String?
    /// How the device came to be enrolled.
    package var arrival: EnrollmentArrival?
    package var state: DeviceState
    /// What the device said of itself, by the protocol's names, such as `SerialNumber` and `OSVersion`.
    package var facts: [String: JSON]
    /// What administrators say of it, such as its location; servers of before say nothing of it.
    package var attributes: [String: String]?
    package var enrolled: Date?
    package var lastSeen: Date?
    /// True where the device is enrolled and the server has not seen it for a week; else nothing.
    package var silent: Bool?
    /// By what the device speaks with the server; nothing once the enrollment ended.
    package var identity: DeviceIdentity?
    package var declarationsToken: DeclarationsTokenPair
    /// Whether the person is signed in by whose account the device came.
    package var signIn: DeviceSignIn?
    /// Whether the device waits in its setup until everything is there.
    package var awaitsConfiguration: Bool?
    /// How the device keeps what it was given; nothing of devices that do not say.
    package var atRest: AtRest?
    package var apps: [DeviceApp]
    package var declarations: [DeclarationState]

    package init(
        id: String, name: String? = nil, kind: EnrollmentKind, ownership: Ownership, supervised: Bool,
        groups: [String], person: String? = nil, arrival: EnrollmentArrival? = nil, state: DeviceState,
        facts: [String: JSON] = [:], attributes: [String: String]? = nil, enrolled: Date? = nil,
        lastSeen: Date? = nil, identity: DeviceIdentity? = nil, declarationsToken: DeclarationsTokenPair,
        signIn: DeviceSignIn? = nil, awaitsConfiguration: Bool? = nil, atRest: AtRest? = nil,
        apps: [DeviceApp] = [], declarations: [DeclarationState] = [], silent: Bool? = nil
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.ownership = ownership
        self.supervised = supervised
        self.groups = groups
        self.person = person
        self.arrival = arrival
        self.state = state
        self.facts = facts
        self.attributes = attributes
        self.enrolled = enrolled
        self.lastSeen = lastSeen
        self.identity = identity
        self.declarationsToken = declarationsToken
        self.signIn = signIn
        self.awaitsConfiguration = awaitsConfiguration
        self.atRest = atRest
        self.apps = apps
        self.declarations = declarations
        self.silent = silent
    }

    /// Whether the device has reported on exactly the declarations it should hold.
    package var synchronised: Bool { declarationsToken.current == declarationsToken.acknowledged }
}

/// The sign-in of the person by whose account a device came.
package struct DeviceSignIn: Codable, Hashable, Sendable {
    package var since: Date
    /// Whether the person has to sign in again before the device is served.
    package var needed: Bool

    package init(since: Date, needed: Bool) {
        self.since = since
        self.needed = needed
    }
}

/// The identity by which a device speaks with the server, and how far its renewal is.
package struct DeviceIdentity: Codable, Hashable, Sendable {
    package enum State: String, Codable, Hashable, Sendable, CaseIterable {
        /// Good; `moment` is when the device will be told to renew it.
        case good
        /// The device was told to renew it; `moment` is when first.
        case renewing
        /// It has ended and is good for fetching its renewal alone, until `moment`.
        case expired
        /// It has ended for good: the device must be enrolled anew.
        case lapsed
    }

    /// The serial number of the certificate, in hexadecimal.
    package var serial: String?
    package var expires: Date
    package var state: State
    package var moment: Date?

    package init(serial: String? = nil, expires: Date, state: State, moment: Date? = nil) {
        self.serial = serial
        self.expires = expires
        self.state = state
        self.moment = moment
    }
}

/// How a device keeps what it was given.
package struct AtRest: Codable, Hashable, Sendable {
    /// `tpm` if a chip holds the key, else `file`.
    package var keyHolder: String
    /// When the device last came with an older copy of what it keeps.
    package var olderCopyNoticed: Date?
    /// When the device last said that it had found its newest generation damaged.
    package var damageNoticed: Date?
    /// When a synchronization had replaced that; while it is missing, the generation before serves.
    package var damageReplaced: Date?

    package init(
        keyHolder: String, olderCopyNoticed: Date? = nil, damageNoticed: Date? = nil, damageReplaced: Date? = nil
    ) {
        self.keyHolder = keyHolder
        self.olderCopyNoticed = olderCopyNoticed
        self.damageNoticed = damageNoticed
        self.damageReplaced = damageReplaced
    }
}

/// The token of what a device should hold, and of what it last reported on.
package struct DeclarationsTokenPair: Codable, Hashable, Sendable {
    package var current: String
    package var acknowledged: String?

    package init(current: String, acknowledged: String? = nil) {
        self.current = current
        self.acknowledged = acknowledged
    }
}
