import CryptographicMessages
import DeviceMessages
package import Foundation
package import InputBounds

/// An enrollment profile in a file: a property list, alone or inside a signed message.
package enum ProfileFile {
    /// What a control message carries, and what a signed message may have.
    package static let limit = 65_536

    /// The profile's property list.
    ///
    /// A signature must verify. Whose it is decides nothing: the profile is trusted because a person with rights on this
    /// device installs it.
    static func content(of file: Data, policy: CryptographyPolicy = .modern) throws(EnrollmentRefusal) -> Data {
        guard file.count <= limit else { throw .profileRefused("it exceeds \(limit) bytes") }
        guard file.first == 0x30 else { return file }
        do {
            return try SignedMessage.open(file, policy: policy, attributes: []).content
        } catch {
            throw .profileRefused("its signature cannot be verified: \(error)")
        }
    }

    /// The profile without what only getting the identity needs: the challenge, the code, or the key and its password.
    package static func withoutSecrets(_ content: Data) throws(InputRefusal) -> Data {
        guard var top = try PropertyListValue(parsing: content, limits: .message).dictionary,
            let payloads = top["PayloadContent"]?.array
        else { throw InputRefusal(rule: "a profile has a list of payloads") }
        top["PayloadContent"] = .array(payloads.map(withoutSecrets))
        return PropertyListValue.dictionary(top).xml()
    }

    private static func withoutSecrets(_ payload: PropertyListValue) -> PropertyListValue {
        guard var entries = payload.dictionary else { return payload }
        switch entries["PayloadType"]?.string {
        case "com.apple.security.scep":
            var content = entries["PayloadContent"]?.dictionary ?? [:]
            content["Challenge"] = nil
            entries["PayloadContent"] = .dictionary(content)
        case "com.apple.security.acme": entries["ClientIdentifier"] = .string("used")
        case "com.apple.security.pkcs12":
            entries["Password"] = nil
            entries["PayloadContent"] = .data(Data())
        default: break
        }
        return .dictionary(entries)
    }
}

extension EnrollmentProfile {
    /// The parts of a profile that this device cannot do, from any server; empty where it can do everything.
    ///
    /// What a profile demands is done or the profile is refused: no payload is passed over in silence.
    static func refusal(of content: Data, _ profile: EnrollmentProfile) -> EnrollmentRefusal? {
        guard let payloads = try? ProfileContents(parsing: content).payloads else {
            return .profileRefused("each of its payloads has a type, an identifier and a UUID")
        }
        let unknown = payloads.map(\.type).filter { !Self.payloadTypes.contains($0) }
        guard unknown.isEmpty else { return .payloadsUnsupported(unknown.prefix(8).map(shown).sorted()) }
        guard payloads.count(where: { Self.identityTypes.contains($0.type) }) == 1 else {
            return .profileRefused("this device takes one identity from it, that of the MDM payload")
        }
        guard profile.mdm.account == nil else { return .profileOfAccount }
        if let pins = profile.mdm.pins {
            guard !pins.demandsRevocationCheck else { return .revocationCheckDemanded }
            guard profile.mdm.checkInURL == nil || pins.server == pins.checkIn else {
                return .profileRefused("this device pins the command URL and the check-in URL to the same certificates")
            }
        }
        switch profile.identity {
        case .scep(let scep):
            // Over plain HTTP anybody could be the authority: only a fingerprint tells.
            guard !scep.isPlain || scep.caFingerprint != nil else {
                return .profileRefused("SCEP without TLS needs the fingerprint of the authority")
            }
        case .acme(let acme):
            // What vouches for this device's chips is an authority that only a Martlet server has.
            guard !acme.attest || profile.wakeURL != nil else { return .attestationElsewhere }
        case .pkcs12: break
        }
        return nil
    }

    /// The certificates by which the server of a profile is believed; none means those of the system.
    func serverRoots(given roots: [Data]) -> [Data] { pinnedRoots ?? authorityRoots(given: roots) }

    /// The same for the other addresses in it.
    func authorityRoots(given roots: [Data]) -> [Data] { roots.isEmpty ? self.roots : roots }

    private static let identityTypes: Set = [
        "com.apple.security.scep", "com.apple.security.acme", "com.apple.security.pkcs12",
    ]
    private static let payloadTypes: Set = identityTypes.union([
        "com.apple.mdm", "com.apple.security.root", "com.apple.security.pkcs1", "com.apple.security.pem",
        "dev.martlet.wake", "dev.martlet.setup",
    ])

    /// A type as a terminal may show it.
    private static func shown(_ type: String) -> String {
        String(type.prefix(64).map { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) ? $0 : "?" })
    }
}

extension SCEPPayload {
    var isPlain: Bool { url.lowercased().hasPrefix("http://") }
}
