import AdminMessages
import Foundation

/// The environment variables in which an exported directory looks for the values of its secrets.
///
/// A variable has capitals, digits and underscores alone; names of secrets have more. Where the variables of two secrets
/// would be one, such as those of `wifi-guest` and `wifi.guest`, the digest of the name stands behind it: else one secret
/// would be set to the other's value.
struct SecretVariables {
    /// What stands behind the variable of the value where a user name is looked for.
    static let userName = "_USER_NAME"
    /// What stands behind the variable of a PKCS #12 file where its password is looked for.
    static let password = "_PASSWORD"

    /// The names whose variables have a digest.
    private let marked: Set<String>

    init(of secrets: [Secret]) {
        var marked: Set<String> = []
        while true {
            let shared = Self.shared(secrets, marked)
            // What has its digest already cannot be told apart any further.
            guard !shared.isSubset(of: marked) else { break }
            marked.formUnion(shared)
        }
        self.marked = marked
    }

    /// The variable of a secret's value.
    func value(of name: String) -> String { Self.value(of: name, isMarked: marked.contains(name)) }

    /// The names that have a variable in common with another one.
    private static func shared(_ secrets: [Secret], _ marked: Set<String>) -> Set<String> {
        var owners: [String: String] = [:]
        var shared: Set<String> = []
        for secret in secrets {
            let variable = Self.value(of: secret.name, isMarked: marked.contains(secret.name))
            for ending in endings(of: secret) {
                guard let other = owners.updateValue(secret.name, forKey: variable + ending), other != secret.name
                else { continue }
                shared.formUnion([other, secret.name])
            }
        }
        return shared
    }

    private static func endings(of secret: Secret) -> [String] {
        [""] + (secret.facts.hasUserName == true ? [userName] : []) + (secret.kind == .pkcs12 ? [password] : [])
    }

    private static func value(of name: String, isMarked: Bool) -> String {
        let word = String(name.uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
        let digest = isMarked ? "_" + FleetFacts.text(of: Data(name.utf8)).prefix(16).uppercased() : ""
        return "MARTLET_SECRET_\(word)\(digest)"
    }
}
