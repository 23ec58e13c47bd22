/// What devices of a set of groups have of a secret.
package enum SecretStanding: Sendable, Equatable {
    /// Some app finds it.
    case given
    /// It is assigned to one of the groups, but another secret, assigned later, is found in each of its places.
    case covered
    /// It is assigned to none of them.
    case absent
}

extension AssignmentSnapshot {
    /// The standing of every secret that is assigned to any of the groups; of all others it is `absent`.
    ///
    /// A device that has an identity by a secret whose standing is not `given` has lost it: that is the whole rule.
    package var standings: [String: SecretStanding] {
        var standings: [String: SecretStanding] = [:]
        for secret in entries.flatMap(\.secrets) { standings[secret.secret] = .covered }
        for secret in effective.flatMap(\.secrets) { standings[secret.secret] = .given }
        return standings
    }
}
