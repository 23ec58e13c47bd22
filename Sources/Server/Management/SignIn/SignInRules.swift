package import Foundation
import InputBounds

/// A person at the organization's sign-in: a subject always means the same person, whatever their name.
package struct ExternalIdentity: Sendable, Equatable {
    package let issuer: String
    package let subject: String

    package init(issuer: String, subject: String) {
        self.issuer = issuer
        self.subject = subject
    }
}

/// Somebody whom the provider vouches for, and what the rules make of what it says of them.
package struct SignInCandidate: Sendable, Equatable {
    package let identity: ExternalIdentity
    /// What they would be called here, composed as every name here is; nothing where the provider gives no name.
    package let name: String?
    /// What the rules give them.
    package let rights: Rights?
    /// What was found for the name, and for the rules: a refusal says it.
    package let nameFound: String
    package let rightsFound: String
}

/// The rules that give rights to people who sign in at a provider, by their claims.
///
/// The first rule that matches decides; a person whom no rule matches is refused.
package struct SignInRules: Sendable, Equatable {
    private static let most = 1_000
    /// How many claims a refusal tells of.
    private static let mostShown = 8
    private static let members: Set = ["claim", "is", "role", "apps", "groups"]

    private struct Rule: Sendable, Equatable {
        let claim: String
        let text: String
        let rights: Rights
    }

    /// The claim by which people are called here.
    package let nameClaim: String
    private let rules: [Rule]

    /// Reads `{"name": "email", "rules": [{"claim": "groups", "is": "fleet", "role": "administrator"}, …]}`.
    package init(parsing file: Data) throws(InvalidSignInRules) {
        guard let value = try? JSONValue(parsing: file, limits: .adminBody), let object = value.object,
            Set(object.keys).isSubset(of: ["name", "rules"]), let entries = object["rules"]?.array,
            (1...Self.most).contains(entries.count)
        else { throw .shape }
        guard object["name"] == nil || object["name"]?.string?.isEmpty == false else { throw .shape }
        nameClaim = object["name"]?.string ?? "email"
        var rules: [Rule] = []
        for (index, entry) in entries.enumerated() {
            guard let members = entry.object, Set(members.keys).isSubset(of: Self.members),
                let claim = members["claim"]?.string, let text = members["is"]?.string, !claim.isEmpty, !text.isEmpty,
                let role = members["role"]?.string.flatMap(Role.init(rawValue:)),
                let apps = Self.names(members["apps"]), let groups = Self.names(members["groups"])
            else { throw .rule(index + 1) }
            let rights = Rights(role: role, apps: apps, groups: groups)
            guard rights.refusal == nil else { throw .rule(index + 1) }
            rules.append(Rule(claim: claim, text: text, rights: rights))
        }
        self.rules = rules
    }

    /// The rights of a person with these claims; a claim matches a rule if the bytes are equal.
    package func rights(_ texts: (String) -> [String]) -> Rights? {
        rules.first { rule in texts(rule.claim).contains { $0.utf8.elementsEqual(rule.text.utf8) } }?.rights
    }

    /// Whether what is known of somebody leaves open what they are called or may do, as a claim is missing for it.
    ///
    /// The first rule that fits decides, so that claims of later ones are not needed. `known` has the texts of a claim, or
    /// nothing where it is missing.
    package func isUndecided(_ known: (String) -> [String]?) -> Bool {
        guard known(nameClaim) != nil else { return true }
        for rule in rules {
            guard let texts = known(rule.claim) else { return true }
            if texts.contains(where: { $0.utf8.elementsEqual(rule.text.utf8) }) { return false }
        }
        return false
    }

    /// Judges the claims of a person: `texts` has the values of a claim, `description` what was found under its name,
    /// as in “groups” is missing.
    package func judge(
        _ identity: ExternalIdentity, texts: (String) -> [String], description: (String) -> String
    ) -> SignInCandidate {
        var claims: [String] = []
        for rule in rules where !claims.contains(rule.claim) { claims.append(rule.claim) }
        let shown = claims.prefix(Self.mostShown).map(description).joined(separator: ", ")
        return SignInCandidate(
            identity: identity, name: texts(nameClaim).first?.precomposedStringWithCanonicalMapping,
            rights: rights(texts), nameFound: description(nameClaim),
            rightsFound: claims.count > Self.mostShown ? shown + " …" : shown)
    }

    private static func names(_ value: JSONValue?) -> [String]? {
        guard let value else { return [] }
        guard let array = value.array else { return nil }
        let names = array.compactMap(\.string)
        return names.count == array.count ? names : nil
    }
}

/// Why a file of rules is none.
package enum InvalidSignInRules: Error, Sendable, Equatable {
    case shape
    /// The rule of this number, from one.
    case rule(Int)

    package var reason: String {
        switch self {
        case .shape: "It is a JSON object with 1 to 1000 “rules”, and perhaps the claim that is the “name”."
        case .rule(let number):
            "Rule \(number) has a “claim”, what it “is”, a “role”, and of an app-owner “apps” and “groups”."
        }
    }
}
