import InputBounds

/// What a provider says of a person, claim by claim: in the identity token, and at its user info endpoint.
package struct PersonClaims: Sendable, Equatable {
    /// What there is under a claim's name.
    package enum Finding: Sendable, Equatable {
        /// One text, or each of a list.
        case texts([String])
        case missing
        /// A list that was too long for the token: the provider names a place for it (OpenID Connect Core 5.6.2).
        case elsewhere
        /// An address of which the provider does not say whether it is the person's.
        case verificationMissing
        /// An address that nobody looked at: it is whatever the person wrote.
        case notVerified
        /// A value that is neither a text nor a list of texts, by its kind.
        case unsuitable(String)
    }

    /// The one that counts more first.
    private let sources: [JSONValue]

    init(_ sources: [JSONValue]) { self.sources = sources }

    /// The same claims with those of another source, which count where these have none.
    func completed(by source: JSONValue) -> PersonClaims { PersonClaims(sources + [source]) }

    /// What there is under a claim's name, in the first source that has texts.
    package func finding(of claim: String) -> Finding {
        let findings = sources.map { Self.finding(of: claim, in: $0) }
        let withTexts = findings.first { if case .texts = $0 { true } else { false } }
        return withTexts ?? findings.first { $0 != .missing } ?? .missing
    }

    /// The texts of a claim; none where it does not count.
    package func texts(of claim: String) -> [String] {
        if case .texts(let texts) = finding(of: claim) { texts } else { [] }
    }

    /// The texts of a claim; nothing where another source may still have it.
    package func known(_ claim: String) -> [String]? {
        switch finding(of: claim) {
        case .texts(let texts): texts
        case .missing, .elsewhere, .verificationMissing: nil
        case .notVerified, .unsuitable: []
        }
    }

    /// What was found, as a part of a sentence that does not repeat what the provider sent.
    package func description(of claim: String) -> String {
        let name = "“\(claim)”"
        return switch finding(of: claim) {
        case .texts(let texts): texts.count == 1 ? "\(name) is one text" : "\(name) is a list of \(texts.count) texts"
        case .missing: "\(name) is missing"
        case .elsewhere: "\(name) is too long for the token, which only names a place for it (“_claim_names”)"
        case .verificationMissing: "\(name) does not count, as “email_verified” is missing"
        case .notVerified: "\(name) does not count, as “email_verified” is not true"
        case .unsuitable(let kind): "\(name) is \(kind), neither a text nor a list of texts"
        }
    }

    private static func finding(of claim: String, in source: JSONValue) -> Finding {
        guard let value = source.member(claim) else {
            return source["_claim_names"]?.member(claim) == nil ? .missing : .elsewhere
        }
        if claim == "email" {
            guard let verified = source.member("email_verified") else { return .verificationMissing }
            // Some providers write it as a text.
            guard verified.bool == true || verified.string?.lowercased() == "true" else { return .notVerified }
        }
        if let text = value.scalarText { return .texts([text]) }
        guard let list = value.array else { return .unsuitable(value.object == nil ? "a fraction" : "an object") }
        let texts = list.compactMap(\.scalarText)
        return texts.isEmpty && !list.isEmpty ? .unsuitable("a list without texts") : .texts(texts)
    }
}

extension JSONValue {
    /// The value under a key; nothing where there is none or it is null, which providers write for what they do not know.
    func member(_ key: String) -> JSONValue? {
        guard let value = self[key], !value.isNull else { return nil }
        return value
    }

    /// A text, or a number or a truth value as a text: providers write them either way.
    fileprivate var scalarText: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .boolean(let value): String(value)
        default: nil
        }
    }

    /// The subject of a token or of user info: a text, or a number as some providers write it.
    ///
    /// OpenID Connect Core 2: at most 255 characters of ASCII.
    func subject() throws(OpenIDRefusal) -> String {
        guard let value = member("sub") else { throw OpenIDRefusal.malformed.because("“sub” is missing") }
        let text: String? = if case .integer(let number) = value { String(number) } else { value.string }
        guard let text else { throw OpenIDRefusal.malformed.because("“sub” is not a text") }
        if let rule = NameRule(.printable, upTo: 255).brokenRule(by: text) {
            throw OpenIDRefusal.malformed.because("“sub” is unsuitable; a subject \(rule)")
        }
        return text
    }
}
