import Crypto
import Foundation
import SwiftASN1
import X509

/// What Apple says of a key in a device of theirs: a certificate for that key, with the facts in extensions.
struct AppleStatement {
    private let chain: [Data]

    init(_ chain: [Data]) {
        self.chain = chain
    }

    func verify(nonce: Data, roots: [Data], now: Date) throws(AttestationRefusal) -> AttestedKey {
        let vouching = try VouchingChain(chain, roots: roots, now: now)
        // An attestation without it was made for nobody in particular, some time.
        guard let freshness = vouching.value(of: Self.fact(11, 1)), freshness == nonce, !nonce.isEmpty else {
            throw .stale
        }
        let key = vouching.leaf.publicKey
        guard P256.Signing.PublicKey(key) != nil || P384.Signing.PublicKey(key) != nil else { throw .key }
        var facts = HardwareFacts()
        facts.serialNumber = Self.text(vouching.value(of: Self.fact(9, 1)))
        facts.udid = Self.text(vouching.value(of: Self.fact(9, 2)))
        facts.systemVersion = Self.text(vouching.value(of: Self.fact(10, 1)))
        return AttestedKey(
            format: .apple, publicKeyInfo: try vouching.publicKeyInfo,
            permanentIdentifier: facts.udid ?? facts.serialNumber, facts: facts)
    }

    private static func fact(_ group: UInt, _ number: UInt) -> ASN1ObjectIdentifier {
        [1, 2, 840, 113635, 100, 8, group, number]
    }

    // The extension's bytes are the text itself. Blank means that Apple could not say.
    private static func text(_ value: Data?) -> String? {
        guard let value, !value.isEmpty, value.count <= 128, !value.contains(0),
            let text = String(validating: value, as: UTF8.self), !text.allSatisfy(\.isWhitespace)
        else { return nil }
        return text
    }
}
