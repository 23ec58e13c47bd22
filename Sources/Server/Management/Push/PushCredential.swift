import Crypto
package import Foundation
import SwiftASN1
import X509

/// What proves to Apple's push service who sends: an MDM push certificate with its key, or a key that signs tokens.
///
/// Apple takes pushes to MDM clients from certificates alone. A token is for a push service that accepts one.
package enum PushCredential: Sendable, Equatable {
    /// A chain, the leaf first, and the leaf's private key, both PEM.
    case certificate(chain: String, key: String)
    /// A P-256 key that signs provider tokens, PEM (PKCS #8), with its identifier and that of its team.
    case token(key: String, keyID: String, teamID: String)
}

/// A push credential that was judged, with what follows from it.
package struct PushSetup: Sendable, Equatable {
    /// The largest certificate and key that are read, in bytes.
    package static let largestPEM = 32 * 1_024
    /// Apple names every MDM push topic so.
    package static let topicPrefix = "com.apple.mgmt."

    package let credential: PushCredential
    /// What pushes are about; enrollment profiles name it.
    package let topic: String
    /// When the certificate ends; a token key has no end.
    package let expires: Date?

    /// Judges a certificate and its key.
    package init(certificate chain: String, key: String, now: Date) throws(AdminRefusal) {
        guard chain.utf8.count <= Self.largestPEM, key.utf8.count <= Self.largestPEM else {
            throw .tooLarge(limit: Self.largestPEM)
        }
        guard let documents = try? PEMDocument.parseMultiple(pemString: chain), !documents.isEmpty,
            documents.count <= 8,
            let certificates = try? documents.map({ try Certificate(pemDocument: $0) }), let leaf = certificates.first
        else {
            throw .invalid(rule: "The certificate is PEM: the MDM push certificate first, then those above it, if any.")
        }
        guard let own = try? Certificate.PrivateKey(pemEncoded: key) else {
            throw .invalid(rule: "The private key is one key in PEM, without a passphrase.")
        }
        guard own.publicKey == leaf.publicKey else {
            throw .invalid(rule: "The private key is not the key of the certificate.")
        }
        guard leaf.notValidAfter > now else {
            throw .invalid(rule: "The certificate has expired: renew it at Apple's push certificates portal.")
        }
        guard let topic = Self.userID(of: leaf.subject), topic.hasPrefix(Self.topicPrefix), Self.isTopic(topic) else {
            throw .invalid(
                rule: "It is no MDM push certificate: the user ID in its subject must begin with \(Self.topicPrefix)")
        }
        credential = .certificate(chain: chain, key: key)
        self.topic = topic
        expires = leaf.notValidAfter
    }

    /// Judges a key that signs provider tokens.
    package init(tokenKey key: String, keyID: String, teamID: String, topic: String) throws(AdminRefusal) {
        guard key.utf8.count <= Self.largestPEM else { throw .tooLarge(limit: Self.largestPEM) }
        guard (try? P256.Signing.PrivateKey(pemRepresentation: key)) != nil else {
            throw .invalid(rule: "The private key of a token is a P-256 key in PEM.")
        }
        guard Self.isIdentifier(keyID), Self.isIdentifier(teamID) else {
            throw .invalid(rule: "The identifiers of key and team are 10 capital letters and digits each.")
        }
        guard Self.isTopic(topic) else {
            throw .invalid(rule: "A topic is 1 to 255 letters, digits, dots and hyphens.")
        }
        credential = .token(key: key, keyID: keyID, teamID: teamID)
        self.topic = topic
        expires = nil
    }

    /// Days before the end of the certificate at which the log warns, the earliest first.
    package static let warningDays = [60, 30, 7]

    /// The narrowest warning that holds at this moment: 60, 30 or 7 days before the end, 0 after it; nothing before.
    package func warning(_ now: Date) -> Int? {
        expires.flatMap { Self.warning(of: $0, at: now) }
    }

    /// The same for a certificate that ends then.
    static func warning(of end: Date, at now: Date) -> Int? {
        let left = end.timeIntervalSince(now)
        guard left > 0 else { return 0 }
        return warningDays.last { left <= Double($0) * 86_400 }
    }

    /// The attribute `UID` (0.9.2342.19200300.100.1.1), in which Apple writes the topic.
    private static func userID(of subject: DistinguishedName) -> String? {
        let userID: ASN1ObjectIdentifier = [0, 9, 2_342, 19_200_300, 100, 1, 1]
        for name in subject {
            for attribute in name where attribute.type == userID { return String(attribute.value) }
        }
        return nil
    }

    private static func isTopic(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".")
                    || byte == UInt8(ascii: "-")
            }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }
}

extension PushSetup {
    /// What is sealed and kept.
    private struct Kept: Codable {
        var chain: String?
        var key: String
        var keyID: String?
        var teamID: String?
        var topic: String
        var expires: Date?
    }

    /// Under which name the credential is sealed: no administrator's secret is called so.
    package static let sealName = "push:credential"

    func encoded() throws -> Data {
        let kept =
            switch credential {
            case .certificate(let chain, let key): Kept(chain: chain, key: key, topic: topic, expires: expires)
            case .token(let key, let keyID, let teamID): Kept(key: key, keyID: keyID, teamID: teamID, topic: topic)
            }
        return try JSONEncoder().encode(kept)
    }

    /// Reads what was kept: it was judged when it came, and its end must not stop a server's start.
    init(kept: Data) throws {
        let kept = try JSONDecoder().decode(Kept.self, from: kept)
        topic = kept.topic
        expires = kept.expires
        credential =
            if let chain = kept.chain {
                .certificate(chain: chain, key: kept.key)
            } else {
                .token(key: kept.key, keyID: kept.keyID ?? "", teamID: kept.teamID ?? "")
            }
    }
}
