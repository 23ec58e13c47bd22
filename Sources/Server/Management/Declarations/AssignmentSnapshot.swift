package import DeviceMessages
package import Foundation

/// All that the manifest of a set of groups depends on, read at one moment.
package struct AssignmentSnapshot: Sendable, Equatable {
    /// An assignment with what it refers to.
    package struct Entry: Sendable, Equatable {
        /// The group that has the assignment.
        package let group: String
        package let app: App
        package var configuration: ConfigurationReference?
        /// The same of its extensions, by their bundle identifiers.
        package var extensions: [String: ConfigurationReference]
        /// The greatest counts.
        package let rank: AssignmentRank
        /// Whether devices must have the app or their users may; nothing leaves it to the source.
        package let install: AppSource.Install?
        /// The secrets that the group gives the app.
        package var secrets: [SecretReference]
        /// Where devices get the app; none where it is taken over as it is.
        package let sources: [AppSource]
        /// How far a device must trust the app before it gives it a secret.
        package let lowestTrust: AppTrust
        /// As what the app gets its configuration.
        package let delivery: Assignment.Delivery

        package init(
            group: String = "", app: App, configuration: ConfigurationReference?,
            extensions: [String: ConfigurationReference] = [:], priority: Int = 0, order: Int,
            install: AppSource.Install? = nil, secrets: [SecretReference] = [], sources: [AppSource] = [],
            lowestTrust: AppTrust = .launched, delivery: Assignment.Delivery = .framework
        ) {
            self.group = group
            self.app = app
            self.configuration = configuration
            self.extensions = extensions
            rank = AssignmentRank(priority: priority, order: order)
            self.install = install
            self.secrets = secrets
            self.sources = sources
            self.lowestTrust = lowestTrust
            self.delivery = delivery
        }
    }

    /// A place where an app finds a secret, and the present version of what is there.
    package struct SecretReference: Sendable, Equatable {
        /// What the developer of an app can name.
        package struct Place: Sendable, Hashable {
            package let `extension`: String?
            package let kind: AppSecretKind
            package let identifier: String

            package init(extension: String?, kind: AppSecretKind, identifier: String) {
                self.extension = `extension`
                self.kind = kind
                self.identifier = identifier
            }
        }

        package let place: Place
        package let secret: String
        package let kind: Secret.Kind
        /// Nothing when only single devices or people have a value.
        package let version: Int?
        /// The variables in what may be shown of it, such as a user name or a subject, for devices without a value of
        /// their own.
        package let variables: [String]
        /// The same, in any of its values.
        package let allVariables: [String]
        /// Single devices or people have a value of their own.
        package let hasOwnValues: Bool
        /// Single devices lost an identity by it.
        package let wasLost: Bool
        /// Digest and size of what is downloaded; only of certificates, which are no use to a guesser (D5).
        package let sha256: String?
        package let size: Int?
        /// Of several secrets in one place, the one counts whose app's assignment has the highest priority, and where that
        /// does not decide, the one assigned last.
        package let order: Int
        /// Its value was forgotten with its master key: devices that have it keep it, and others get none.
        package let lacksValue: Bool

        package init(
            place: Place, secret: String, kind: Secret.Kind, version: Int?, variables: [String] = [],
            allVariables: [String]? = nil, hasOwnValues: Bool = false, wasLost: Bool = false, sha256: String? = nil,
            size: Int? = nil, order: Int, lacksValue: Bool = false
        ) {
            self.lacksValue = lacksValue
            self.place = place
            self.secret = secret
            self.kind = kind
            self.version = version
            self.variables = variables
            self.allVariables = allVariables ?? variables
            self.hasOwnValues = hasOwnValues
            self.wasLost = wasLost
            self.sha256 = sha256
            self.size = size
            self.order = order
        }

        /// The same place with the value that one device has of its own, or of its person's.
        func own(_ own: OwnSecret) -> SecretReference {
            SecretReference(
                place: place, secret: secret, kind: kind, version: own.version, variables: own.variables,
                hasOwnValues: true, wasLost: wasLost, order: order, lacksValue: own.lacksValue)
        }
    }

    /// The present bytes of a configuration, by digest.
    package struct ConfigurationReference: Sendable, Equatable {
        package let sha256: String
        package let size: Int
        package let encoding: PropertyListEncoding
        /// The variables it uses; nothing when devices get it as it is.
        package let variables: [String]?

        package init(sha256: String, size: Int, encoding: PropertyListEncoding, variables: [String]? = nil) {
            self.sha256 = sha256
            self.size = size
            self.encoding = encoding
            self.variables = variables
        }
    }

    package let entries: [Entry]
    /// The last change of anything assigned to any of the groups.
    package let changed: Date
    /// The certificates by which the fleet trusts packages, in DER and always in the same order.
    package let teams: [Data]
    /// What the last restore of the store began; nothing before the first.
    package let era: String?
    /// The assignments of settings, with what they refer to.
    package var settings: [AssignedSetting]

    package init(
        entries: [Entry], settings: [AssignedSetting] = [], changed: Date, teams: [Data] = [], era: String? = nil
    ) {
        self.entries = entries
        self.settings = settings
        self.changed = changed
        self.teams = teams
        self.era = era
    }

    /// One entry for each app, in the order of bundle identifiers: of several, the one whose rank is the greatest.
    ///
    /// Secrets add up over all of an app's assignments, place by place.
    package var effective: [Entry] {
        var latest: [String: Entry] = [:]
        var secrets: [String: [SecretReference.Place: (rank: AssignmentRank, secret: SecretReference)]] = [:]
        for entry in entries {
            for secret in entry.secrets {
                let rank = AssignmentRank(priority: entry.rank.priority, order: secret.order)
                let other = secrets[entry.app.bundleIdentifier]?[secret.place]
                if other.map({ $0.rank < rank }) ?? true {
                    secrets[entry.app.bundleIdentifier, default: [:]][secret.place] = (rank, secret)
                }
            }
            if let other = latest[entry.app.bundleIdentifier], other.rank > entry.rank { continue }
            latest[entry.app.bundleIdentifier] = entry
        }
        return latest.values.sorted {
            $0.app.bundleIdentifier.utf8.lexicographicallyPrecedes($1.app.bundleIdentifier.utf8)
        }.map { entry in
            var entry = entry
            entry.secrets = (secrets[entry.app.bundleIdentifier] ?? [:]).values.map(\.secret).sorted {
                $0.place.text.lexicographicallyPrecedes($1.place.text)
            }
            return entry
        }
    }
}

extension AssignmentSnapshot.Entry {
    /// The app's and those of its extensions.
    var configurations: [AssignmentSnapshot.ConfigurationReference] {
        (configuration.map { [$0] } ?? []) + extensions.values
    }

    /// What of a device's own the entry depends on.
    package var needs: ManifestNeeds {
        var needs = ManifestNeeds()
        for variables in configurations.compactMap(\.variables) {
            needs.hasTemplates = true
            needs.variables.formUnion(variables)
        }
        for secret in secrets {
            for name in secret.allVariables {
                if DeviceVariables.isFixed(name) {
                    needs.presences.insert(name)
                } else {
                    needs.variables.insert(name)
                }
            }
            // A secret without any value is given to nobody: that, too, depends on the device.
            if secret.hasOwnValues || secret.wasLost || secret.version == nil { needs.secrets.insert(secret.secret) }
        }
        return needs
    }
}

extension AssignmentSnapshot.SecretReference.Place {
    /// Bytes that no other place of the app has, for sorting and naming.
    var text: Data {
        var text = Data()
        for part in [`extension` ?? "", kind.rawValue, identifier] {
            text += Data("\(part.utf8.count):\(part)".utf8)
        }
        return text
    }
}
