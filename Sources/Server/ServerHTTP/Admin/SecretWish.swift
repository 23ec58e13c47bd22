import AdminMessages
import Foundation
import HTTPTypes
import Management

extension SecretValue {
    /// The value an administrator sent, in the rules' terms; the rules judge what it says.
    init(_ request: SecretRequest) throws(HTTPProblem) {
        switch request {
        case .password(let secret): self = .password(userName: secret.userName, password: secret.password)
        // The rules read both forms and keep one.
        case .certificate(let secret): self = .certificate(der: secret.file)
        case .pkcs12(let secret): self = .pkcs12(bytes: secret.file, password: secret.password)
        case .scep(let secret): self = .scep(try SCEPRecipe(secret))
        case .acme(let secret): self = .acme(try ACMERecipe(secret))
        }
    }
}

extension SCEPRecipe {
    fileprivate init(_ secret: SCEPSecret) throws(HTTPProblem) {
        self.init(
            authority: RecipeAuthority(secret.url), name: secret.name, challenge: secret.challenge,
            authorityFingerprint: try secret.authorityFingerprint.map(fingerprint),
            subject: try attributes(secret.subject), subjectAltNames: secret.subjectAltName.map(SubjectAltNames.init))
        if let keySize = secret.keySize { self.keySize = keySize }
        if let keyUsage = secret.keyUsage { self.keyUsage = keyUsage }
    }
}

extension ACMERecipe {
    fileprivate init(_ secret: ACMESecret) throws(HTTPProblem) {
        let keyType: KeyType
        switch secret.keyType {
        case nil, "EC": keyType = .ec
        case "RSA": keyType = .rsa
        default: throw HTTPProblem(.unprocessableContent, "invalid", "A key's type is “EC” or “RSA”.")
        }
        self.init(
            authority: RecipeAuthority(secret.directoryURL),
            clientIdentifier: secret.clientIdentifier ?? (secret.directoryURL == nil ? "" : "${device.serialNumber}"),
            subject: try attributes(secret.subject), subjectAltNames: secret.subjectAltName.map(SubjectAltNames.init),
            keyType: keyType, keySize: secret.keySize ?? (keyType == .ec ? 256 : 2_048),
            hardwareBound: secret.hardwareBound ?? false, attest: secret.attest ?? false, usageFlags: secret.keyUsage,
            extendedKeyUsage: secret.extendedKeyUsage ?? [])
    }
}

extension RecipeAuthority {
    fileprivate init(_ url: String?) {
        self = url.map { .external(url: $0) } ?? .own
    }
}

extension SubjectAltNames {
    fileprivate init(_ names: SubjectAltName) {
        self.init(
            rfc822Name: names.email, dNSName: names.dns, uniformResourceIdentifier: names.uri,
            ntPrincipalName: names.ntPrincipal)
    }
}

private func attributes(_ pairs: [[String]]) throws(HTTPProblem) -> [SubjectAttribute] {
    guard pairs.allSatisfy({ $0.count == 2 }) else {
        throw HTTPProblem(.unprocessableContent, "invalid", "A subject is made of pairs: a kind of name and its text.")
    }
    return pairs.map { SubjectAttribute(type: $0[0], value: $0[1]) }
}

/// The bytes of hexadecimal digits.
private func fingerprint(_ text: String) throws(HTTPProblem) -> Data {
    let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue.map(UInt8.init) }
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else {
        throw HTTPProblem(
            .unprocessableContent, "invalid", "The authority's fingerprint is made of hexadecimal digits.")
    }
    return Data(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
}
