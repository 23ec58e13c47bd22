/// The one device, or the one person, for whom a value of a secret is.
package enum SecretOwner: Sendable, Hashable {
    /// By its serial number, or its ID if it has none.
    case device(String)
    /// By the user name: the value is for all devices of the person.
    case person(String)

    /// Whether values differ by device or by person.
    package enum Kind: String, Sendable {
        case device
        case person
    }

    package init(_ kind: Kind, named name: String) {
        switch kind {
        case .device: self = .device(name)
        case .person: self = .person(name)
        }
    }

    package var kind: Kind {
        switch self {
        case .device: .device
        case .person: .person
        }
    }

    package var name: String {
        switch self {
        case .device(let name), .person(let name): name
        }
    }
}

/// The values of one secret that are meant for a device: its own, its person's, and the one for all.
package struct SecretChoice<Value: Sendable>: Sendable {
    package var device: Value?
    package var person: Value?
    package var common: Value?

    package init(device: Value? = nil, person: Value? = nil, common: Value? = nil) {
        self.device = device
        self.person = person
        self.common = common
    }

    /// The one that the device gets: its own counts before its person's, and that before the one for all.
    package var effective: Value? { device ?? person ?? common }

    /// Puts a value in its place.
    package mutating func add(_ value: Value, of owner: SecretOwner.Kind) {
        switch owner {
        case .device: device = value
        case .person: person = value
        }
    }
}

/// Why values were not written: one is for a person whom the server does not know.
package struct UnknownSecretOwner: Error, Sendable, Equatable {
    package let userName: String

    package init(userName: String) {
        self.userName = userName
    }
}
