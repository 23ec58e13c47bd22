package import Foundation
import InputBounds

/// What a device downloads to have a secret.
package struct CredentialDocument: Sendable, Equatable {
    package let bytes: Data
    package let mediaType: String

    package init(bytes: Data, mediaType: String) {
        self.bytes = bytes
        self.mediaType = mediaType
    }
}

/// Why a device gets no credential; the text is for the log.
package enum CredentialRefusal: Error, Sendable, Equatable {
    /// It is not assigned to the device now, or it is not the present version.
    case notAssigned
    /// A variable has no value for this device.
    case noValue
    /// With the values of this device the certificate would say what no certificate can.
    case unsuitable

    package var logText: String {
        switch self {
        case .notAssigned: "a credential is assigned to the device in its present version"
        case .noValue: "each variable of a credential has a value for the device"
        case .unsuitable: "what a certificate says of the device is neither too long nor of the wrong kind"
        }
    }
}

extension Management {
    /// The credential document of a secret for a device to which it is assigned now, in its present version.
    ///
    /// Earlier declarations do not count: a withdrawn secret is gone at once (D3). The release is in the audit log, on
    /// disk, before this answers.
    package func credential(
        name: String, version: Int, for device: DeviceContext
    ) async throws -> Outcome<CredentialDocument, CredentialRefusal> {
        guard let assigned = try await store.assignedSecret(name, version: version, to: device.key) else {
            return .refused(.notAssigned)
        }
        let kept = try self.value(of: assigned.kept)
        let variables = DeviceVariables(of: assigned.device, person: assigned.person)
        let value: SecretValue
        switch try await withRight(kept, of: assigned.kept, for: assigned.device, variables) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let found): value = found
        }
        guard let document = Credential(value, for: variables).document else { return .refused(.noValue) }
        let isReleased = try await store.recordRelease(
            of: name, version: version, owner: assigned.kept.owner, to: device.key, now: moment)
        guard isReleased else { return .refused(.notAssigned) }
        return .accepted(document)
    }

    /// What was sealed.
    func value(of kept: KeptSecret) throws -> SecretValue {
        try JSONDecoder().decode(SecretValue.self, from: open(kept))
    }

    private func open(_ kept: KeptSecret) throws -> Data {
        do {
            return try masterKeys.present.open(kept)
        } catch SealRefusal.unknownMasterKey {
            // Another process wraps under a newer key.
            return try masterKeys.reload().open(kept)
        }
    }
}

/// The document of a value for one device, as Apple's credential types write it.
struct Credential {
    let value: SecretValue
    let variables: DeviceVariables

    init(_ value: SecretValue, for variables: DeviceVariables) {
        self.value = value
        self.variables = variables
    }

    /// Nothing when a variable has no value for the device.
    var document: CredentialDocument? {
        let object: [String: JSONValue]?
        switch value {
        case .certificate(let der): return CredentialDocument(bytes: der, mediaType: value.kind.mediaType)
        case .password(let userName, let password): object = self.password(userName, password)
        case .pkcs12(let bytes, let password):
            object = ["Identity": .string(bytes.base64EncodedString()), "Password": .string(password)]
        case .scep(let recipe): object = scep(recipe)
        case .acme(let recipe): object = acme(recipe)
        }
        return object.map {
            CredentialDocument(bytes: JSONValue.object($0).encoded(), mediaType: value.kind.mediaType)
        }
    }

    private func password(_ userName: String?, _ password: String) -> [String: JSONValue]? {
        guard let name = variables.filled(userName ?? "") else { return nil }
        return ["UserName": .string(name), "Password": .string(password)]
    }

    private func scep(_ recipe: SCEPRecipe) -> [String: JSONValue]? {
        guard case .external(let url) = recipe.authority, let subject = subject(recipe.subject) else { return nil }
        var object: [String: JSONValue] = [
            "URL": .string(url), "Subject": subject, "Keysize": .integer(Int64(recipe.keySize)),
            "Key Type": .string("RSA"), "Key Usage": .integer(Int64(recipe.keyUsage)),
        ]
        if let name = recipe.name { object["Name"] = .string(name) }
        if let challenge = recipe.challenge { object["Challenge"] = .string(challenge) }
        if let fingerprint = recipe.authorityFingerprint {
            object["CAFingerprint"] = .string(fingerprint.base64EncodedString())
        }
        return add(recipe.subjectAltNames, to: &object) ? object : nil
    }

    private func acme(_ recipe: ACMERecipe) -> [String: JSONValue]? {
        guard case .external(let url) = recipe.authority, let subject = subject(recipe.subject),
            let client = variables.filled(recipe.clientIdentifier)
        else { return nil }
        var object: [String: JSONValue] = [
            "DirectoryURL": .string(url), "ClientIdentifier": .string(client), "Subject": subject,
            "KeyType": .string(recipe.keyType.rawValue), "KeySize": .integer(Int64(recipe.keySize)),
            "HardwareBound": .boolean(recipe.hardwareBound), "Attest": .boolean(recipe.attest),
        ]
        if let flags = recipe.usageFlags { object["UsageFlags"] = .integer(Int64(flags)) }
        if !recipe.extendedKeyUsage.isEmpty {
            object["ExtendedKeyUsage"] = .array(recipe.extendedKeyUsage.map { .string($0) })
        }
        return add(recipe.subjectAltNames, to: &object) ? object : nil
    }

    /// `[[["CN","name"]], …]`: one relative name after the other.
    private func subject(_ attributes: [SubjectAttribute]) -> JSONValue? {
        var names: [JSONValue] = []
        for attribute in attributes {
            guard let value = variables.filled(attribute.value) else { return nil }
            names.append(.array([.array([.string(attribute.type), .string(value)])]))
        }
        return .array(names)
    }

    private func add(_ names: SubjectAltNames?, to object: inout [String: JSONValue]) -> Bool {
        guard let names else { return true }
        var filled: [String: JSONValue] = [:]
        for (key, template) in [
            ("rfc822Name", names.rfc822Name), ("dNSName", names.dNSName),
            ("uniformResourceIdentifier", names.uniformResourceIdentifier), ("ntPrincipalName", names.ntPrincipalName),
        ] {
            guard let template else { continue }
            guard let text = variables.filled(template) else { return false }
            filled[key] = .string(text)
        }
        if !filled.isEmpty { object["SubjectAltName"] = .object(filled) }
        return true
    }
}
