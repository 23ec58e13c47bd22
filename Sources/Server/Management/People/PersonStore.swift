package import Foundation

/// A device that a change of a person or of a value concerns: only its own manifest can be another now.
package struct ConcernedDevice: Sendable, Equatable {
    package let key: String
    package let groups: [String]

    package init(key: String, groups: [String]) {
        self.key = key
        self.groups = groups
    }
}

/// What became of people that were set.
package struct PeopleChange: Sendable, Equatable {
    /// One person that is another now, and whose devices that concerns.
    package struct Changed: Sendable, Equatable {
        package let old: Person
        package let new: Person
        package let devices: [ConcernedDevice]

        package init(old: Person, new: Person, devices: [ConcernedDevice]) {
            self.old = old
            self.new = new
            self.devices = devices
        }
    }

    package var added = 0
    package var unchanged = 0
    package var changed: [Changed] = []

    package init() {}

    mutating func add(_ other: PeopleChange) {
        added += other.added
        unchanged += other.unchanged
        changed += other.changed
    }
}

/// Which person an administrator believes to be there.
package enum ExpectedPerson: Sendable, Equatable {
    case any
    case absent
    case present(KeptPerson)

    /// Whether the belief holds.
    package func holds(for current: KeptPerson?) -> Bool {
        switch self {
        case .any: true
        case .absent: current == nil
        case .present(let person): current == person
        }
    }
}

/// The store failed while a table was being set: so many people from its beginning were kept.
package struct PartlyImported: Error, Sendable, Equatable {
    package let kept: Int
    package let of: Int

    package init(kept: Int, of: Int) {
        self.kept = kept
        self.of = of
    }
}

/// That a device, or the person who has it, has a value of a secret of their own.
package struct OwnSecret: Sendable, Equatable {
    package let owner: SecretOwner
    package let version: Int
    /// The variables in it.
    package let variables: [String]
    /// It was forgotten with its master key.
    package let lacksValue: Bool

    package init(owner: SecretOwner, version: Int, variables: [String] = [], lacksValue: Bool = false) {
        self.lacksValue = lacksValue
        self.owner = owner
        self.version = version
        self.variables = variables
    }

    /// The person whose value it is; nothing when it is the device's.
    package var person: String? { owner.kind == .person ? owner.name : nil }
}

/// Where a device's variables and its own values come from, read at one moment.
package struct ValueSources: Sendable, Equatable {
    package let device: String
    package let facts: DeviceFacts
    package let person: Person?
    /// What administrators say of the device.
    package let attributes: AttributeSet
    /// Of the secrets asked for, those that have a value of this device's own, or of its person's.
    package let secrets: [String: OwnSecret]
    /// Of the secrets asked for, how often the device lost them while it stayed enrolled.
    package let losses: [String: Int]
    /// When any of it was last changed by an administrator.
    package let changed: Date?

    package init(
        device: String, facts: DeviceFacts, person: Person?, attributes: AttributeSet = AttributeSet(),
        secrets: [String: OwnSecret], losses: [String: Int] = [:], changed: Date? = nil
    ) {
        self.device = device
        self.facts = facts
        self.person = person
        self.attributes = attributes
        self.secrets = secrets
        self.losses = losses
        self.changed = changed
    }
}

/// People, as a store keeps them.
package protocol PersonStore: Sendable {
    /// Adds those who are new and amends those who are there, all or none; with `dryRun`, only says what it would do.
    func putPeople(_ people: [PersonAmendment], dryRun: Bool, author: String, now: Date) async throws -> PeopleChange
    /// Adds or changes one, if what is there is what is expected.
    func putPerson(
        _ person: Person, expected: ExpectedPerson, author: String, now: Date
    ) async throws -> Outcome<PeopleChange, AdminRefusal>
    func person(_ userName: String) async throws -> KeptPerson?
    /// By user name, without their devices.
    func people(_ page: PageRequest) async throws -> Page<KeptPerson>
    /// Removes a person who has no device.
    func removePerson(
        _ userName: String, expected: ExpectedPerson, author: String, now: Date
    ) async throws -> AdminRefusal?
    /// Assigns a device to a person, or to none.
    func setPerson(
        _ userName: String?, ofDevice device: String, author: String, now: Date
    ) async throws -> AdminRefusal?
    func valueSources(of device: String, secrets: [String]) async throws -> ValueSources?
}
