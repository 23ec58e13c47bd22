import DeviceMessages
import Foundation
import InputBounds
import SwiftASN1
import X509

extension SettingKind {
    /// A root that managed apps trust beside those of the system.
    package static let rootCertificate = SettingKind(
        name: AssignedRoot.kind, title: "Root certificate",
        purpose: "Managed apps trust this certificate authority beside those of the system.",
        schema: AssignedRoot.schema, combination: .all, types: [CertificateConfiguration.type],
        judge: { payload, now in
            do throws(AdminRefusal) {
                return .accepted(try AssignedRoot(payload).facts(at: now))
            } catch {
                return .refused(error)
            }
        },
        declarations: { name, payload in
            guard let root = try? AssignedRoot(payload) else { return nil }
            let key = SettingKey(kind: AssignedRoot.kind, name: name)
            let asset = key.identifier(of: "certificate")
            return SettingDeclarations(
                configurations: [
                    SettingDeclarations.Configuration(
                        type: CertificateConfiguration.type, identifier: key.identifier(),
                        payload: CertificateConfiguration(asset: asset).payload.object ?? [:])
                ],
                assets: [
                    SettingDeclarations.Asset(
                        type: CredentialAsset.Kind.certificate.rawValue, identifier: asset,
                        mediaType: Secret.Kind.certificate.mediaType, bytes: root.der)
                ])
        })
}

/// The certificate of a setting, as far as it can be judged without the time; `facts` judges the rest.
///
/// The rule is no laxer than that of the agent (`RootCertificate`), so that what is taken here is trusted there.
struct AssignedRoot: Sendable {
    static let kind = "root-certificate"
    static let schema: JSONValue = .object([
        "$schema": .string("https://json-schema.org/draft/2020-12/schema"), "type": .string("object"),
        "properties": .object(["certificate": certificateSchema]), "required": .array([.string("certificate")]),
        "additionalProperties": .boolean(false),
    ])
    private static let certificateSchema: JSONValue = .object([
        "type": .string("string"), "title": .string("Certificate"),
        "description": .string("One certificate of an authority that issued itself, in PEM."),
        "minLength": .integer(1), "maxLength": .integer(Int64(longestText)),
    ])
    /// A root of three keys and many constraints takes a few kilobytes.
    static let largest = 16_384
    /// The same in PEM, with some text around it.
    static let longestText = 32_768
    private static let longestSubject = 256
    /// Assigning a root that ends within so many days gives a warning.
    private static let warningDays = 30

    let der: Data
    private let certificate: Certificate

    /// Reads `{"certificate": "<PEM>"}`.
    init(_ payload: JSONValue) throws(AdminRefusal) {
        guard let members = payload.object, Set(members.keys) == ["certificate"],
            let text = members["certificate"]?.string, text.utf8.count <= Self.longestText
        else {
            throw .invalid(
                rule: """
                    A root certificate's payload has one member, “certificate”: one certificate in PEM, of at most \
                    \(Self.longestText) bytes.
                    """)
        }
        guard let documents = try? PEMDocument.parseMultiple(pemString: text), documents.count == 1,
            let document = documents.first, document.discriminator == "CERTIFICATE"
        else {
            throw .invalid(
                rule: "It must be exactly one certificate in PEM, from -----BEGIN CERTIFICATE----- to its end. "
                    + "Assign each root as a setting of its own.")
        }
        der = Data(document.derBytes)
        guard der.count <= Self.largest else {
            throw .invalid(
                rule: "A root certificate is at most \(Self.largest) bytes in DER; this one has \(der.count).")
        }
        do {
            certificate = try Certificate(derEncoded: document.derBytes)
        } catch {
            throw .invalid(rule: "The certificate cannot be read: it is damaged, or no X.509 certificate.")
        }
    }

    /// Judges the certificate at a moment (RFC 5280, 4.2.1.3 and 4.2.1.9).
    func facts(at now: Date) throws(AdminRefusal) -> SettingFacts {
        let subject = String(describing: certificate.subject)
        guard !subject.utf8.contains(0) else { throw .invalid(rule: "The subject of a certificate has no NUL.") }
        let end = certificate.notValidAfter
        guard certificate.notValidBefore <= now else {
            throw .invalid(
                rule: "The certificate is not valid before \(certificate.notValidBefore.formatted(.iso8601)): "
                    + "devices would refuse it until then.")
        }
        guard now <= end else {
            throw .invalid(
                rule: "The certificate expired at \(end.formatted(.iso8601)): set the one that took its place.")
        }
        if let rule = brokenRule { throw .invalid(rule: rule) }
        let days = Int(end.timeIntervalSince(now) / 86_400)
        return SettingFacts(
            summary: "\(subject.prefix(Self.longestSubject)), until \(end.formatted(.iso8601))",
            warnings: days < Self.warningDays
                ? [
                    "The certificate ends in \(days) days, at \(end.formatted(.iso8601)): apps trust nothing by it "
                        + "afterwards."
                ] : [])
    }

    /// What keeps it from being a root.
    private var brokenRule: String? {
        guard case .isCertificateAuthority? = try? certificate.extensions.basicConstraints else {
            return "The certificate is not one of an authority: its basic constraints do not say CA. Set the root that "
                + "issued it."
        }
        if let usage = try? certificate.extensions.keyUsage, !usage.keyCertSign {
            return "The certificate may not sign others: its key usage lacks keyCertSign."
        }
        guard certificate.issuer == certificate.subject else {
            return "The certificate is no root: another authority issued it. Set that one's root."
        }
        guard certificate.publicKey.isValidSignature(certificate.signature, for: certificate) else {
            return "The certificate is no root: its signature is not by its own key."
        }
        return nil
    }
}
