package import Foundation

/// What a device gets, and why. `GET /devices/{device}/effective`
package struct DeviceEffective: Codable, Hashable, Sendable {
    package var device: String
    package var name: String?
    /// The user name of the person whose device it is.
    package var person: String?
    /// It was asked what the device would get if it were in these groups.
    package var hypothetical: Bool
    package var groups: [EffectiveGroup]
    package var apps: [EffectiveApp]
    /// What is assigned to the device beside apps, by kind and name.
    package var settings: [EffectiveSetting]
    /// The apps that it has by command, beside what is assigned; nothing where there are none.
    package var commanded: [EffectiveCommandedApp]?

    package init(
        device: String, name: String? = nil, person: String? = nil, hypothetical: Bool, groups: [EffectiveGroup],
        apps: [EffectiveApp], settings: [EffectiveSetting] = [], commanded: [EffectiveCommandedApp]? = nil
    ) {
        self.device = device
        self.name = name
        self.person = person
        self.hypothetical = hypothetical
        self.groups = groups
        self.apps = apps
        self.settings = settings
        self.commanded = commanded
    }
}

/// An app that the device has by command: what its groups give changes nothing of it, unless they give the same app.
package struct EffectiveCommandedApp: Codable, Hashable, Sendable {
    package var identifier: String
    package var name: String
    package var version: String?
    /// The protocol's word, as of other apps.
    package var state: String?
    /// Whether a command has given it a configuration.
    package var hasConfiguration: Bool
    package var hasFeedback: Bool
    package var reasons: [Reason]

    package init(
        identifier: String, name: String, version: String? = nil, state: String? = nil, hasConfiguration: Bool,
        hasFeedback: Bool, reasons: [Reason] = []
    ) {
        self.identifier = identifier
        self.name = name
        self.version = version
        self.state = state
        self.hasConfiguration = hasConfiguration
        self.hasFeedback = hasFeedback
        self.reasons = reasons
    }
}

/// A group of the device, and why it is in it.
package struct EffectiveGroup: Codable, Hashable, Sendable {
    package var name: String
    /// Nothing where devices are put into it by hand, or by how they enrolled.
    package var rule: String?
    /// The conditions of the rule, with what was found of the device.
    package var conditions: [EffectiveCondition]?

    package init(name: String, rule: String? = nil, conditions: [EffectiveCondition]? = nil) {
        self.name = name
        self.rule = rule
        self.conditions = conditions
    }
}

/// A condition of a group's rule, and what it came to.
package struct EffectiveCondition: Codable, Hashable, Sendable {
    package var condition: String
    /// Nothing where the device has not said it.
    package var found: String?
    package var holds: Bool

    package init(condition: String, found: String? = nil, holds: Bool) {
        self.condition = condition
        self.found = found
        self.holds = holds
    }
}

/// An app that is assigned to the device, and what of it the device gets.
package struct EffectiveApp: Codable, Hashable, Sendable {
    package var identifier: String
    package var name: String
    /// Not when the app itself is kept from the device; `withheld` says why.
    package var given: Bool
    /// By the device's newest report, as in `DeviceApp`; nothing where other groups than the device's own were asked about.
    package var standing: AppStanding?
    /// `required` or `optional`.
    package var install: String
    /// Where the device gets the app; nothing where it is taken over where it is, or not given.
    package var source: EffectiveSource?
    package var configuration: EffectiveConfiguration?
    /// As what the app gets it, a word of `Delivery`; nothing where it is by the framework.
    package var delivery: String?
    package var extensions: [EffectiveExtension]
    package var secrets: [EffectiveSecret]
    /// All assignments of the app to the device's groups, the one that counts first.
    package var assignments: [EffectiveAssignment]
    package var variables: [EffectiveVariable]
    /// What is kept from the device, and why.
    package var withheld: [Reason]

    package init(
        identifier: String, name: String, given: Bool, standing: AppStanding? = nil, install: String,
        source: EffectiveSource? = nil, configuration: EffectiveConfiguration? = nil, delivery: String? = nil,
        extensions: [EffectiveExtension] = [], secrets: [EffectiveSecret] = [], assignments: [EffectiveAssignment],
        variables: [EffectiveVariable] = [], withheld: [Reason] = []
    ) {
        self.identifier = identifier
        self.name = name
        self.given = given
        self.standing = standing
        self.install = install
        self.source = source
        self.configuration = configuration
        self.delivery = delivery
        self.extensions = extensions
        self.secrets = secrets
        self.assignments = assignments
        self.variables = variables
        self.withheld = withheld
    }
}

/// Which of an app's sources a device gets it from.
package struct EffectiveSource: Codable, Hashable, Sendable {
    package var platform: String
    package var origin: String

    package init(platform: String, origin: String) {
        self.platform = platform
        self.origin = origin
    }
}

/// A configuration in its present version.
package struct EffectiveConfiguration: Codable, Hashable, Sendable {
    package var name: String
    package var version: Int?

    package init(name: String, version: Int?) {
        self.name = name
        self.version = version
    }
}

/// The configuration of an extension.
package struct EffectiveExtension: Codable, Hashable, Sendable {
    /// The extension's bundle identifier.
    package var identifier: String
    package var configuration: EffectiveConfiguration

    package init(identifier: String, configuration: EffectiveConfiguration) {
        self.identifier = identifier
        self.configuration = configuration
    }
}

/// A secret that the app, or one of its extensions, finds; never its value.
package struct EffectiveSecret: Codable, Hashable, Sendable {
    package var `extension`: String?
    package var kind: AppSecretKind
    package var identifier: String
    package var secret: String
    package var version: Int?
    /// The value is this device's own.
    package var own: Bool
    /// The person whose value it is, by user name.
    package var person: String?
    /// The group to which it is assigned.
    package var group: String
    /// The value was forgotten with its master key: a device that has it keeps it, and another one gets none.
    package var lacksValue: Bool?
    /// The device reports that the app does not have it, or not in this version: it trusts the app too little, for example.
    package var missing: Bool?

    package init(
        extension: String? = nil, kind: AppSecretKind, identifier: String, secret: String, version: Int? = nil,
        own: Bool, person: String? = nil, group: String, lacksValue: Bool? = nil, missing: Bool? = nil
    ) {
        self.missing = missing
        self.lacksValue = lacksValue
        self.extension = `extension`
        self.kind = kind
        self.identifier = identifier
        self.secret = secret
        self.version = version
        self.own = own
        self.person = person
        self.group = group
    }
}

/// One of the assignments of the app to the device's groups.
package struct EffectiveAssignment: Codable, Hashable, Sendable {
    package var group: String
    package var configuration: EffectiveConfiguration?
    package var install: String?
    package var priority: Int
    package var assigned: Date
    /// It is the one that counts.
    package var counts: Bool
    /// Why, or why not.
    package var why: String

    package init(
        group: String, configuration: EffectiveConfiguration? = nil, install: String? = nil, priority: Int,
        assigned: Date, counts: Bool, why: String
    ) {
        self.group = group
        self.configuration = configuration
        self.install = install
        self.priority = priority
        self.assigned = assigned
        self.counts = counts
        self.why = why
    }
}

/// A variable in what the app gets.
package struct EffectiveVariable: Codable, Hashable, Sendable {
    package var name: String
    /// Nothing where the device has none.
    package var value: String?
    /// `device`, as it said when it enrolled, or `person`.
    package var from: String
    /// Where it stands: `configuration`, an extension's bundle identifier, or `secret:` and the secret's name.
    package var uses: [String]

    package init(name: String, value: String? = nil, from: String, uses: [String]) {
        self.name = name
        self.value = value
        self.from = from
        self.uses = uses
    }
}
