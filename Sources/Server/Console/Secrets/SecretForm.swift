import AdminMessages
import Foundation

/// The fields in which a secret is written; nothing that is secret is ever filled in again.
struct SecretForm {
    static let kinds: [(kind: SecretKind, title: String)] = [
        (.password, "Password"), (.certificate, "Certificate"), (.pkcs12, "PKCS #12"), (.scep, "Identity by SCEP"),
        (.acme, "Identity by ACME"),
    ]

    private let form: Form
    private let kind: SecretKind

    init(_ form: Form, kind: SecretKind? = nil) {
        self.form = form
        self.kind = kind ?? SecretKind(rawValue: form["kind"] ?? "password")
    }

    private func text(_ name: String) -> String? { form[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// What a new version by this form would be without, though the present one has it and the form has no field for it.
    static func unshown(of secret: Secret) -> String? {
        let facts = secret.facts
        let isPlain = (facts.authority ?? "own") == "own" && facts.attest != true
        let isShown =
            switch secret.kind {
            case .scep: isPlain && (facts.keySize ?? 2_048) == 2_048
            case .acme: isPlain && (facts.keyType ?? "EC") == "EC" && (facts.keySize ?? 256) == 256
            default: true
            }
        return isShown ? nil : "What it has does not all fit in a form: martlet secret set sets it anew."
    }

    /// Why this is no new version of a secret: something of it would go that nobody mentioned.
    func loss(of secret: Secret) -> String? {
        if let unshown = Self.unshown(of: secret) { return unshown }
        let isNamed = secret.kind == .password && secret.facts.hasUserName == true
        return isNamed && text("user") == nil && form["nouser"] == nil
            ? "It has a user name: type it again, or say that it has none any more." : nil
    }

    /// The fields for a new secret, or for a new version of one of which this is known.
    func fields(of facts: SecretFacts? = nil) -> HTML {
        switch kind {
        case .certificate:
            return Field(
                "certificate", "Certificate", value: form["certificate"] ?? "", hint: "In PEM.", isRequired: true
            ).area(rows: 8)
        case .pkcs12:
            return """
                \(Field("file", "PKCS #12 file in Base64", hint: "base64 -w0 identity.p12", isRequired: true).area(rows: 8))
                \(Field("password", "Its password", isRequired: true, completion: "off").secret)
                """
        case .scep, .acme:
            let isBound = form["bound"] ?? (facts?.hardwareBound == true ? "1" : "")
            let bound = Field("bound", "The key is made in the device’s chip", value: isBound).box
            let subject = Field(
                "subject", "Subject", value: form["subject"] ?? "CN=${device.serialNumber}",
                hint: "Of the certificate: parts such as CN=…, with commas between. This server’s authority issues it.",
                isRequired: true)
            return "\(subject.line)\(kind == .acme ? bound : nil)"
        default:
            let isNamed = facts?.hasUserName == true
            let user = Field(
                "user", "User name", value: form["user"] ?? "",
                hint: isNamed ? "It has one, which is not shown: type it again." : "May be left empty.",
                completion: "off")
            let nobody = Field("nouser", "It has no user name any more", value: form["nouser"] ?? "")
            return """
                \(user.line)\(isNamed ? nobody.box : nil)
                \(Field("password", "Password", isRequired: true, completion: "new-password").secret)
                """
        }
    }

    /// What the API is sent.
    var request: SecretRequest {
        switch kind {
        case .certificate: .certificate(CertificateSecret(file: Data((form["certificate"] ?? "").utf8)))
        case .pkcs12:
            .pkcs12(
                PKCS12Secret(
                    file: Data(base64Encoded: (form["file"] ?? "").filter { !$0.isWhitespace }) ?? Data(),
                    password: form["password"] ?? ""))
        case .scep: .scep(SCEPSecret(subject: subject))
        case .acme: .acme(ACMESecret(subject: subject, hardwareBound: form["bound"] == nil ? nil : true))
        default: .password(PasswordSecret(userName: text("user"), password: form["password"] ?? ""))
        }
    }

    private var subject: [[String]] {
        (form["subject"] ?? "").split(separator: ",").map { part in
            part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }
}
