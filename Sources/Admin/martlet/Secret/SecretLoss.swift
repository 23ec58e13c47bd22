package import AdminMessages

/// The parts of a secret that a new version would lose, because the command does not set them.
///
/// A secret's value never leaves the server, so the tool cannot keep those parts. It names them instead.
package enum SecretLoss {
    /// The options that name what is there and would go, in the order of the help.
    package static func options(of present: Secret, by request: SecretRequest) -> [String] {
        let facts = present.facts
        let isIssuedElsewhere = facts.authority.map { $0 != "own" } ?? false
        switch request {
        // A password is what is meant where no kind is named.
        case .password where present.kind != .password: return ["--\(Printable.line(present.kind.rawValue))"]
        case .password(let password) where present.kind == .password:
            return facts.hasUserName == true && password.userName == nil ? ["--user-name"] : []
        case .scep(let scep) where present.kind == .scep:
            return isIssuedElsewhere && scep.url == nil ? ["--url"] : []
        case .acme(let acme) where present.kind == .acme:
            return [
                ("--url", isIssuedElsewhere && acme.directoryURL == nil),
                ("--hardware-bound", facts.hardwareBound == true && acme.hardwareBound != true),
                ("--attest", facts.attest == true && acme.attest != true),
            ].filter(\.1).map(\.0)
        default: return []
        }
    }

    /// The refusal, where something would go.
    package static func failure(of present: Secret, by request: SecretRequest) -> Failure? {
        let options = options(of: present, by: request)
        guard !options.isEmpty else { return nil }
        let names = options.joined(separator: ", ")
        return Failure(
            .refused, "version \(present.version) has what this one would be without: \(names)",
            advice: "Nothing was changed. Give it again, or say --replace to set the secret without it.")
    }
}
