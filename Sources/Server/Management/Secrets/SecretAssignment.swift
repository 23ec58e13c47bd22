package import Foundation
import InputBounds

/// What an app asks the device for: the kind of a secret on the app's side.
package enum AppSecretKind: String, Sendable, Codable, CaseIterable {
    case password
    case certificate
    case identity

    /// Whether a secret of this kind answers such a question.
    package func takes(_ kind: Secret.Kind) -> Bool {
        switch self {
        case .password: kind == .password
        case .certificate: kind == .certificate
        case .identity: kind == .pkcs12 || kind == .scep || kind == .acme
        }
    }
}

/// The place where an app, or an extension of it, finds a secret: the identifier its developer chose.
package struct SecretSlot: Sendable, Hashable {
    package let group: String
    package let app: String
    /// The bundle identifier of an extension; nothing for the app itself.
    package let `extension`: String?
    package let kind: AppSecretKind
    package let identifier: String

    package init(group: String, app: String, extension: String? = nil, kind: AppSecretKind, identifier: String) {
        self.group = group
        self.app = app
        self.extension = `extension`
        self.kind = kind
        self.identifier = identifier
    }

    /// The first rule the place breaks, if it breaks one.
    package var refusal: AdminRefusal? {
        if let `extension`, !App.isReverseDNS(`extension`) {
            return .invalid(rule: "An extension is named by its bundle identifier.")
        }
        return NameRule(.composed, upTo: 256).brokenRule(by: identifier).map {
            .invalid(rule: "A secret's identifier \($0).")
        }
    }
}

/// A secret in its place.
///
/// When several groups of one device fill the same place of an app, the assignment made last counts.
package struct SecretAssignment: Sendable, Equatable {
    package let slot: SecretSlot
    package let secret: String
    package let assigned: Date
    /// Grows with every assignment made: the order that decides.
    package let order: Int

    package init(slot: SecretSlot, secret: String, assigned: Date, order: Int) {
        self.slot = slot
        self.secret = secret
        self.assigned = assigned
        self.order = order
    }
}

/// Which assignments of secrets are asked for.
package struct SecretAssignmentFilter: Sendable {
    package let group: String?
    package let app: String?
    package let secret: String?

    package init(group: String? = nil, app: String? = nil, secret: String? = nil) {
        self.group = group
        self.app = app
        self.secret = secret
    }
}
