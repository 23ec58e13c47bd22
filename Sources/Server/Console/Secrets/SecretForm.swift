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

    var fields: HTML {
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
            let bound: HTML = """
                <div class="option"><input type="checkbox" id="bound" name="bound" value="1">\
                <label for="bound">The key is made in the device’s chip</label></div>
                """
            let subject = Field(
                "subject", "Subject", value: form["subject"] ?? "CN=${device.serialNumber}",
                hint: "Of the certificate: parts such as CN=…, with commas between. This server’s authority issues it.",
                isRequired: true)
            return "\(subject.line)\(kind == .acme ? bound : nil)"
        default:
            return """
                \(Field("user", "User name", value: form["user"] ?? "", hint: "May be left empty.", completion: "off").line)
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
