package import AdminMessages
import Foundation

/// A secret as people read it: what it is, which apps may use it, and which devices got it.
package struct SecretText: Sendable {
    private let secret: Secret
    private let assignments: [SecretAssignment]
    private let releases: [AuditEntry]
    private let certificates: [AuditEntry]

    package init(
        _ secret: Secret, _ assignments: [SecretAssignment], _ releases: [AuditEntry], certificates: [AuditEntry] = []
    ) {
        self.certificates = certificates
        self.secret = secret
        self.assignments = assignments
        self.releases = releases
    }

    package func text(bold: Bool = false, within columns: Int? = nil) -> String {
        var parts = [facts]
        if assignments.isEmpty {
            parts.append("No app uses it. " + Self.nextStep(with: secret.name))
        } else {
            parts.append(Self.table(assignments).text(bold: bold, within: columns))
        }
        if !releases.isEmpty {
            var table = Table("GIVEN TO", "VERSION", "AT")
            for release in releases {
                table.add(release.actor, release.details["version"].map(DeviceText.text), release.time.shown)
            }
            parts.append(table.text(bold: bold, within: columns))
        }
        if !certificates.isEmpty {
            var table = Table("CERTIFIED", "VERSION", "SERIAL", "UNTIL")
            for certificate in certificates {
                let details = certificate.details
                table.add(
                    certificate.actor, details["version"].map(DeviceText.text), details["serial"].map(DeviceText.text),
                    details["expires"].flatMap { AuditEntry.moment($0, of: "expires") }?.shown)
            }
            parts.append(table.text(bold: bold, within: columns))
        }
        return parts.joined(separator: "\n\n")
    }

    private var facts: String {
        var facts = Facts()
        facts.add("secret", secret.name)
        facts.add("kind", secret.kind.rawValue)
        facts.add("version", "\(secret.version)")
        facts.add("set", secret.created.shown)
        facts.add("by", secret.author)
        if secret.lacksValue == true { facts.add("value", Self.lack) }
        if secret.revoking == true { facts.add("revoking", "certificates of devices that it was taken from") }
        for (name, value) in Self.lines(of: secret.facts) { facts.add(name, value) }
        return facts.text
    }

    /// What is known of a value, name by name.
    private static func lines(of facts: SecretFacts) -> [(String, String?)] {
        let key = [facts.keyType, facts.keySize.map(String.init)].compactMap { $0 }.joined(separator: " ")
        let notes = [
            key, facts.hardwareBound == true ? "bound to hardware" : "", facts.attest == true ? "attested" : "",
        ]
        return [
            ("user name", facts.hasUserName.map { $0 ? "set" : "none" }),
            ("variables", facts.variables.map { $0.map { "${\($0)}" }.joined(separator: ", ") }),
            ("device values", facts.deviceValues.map { "\($0)" }),
            ("person values", facts.personValues.map { "\($0)" }), ("subject", facts.subject),
            ("expires", facts.expires?.shown), ("fingerprint", facts.fingerprint.map { "SHA-256 \($0)" }),
            ("authority", facts.authority == "own" ? "this server's own" : facts.authority),
            ("key", notes.filter { !$0.isEmpty }.joined(separator: ", ")), ("marker", facts.marker),
        ]
    }

    /// What tells versions apart, on one line.
    static func note(on facts: SecretFacts) -> String? {
        let parts = [facts.subject, facts.fingerprint.map { "SHA-256 \($0.prefix(16))" }, facts.authority]
        let note = parts.compactMap { $0 }.joined(separator: ", ")
        return note.isEmpty ? nil : note
    }

    /// What is said of a secret whose value was forgotten with its master key.
    static let lack = "has no value: set it again"

    /// Secrets in a table; one with no value says so.
    package static func list(_ secrets: [Secret]) -> Table {
        var table = Table("SECRET", "KIND", "VERSION", "SET", "BY", "EXPIRES", "VALUE")
        for secret in secrets {
            table.add(
                secret.name, secret.kind.rawValue, "\(secret.version)", secret.created.shown, secret.author,
                secret.facts.expires?.shown, secret.lacksValue == true ? lack : "set")
        }
        return table
    }

    /// Secret assignments in a table.
    package static func table(_ assignments: [SecretAssignment]) -> Table {
        var table = Table("GROUP", "APP", "EXTENSION", "AS", "IDENTIFIER", "SECRET")
        for item in assignments {
            table.add(item.group, item.app, item.extension, item.kind.rawValue, item.identifier, item.secret)
        }
        return table
    }

    /// What became of a secret that was set.
    package static func sentence(about secret: Secret) -> String {
        let name = Printable.line(secret.name)
        var text = "Version \(secret.version) of \(name), a secret of the kind \(Printable.line(secret.kind.rawValue))."
        if let expires = secret.facts.expires { text += " It ends at \(expires.shown)." }
        return secret.version == 1 ? text + "\n" + nextStep(with: secret.name) : text
    }

    private static func nextStep(with name: String) -> String {
        "Give it to an app: martlet secret assign <group> <app> --identifier <id> --secret \(Printable.line(name))"
    }
}
