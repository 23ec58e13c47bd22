package import Foundation

/// What an enrollment is: the whole device; or a person's part of one, or the channel of a user on it.
package enum EnrollmentKind: String, Sendable, Codable {
    case device
    case user
}

/// Where an enrollment stands.
package enum EnrollmentState: String, Sendable, Codable {
    /// Authenticated; its first TokenUpdate has not come.
    case pending
    case enrolled
    /// The device said that it left.
    case checkedOut
    /// An administrator ended the enrollment; the server answers only these devices that it does not recognize them.
    case withdrawn
}

/// What a device says of itself at Authenticate.
package struct DeviceFacts: Sendable, Equatable, Codable {
    package var deviceName: String?
    package var modelName: String?
    package var model: String?
    package var productName: String?
    package var serialNumber: String?
    package var osVersion: String?
    package var buildVersion: String?
    package var topic: String?

    package init(
        deviceName: String? = nil, modelName: String? = nil, model: String? = nil, productName: String? = nil,
        serialNumber: String? = nil, osVersion: String? = nil, buildVersion: String? = nil, topic: String? = nil
    ) {
        self.deviceName = deviceName
        self.modelName = modelName
        self.model = model
        self.productName = productName
        self.serialNumber = serialNumber
        self.osVersion = osVersion
        self.buildVersion = buildVersion
        self.topic = topic
    }
}

/// An enrollment as administrators see it.
package struct Device: Sendable, Equatable {
    /// The storage key, which is also its ID in the admin API.
    package let id: String
    package let kind: EnrollmentKind
    /// Whether it is the channel of a user on a device, which comes and goes with that device.
    package let isUserChannel: Bool
    package let state: EnrollmentState
    package let ownership: Ownership
    package let supervised: Bool
    package let groups: [String]
    package let facts: DeviceFacts
    /// What it runs.
    package let audience: DeviceAudience
    /// The user name of the person whose device it is.
    package let person: String?
    /// What administrators say of it.
    package let attributes: AttributeSet
    package let arrival: Arrival
    /// Of one that came by an account.
    package let access: AccountAccess?
    /// The device waits in its setup until it is told that it is configured.
    package let awaitsConfiguration: Bool
    package let enrolled: Date
    package var lastSeen: Date?
    package let certificateSerial: String?
    package let certificateNotAfter: Date?
    /// How far the renewal of the identity is.
    package let renewal: IdentityRenewal?
    /// The DeclarationsToken the device was last told of.
    package let toldToken: String?
    /// Commands that have no result yet.
    package let openCommands: Int
    /// Configurations that apps on it, and their extensions, refuse.
    package let refusals: Int
    /// The number of reported apps that need attention, by `ReportedAppState.isFailing`.
    package let failingApps: Int

    package init(
        id: String, kind: EnrollmentKind, state: EnrollmentState, ownership: Ownership, supervised: Bool,
        groups: [String], facts: DeviceFacts, audience: DeviceAudience = DeviceAudience(), person: String? = nil,
        attributes: AttributeSet = AttributeSet(), arrival: Arrival = Arrival(), access: AccountAccess? = nil,
        awaitsConfiguration: Bool = false, enrolled: Date, lastSeen: Date?,
        certificateSerial: String?, certificateNotAfter: Date?, renewal: IdentityRenewal? = nil, toldToken: String?,
        openCommands: Int, refusals: Int = 0, failingApps: Int = 0, isUserChannel: Bool = false
    ) {
        self.id = id
        self.kind = kind
        self.isUserChannel = isUserChannel
        self.state = state
        self.ownership = ownership
        self.supervised = supervised
        self.groups = groups
        self.facts = facts
        self.audience = audience
        self.person = person
        self.attributes = attributes
        self.arrival = arrival
        self.access = access
        self.awaitsConfiguration = awaitsConfiguration
        self.enrolled = enrolled
        self.lastSeen = lastSeen
        self.certificateSerial = certificateSerial
        self.certificateNotAfter = certificateNotAfter
        self.renewal = renewal
        self.toldToken = toldToken
        self.openCommands = openCommands
        self.refusals = refusals
        self.failingApps = failingApps
    }
}

/// What every device request needs to know of an enrollment: small, because many are kept in memory.
package struct DeviceContext: Sendable, Equatable {
    package var key: String
    package var kind: EnrollmentKind
    package var state: EnrollmentState
    /// SHA-256 of the pinned certificate.
    package var fingerprint: Data
    /// That of the certificate before, which serves until the pinned one was used.
    package var previousFingerprint: Data?
    /// Grows with every Authenticate.
    package var epoch: Int
    /// Sorted names.
    package var groups: [String]
    package var pushMagic: String?
    package var hasOpenCommands: Bool
    package var told: Told
    /// What the device runs.
    package var audience: DeviceAudience
    /// Of one that came by an account.
    package var access: AccountAccess?
    /// The device waits in its setup until it is told that it is configured.
    package var awaitsConfiguration: Bool
    /// The apps of which something was withheld when the device last connected.
    package var withheldApps: Set<String>

    /// What the device was last told of its declarations.
    package struct Told: Sendable, Equatable {
        /// The token it acknowledged or was given items of, whichever came last.
        package var token: String?
        /// Grows with every change of `token`, so that no command has the identifier of an earlier one.
        package var sequence: Int
        /// The token of the items it was last given.
        package var itemsToken: String?
        /// Of the declarations on which it reported exactly.
        package var settledToken: String?

        package init(
            token: String? = nil, sequence: Int = 0, itemsToken: String? = nil, settledToken: String? = nil
        ) {
            self.token = token
            self.sequence = sequence
            self.itemsToken = itemsToken
            self.settledToken = settledToken
        }
    }

    package init(
        key: String, kind: EnrollmentKind, state: EnrollmentState, fingerprint: Data, previousFingerprint: Data? = nil,
        epoch: Int, groups: [String], pushMagic: String?, hasOpenCommands: Bool, told: Told,
        audience: DeviceAudience = DeviceAudience(), access: AccountAccess? = nil, awaitsConfiguration: Bool = false,
        withheldApps: Set<String> = []
    ) {
        self.key = key
        self.kind = kind
        self.state = state
        self.fingerprint = fingerprint
        self.previousFingerprint = previousFingerprint
        self.epoch = epoch
        self.groups = groups
        self.pushMagic = pushMagic
        self.hasOpenCommands = hasOpenCommands
        self.told = told
        self.audience = audience
        self.access = access
        self.awaitsConfiguration = awaitsConfiguration
        self.withheldApps = withheldApps
    }
}

/// Why a device is not served.
///
/// The case decides the answer (D13); the text is for the log.
package enum DeviceRefusal: Error, Sendable, Equatable {
    /// 503: we do not know it, which a restored backup explains; it must not unenrol for that.
    case unknownDevice(log: String)
    /// 400: it is not who it says.
    case mismatch(log: String)
    /// 400 with a code: another machine is enrolled under this identifier, and stays.
    case identifierTaken
    /// 400 with a code: the right to enroll does not reach a group that gives secrets.
    case secretsOutOfReach
    /// 403 `com.apple.unrecognized.device`: an administrator withdrew it.
    case withdrawn
    /// 400: a message we do not serve.
    case unsupported
    /// 401 with the way to sign in: the person whose device it is has to sign in again; it stays enrolled.
    case signInNeeded
    /// 503: it reports more often than a device may; it comes again after so many seconds.
    case tooManyReports(seconds: Int)

    package var logText: String {
        switch self {
        case .unknownDevice(let log), .mismatch(let log): log
        case .identifierTaken:
            "Authenticate with a new certificate under the identifier of an enrolled device: an administrator withdraws "
                + "that device first, or makes a code that replaces it"
        case .secretsOutOfReach:
            "Authenticate by a right whose author may not give secrets, into a group that gives one"
        case .withdrawn: "the enrollment was withdrawn by an administrator"
        case .unsupported: "the message type is not served"
        case .signInNeeded: "the person whose device it is has to sign in again"
        case .tooManyReports: "a device reports its status too often"
        }
    }
}

/// What the judgement of a device request came to.
package typealias DeviceVerdict = Outcome<DeviceContext, DeviceRefusal>
