package import DeviceMessages
package import Foundation

/// Everything the agent remembers; one value, so that it changes whole.
package struct AgentState: StoredState, Equatable {
    /// Names this device, also across enrollments; a machine that is given another identity has another name once it is
    /// enrolled no more.
    package var udid: String

    /// The enrollment, from the moment it begins.
    package var enrollment: Enrollment?

    /// What the server says the device is to hold.
    package var declarations = HeldDeclarations()

    /// What has been made of the declarations.
    package var applied = Applied()

    /// Which commands have taken effect, and what was answered.
    package var commands = CommandLedger()

    /// What each app last said about its configuration.
    package var reports: [String: ConfigurationReport] = [:]

    /// Which version of its configuration each app was handed last in a way that needs no word from the app.
    package var handOvers: [String: ConfigurationHandOver] = [:]

    /// What the server has been told.
    package var status = StatusBook()

    /// Profiles installed by command, beside the enrollment's.
    package var profiles: [InstalledProfile] = []

    /// Apps that are managed by command, by bundle identifier; none of them is declared.
    package var commanded: [String: CommandedApp] = [:]

    /// Lives of feedback that the answer to a command has told, until the apps' feedback forgets them too.
    package var answeredLives: Set<String> = []

    /// Apps that run, so that a restarted agent knows them again.
    package var launches: [LaunchRecord] = []

    /// Apps that the agent has installed, by bundle identifier.
    package var installed: [String: InstalledApp] = [:]

    /// What is known of the installation of declared apps, by bundle identifier.
    package var installations: [String: Installation] = [:]

    /// What of apps is to be removed from the disk.
    package var leaving: [LeavingApp] = []

    /// What systems have begun to put in effect outside of this state, by their names; none where nothing is in effect.
    package var effects: [String: EffectRecord] = [:]

    /// What commands have asked of the machine and it has not done yet.
    package var pendingActions: [PendingAction] = []

    /// Commands behind pending actions that another agent stored and this one cannot read, until the log names them.
    package var unreadableActions: [String] = []

    /// The restricted extensions to which the user of this device has granted full access.
    package var fullAccess: Set<ExtensionName> = []

    /// When the server last answered.
    package var lastContact: Date?

    /// The number of a newest generation that was found torn or changed, until the server's state has replaced it.
    package var damagedGeneration: Int?

    /// What this device's chip vouches for other keys with.
    package var attestationKey: AttestationKey?

    /// A device that knows only its name.
    package init(udid: String) { self.udid = udid }

    package var blobDigests: Set<String> { applied.digests.union(commanded.values.compactMap(\.configuration)) }

    /// Whether `newer` changes what apps get; new reports, sent status and running processes do not count.
    package func isSuperseded(by newer: AgentState) -> Bool {
        var applied = applied
        applied.generation = newer.applied.generation
        return enrollment != newer.enrollment || declarations != newer.declarations || applied != newer.applied
            || profiles != newer.profiles || fullAccess != newer.fullAccess || commanded != newer.commanded
    }

    /// Keeps who the device is; what it may hold, the server says anew.
    package mutating func forgetWhatMayBeOld() {
        let enabled = declarations.enabled
        let generation = applied.generation
        (declarations, applied, reports, status, profiles) = (.init(), .init(), [:], .init(), [])
        handOvers = [:]
        declarations.enabled = enabled
        applied.generation = generation + 1
        fullAccess = []
        (pendingActions, unreadableActions) = ([], [])
        commanded = commanded.mapValues(\.withoutWhatMayBeOld)
        lastContact = nil
    }

    /// Whether the device has ever synchronized with the server it is enrolled with.
    package var hasSynchronised: Bool { declarations.token != nil }

    /// Takes the name of the machine, unless a server may know the device by the name that it has.
    mutating func takeName(_ name: String) {
        guard (enrollment?.stage ?? .hasProfile) < .isAuthenticated else { return }
        udid = name
    }

    /// Holds `new` from now on, and has every system bring what else is remembered for it in line with that.
    package mutating func hold(_ new: Applied) {
        let previous = applied
        applied = new
        for system in DeviceSystems.all { system.follow(previous, in: &self) }
    }

    /// Forgets the enrollment and all that came with it; apps keep running and hear that they are not managed.
    ///
    /// What systems have in effect stays on record until it is taken back.
    package mutating func unenroll() {
        // Before anything is judged by it: what commands manage leaves, or stays, as they said.
        releaseCommanded()
        hold(Applied())
        let (running, installed, leaving, effects) = (launches, self.installed, self.leaving, self.effects)
        self = AgentState(udid: udid)
        (launches, self.installed, self.leaving, self.effects) = (running, installed, leaving, effects)
    }
}

/// How this device came to its server, and as whom it speaks.
package struct Enrollment: Codable, Equatable, Sendable {
    /// How far it has come; each step is on the disk before the next begins.
    package enum Stage: Int, Codable, Sendable, Comparable {
        case hasProfile, hasCertificate, isAuthenticated, isComplete

        package static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
    }

    /// Where it was asked for, and the digest of the code: the same again continues, another does not.
    package let origin: String
    package let codeDigest: String

    /// The certificates by which the server was known at enrollment; nobody else is trusted before or after.
    package let roots: [Data]

    /// The profile as it came.
    package private(set) var profile: Data

    /// The key that was made on this device.
    package private(set) var key: KeptKey

    /// What the server wakes this device by.
    package let token: Data
    package let pushMagic: String

    package var certificate: Data?
    package var stage = Stage.hasProfile

    /// What is to take the identity's place.
    package var successor: Successor?

    /// How the device came; what was enrolled before there were several ways came by a code.
    private let way: EnrollmentKind?

    /// The name of a person's part of the device: random, new for each enrollment, and all that the server gets to know.
    package let enrollmentID: String?

    /// What an enrollment by account shows with each request.
    package private(set) var accessToken: String?

    /// Whether the person has to sign in again before the server serves this device.
    package var needsSignIn: Bool?

    /// Whether the device waits in its setup until the server says that it is configured: no app is opened before.
    package var awaitsConfiguration: Bool?

    /// Whether the authority of a profile may answer with legacy cryptography.
    let allowsLegacy: Bool?

    /// Whether the profile says that the device is supervised.
    package var supervised: Bool?

    package init(
        origin: String, codeDigest: String, roots: [Data], profile: Data, key: KeptKey, token: Data, pushMagic: String,
        kind: EnrollmentKind = .device, enrollmentID: String? = nil, accessToken: String? = nil,
        allowsLegacy: Bool? = nil
    ) {
        way = kind
        self.allowsLegacy = allowsLegacy
        self.enrollmentID = enrollmentID
        self.accessToken = accessToken
        self.origin = origin
        self.codeDigest = codeDigest
        self.roots = roots
        self.profile = profile
        self.key = key
        self.token = token
        self.pushMagic = pushMagic
    }
}

/// The ways in which a device comes to its server.
package enum EnrollmentKind: String, Codable, Sendable {
    /// By a code that an administrator made.
    case device
    /// By a person's account.
    case account
    /// By what the device is: the server expected it.
    case automated
    /// By a profile that any MDM server may have made.
    case profile
}

extension Enrollment {
    package var kind: EnrollmentKind { way ?? .device }

    /// Whether the server manages a person's part of the device and no more: it learns nothing that names the device, and
    /// takes over nothing that is there already.
    package var separatesData: Bool { enrollmentID != nil }

    /// Whether the device is the organization's altogether.
    package var isSupervised: Bool { kind == .automated || supervised == true }
}

extension Enrollment {
    /// Shows from now on what the person's new sign-in gave; whether it counts the server says.
    mutating func show(_ token: String) { accessToken = token }
}

extension AgentState {
    package var needsSignIn: Bool { enrollment?.needsSignIn == true }

    /// Whether the device waits in its setup.
    package var isInSetup: Bool { enrollment?.awaitsConfiguration == true }
}

/// The same enrollment by another identity: had from the profile that the server sent anew, kept beside the old one.
package struct Successor: Codable, Equatable, Sendable {
    /// The profile as it came.
    package let profile: Data

    /// Made on this device.
    package var key: KeptKey?
    package var certificate: Data?

    /// Whether the server has accepted it: from then on the old identity may be worth nothing.
    package var isAuthenticated = false

    package init(profile: Data) { self.profile = profile }
}

extension Enrollment {
    /// Puts the successor in the old identity's place.
    mutating func succeed() {
        guard let successor, let key = successor.key, let certificate = successor.certificate else { return }
        profile = successor.profile
        self.key = key
        self.certificate = certificate
        self.successor = nil
        forgetProfileSecrets()
    }

    /// Keeps nothing of another server's profile that only getting the identity needed.
    mutating func forgetProfileSecrets() {
        guard kind == .profile, let content = try? ProfileFile.withoutSecrets(profile) else { return }
        profile = content
    }
}

/// The declarations of the last complete sync.
package struct HeldDeclarations: Codable, Equatable, Sendable {
    package var enabled = false
    package var token: String?
    package var all: [String: Declaration] = [:]

    package init() {}
}

/// A profile that an InstallProfile command brought, as it came.
package struct InstalledProfile: Codable, Equatable, Sendable {
    package let identifier: String
    package let content: Data

    package init(identifier: String, content: Data) {
        self.identifier = identifier
        self.content = content
    }
}
