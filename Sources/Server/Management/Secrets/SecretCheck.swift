import CertificateAuthority
import Crypto
import CryptographicMessages
import Foundation
import SwiftASN1
import X509

/// Judges a value before it is sealed: nobody can look at it afterwards.
struct SecretCheck: Sendable {
    /// The value as it is to be kept.
    let value: SecretValue
    var description: SecretDescription

    /// Throws the rule that the value breaks.
    init(_ value: SecretValue) throws(AdminRefusal) {
        var description = SecretDescription()
        switch value {
        case .password(let userName, let password):
            try Self.require(
                (1...SecretLimits.passwordBytes).contains(password.utf8.count),
                "A password is 1 to \(SecretLimits.passwordBytes) bytes.")
            try Self.checkTemplate(userName, "user name", limit: 1_024)
            description.hasUserName = userName != nil
            self.value = value
        case .certificate(let bytes):
            try Self.require(bytes.count <= SecretLimits.fileBytes, tooLarge: SecretLimits.fileBytes)
            let der = try Self.der(of: bytes)
            description = try Self.description(ofCertificate: der)
            description.size = der.count
            self.value = .certificate(der: der)
        case .pkcs12(let bytes, let password):
            try Self.require(bytes.count <= SecretLimits.fileBytes, tooLarge: SecretLimits.fileBytes)
            description = try Self.description(ofIdentity: bytes, password)
            self.value = value
        case .scep(let recipe):
            description = try Self.description(of: recipe)
            self.value = value
        case .acme(let recipe):
            description = try Self.description(of: recipe)
            self.value = value
        }
        let variables = Set(value.templates.flatMap(DeviceVariables.used))
        if !variables.isEmpty { description.variables = variables.sorted() }
        self.description = description
    }

    // MARK: Certificates

    /// The one certificate in a file, be it text or binary.
    private static func der(of bytes: Data) throws(AdminRefusal) -> Data {
        guard bytes.starts(with: Data("-----BEGIN".utf8)) else { return bytes }
        guard let documents = try? PEMDocument.parseMultiple(pemString: String(decoding: bytes, as: UTF8.self)),
            documents.count == 1, let document = documents.first, document.discriminator == "CERTIFICATE"
        else { throw .invalid(rule: "The file holds one certificate in PEM or DER.") }
        return Data(document.derBytes)
    }

    static func description(ofCertificate der: Data) throws(AdminRefusal) -> SecretDescription {
        guard let certificate = try? Certificate(derEncoded: Array(der)) else {
            throw .invalid(rule: "The file holds one certificate in PEM or DER.")
        }
        var description = SecretDescription()
        description.fingerprint = Hexadecimal.text(SHA256.hash(data: der))
        let subject = String(describing: certificate.subject)
        guard !subject.utf8.contains(0) else { throw .invalid(rule: "The subject of a certificate has no NUL.") }
        description.subject = String(subject.prefix(512))
        description.notAfter = Date(
            timeIntervalSince1970: certificate.notValidAfter.timeIntervalSince1970.rounded(.down))
        return description
    }

    /// Opens the file as a device will, so that a wrong password is refused here and not on the device.
    private static func description(
        ofIdentity file: Data, _ password: String
    ) throws(AdminRefusal) -> SecretDescription {
        let contents: PKCS12Contents
        do { contents = try PKCS12.open(file, password: password) } catch {
            throw .invalid(rule: "The identity cannot be used: \(error).")
        }
        guard let certificate = contents.certificates.first else {
            throw .invalid(rule: "The identity cannot be used: \(PKCS12Refusal.certificate).")
        }
        var description = try description(ofCertificate: certificate)
        description.keyType = contents.keyType.family.rawValue
        description.keySize = contents.keyType.bits
        return description
    }

    // MARK: Recipes

    private static func description(of recipe: SCEPRecipe) throws(AdminRefusal) -> SecretDescription {
        if recipe.authority == .own {
            try require(
                recipe.name == nil && recipe.challenge == nil && recipe.authorityFingerprint == nil,
                "A name, a challenge and a fingerprint are another authority's: this server's own needs none.")
            try checkOwn(recipe.subject)
        }
        try check(recipe.authority, schemes: ["https://", "http://"])
        try check(recipe.subject, recipe.subjectAltNames)
        try require([2_048, 4_096].contains(recipe.keySize), "The key size of SCEP is 2048 or 4096.")
        try require([1, 4, 5].contains(recipe.keyUsage), "The key usage is 1, 4 or 5.")
        try require((recipe.name ?? "").utf8.count <= 256, "The name of the authority is at most 256 bytes.")
        try require((recipe.challenge ?? "").utf8.count <= 1_024, "A challenge is at most 1024 bytes.")
        try require(
            recipe.authorityFingerprint.map { $0.count == 32 } ?? true,
            "The authority's fingerprint is the SHA-256 of its certificate: 64 hexadecimal digits.")
        if case .external(let url) = recipe.authority, url.hasPrefix("http://") {
            // Devices refuse such a recipe: over plain HTTP anybody could be the authority.
            try require(
                recipe.authorityFingerprint != nil,
                "Only its fingerprint identifies an authority without TLS: give the fingerprint, or an https URL.")
        }
        var description = SecretDescription()
        description.authority = recipe.authority.text
        description.keyType = "RSA"
        description.keySize = recipe.keySize
        return description
    }

    private static func description(of recipe: ACMERecipe) throws(AdminRefusal) -> SecretDescription {
        if recipe.authority == .own {
            try checkOwn(recipe)
        } else {
            try require(!recipe.clientIdentifier.isEmpty, "The client identifier is not empty.")
        }
        try check(recipe.authority, schemes: ["https://"])
        try check(recipe.subject, recipe.subjectAltNames)
        try checkTemplate(recipe.clientIdentifier, "client identifier", limit: 1_024)
        let sizes: [Int] =
            switch (recipe.keyType, recipe.hardwareBound) {
            case (.rsa, false): [2_048, 3_072, 4_096]
            case (.rsa, true): []
            case (.ec, false): [256, 384, 521]
            case (.ec, true): [256, 384]
            }
        try require(
            sizes.contains(recipe.keySize),
            "A key is RSA of 2048, 3072 or 4096 bits, or EC of 256, 384 or 521; bound to hardware it is EC of 256 or 384."
        )
        try require(!recipe.attest || recipe.hardwareBound, "Only a key that is bound to hardware can be attested.")
        try require(
            recipe.extendedKeyUsage.count <= 16 && recipe.extendedKeyUsage.allSatisfy(isDottedNumber),
            "An extended key usage is a dotted number; at most 16 are given.")
        if let flags = recipe.usageFlags { try require([1, 4, 5].contains(flags), "The usage flags are 1, 4 or 5.") }
        var description = SecretDescription()
        description.authority = recipe.authority.text
        description.keyType = recipe.keyType == .rsa ? "RSA" : "EC"
        description.keySize = recipe.keySize
        description.hardwareBound = recipe.hardwareBound
        description.attest = recipe.attest
        return description
    }

    /// What this server's own authority issues itself.
    private static func checkOwn(_ recipe: ACMERecipe) throws(AdminRefusal) {
        try require(
            recipe.clientIdentifier.isEmpty,
            "A client identifier is another authority's: this server's own hands out one for each device.")
        try require(
            Set(recipe.extendedKeyUsage).isSubset(of: IdentityProfile.purposes),
            "This server's authority certifies for TLS clients (1.3.6.1.5.5.7.3.2) and mail (…4) alone.")
        try require(recipe.keySize != 521, "This server's authority certifies EC keys of 256 and 384 bits.")
        try checkOwn(recipe.subject)
    }

    private static func checkOwn(_ subject: [SubjectAttribute]) throws(AdminRefusal) {
        try require(!subject.isEmpty, "A subject has at least one attribute.")
    }

    private static func check(_ authority: RecipeAuthority, schemes: [String]) throws(AdminRefusal) {
        guard case .external(let url) = authority else { return }
        try require(
            url.utf8.count <= 2_048 && schemes.contains(where: url.hasPrefix)
                && URLComponents(string: url)?.host?.isEmpty == false,
            "The authority is named by an URL that begins with \(schemes.joined(separator: " or ")).")
    }

    private static func check(_ subject: [SubjectAttribute], _ names: SubjectAltNames?) throws(AdminRefusal) {
        try require(subject.count <= 16, "A subject has at most 16 attributes.")
        for attribute in subject {
            try require(
                subjectTypes.contains(attribute.type) || isDottedNumber(attribute.type),
                "A subject's attribute is C, CN, E, L, O, OU, SERIALNUMBER, ST or a dotted number.")
            try require(!attribute.value.isEmpty, "A subject's attribute is not empty.")
            try checkTemplate(attribute.value, "subject", limit: 256)
        }
        for name in [
            names?.rfc822Name, names?.dNSName, names?.uniformResourceIdentifier, names?.ntPrincipalName,
        ] {
            try checkTemplate(name, "subject", limit: 1_024)
        }
    }

    private static let subjectTypes: Set = ["C", "CN", "E", "L", "O", "OU", "SERIALNUMBER", "ST"]

    private static func isDottedNumber(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 128 && parts.count >= 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            }
    }

    // MARK: Rules

    private static func checkTemplate(_ text: String?, _ noun: String, limit: Int) throws(AdminRefusal) {
        guard let text else { return }
        try require(
            text.utf8.count <= limit && !text.unicodeScalars.contains { $0.value < 32 },
            "The \(noun) is at most \(limit) bytes without control characters.")
        // What stands in a secret's request is never repeated.
        if let rule = DeviceVariables.brokenRule(in: text, isSecret: true) {
            throw .invalid(rule: "The \(noun) \(rule).")
        }
    }

    private static func require(_ holds: Bool, _ rule: String) throws(AdminRefusal) {
        guard holds else { throw .invalid(rule: rule) }
    }

    private static func require(_ holds: Bool, tooLarge limit: Int) throws(AdminRefusal) {
        guard holds else { throw .tooLarge(limit: limit) }
    }
}
