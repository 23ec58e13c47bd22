package import Foundation
package import InputBounds

/// A request as it arrives: one flattened JSON Web Signature (RFC 8555 §6.2), read but not yet believed.
package struct SignedRequest: Sendable {
    /// The claimed signer.
    package enum Signer: Sendable, Equatable {
        /// The key itself: for a new account, or a certificate's own key.
        case key(JSONWebKey)
        /// The URL of an account.
        case account(String)
    }

    package let url: String
    package let nonce: String?
    package let signer: Signer
    /// Empty for POST-as-GET.
    package let payload: Data
    let algorithm: SignatureAlgorithm
    private let input: Data
    private let signature: Data

    /// A certificate request of RSA-4096 with many names, or an attestation with four certificates, stays below it.
    package static let sizeLimit = 65_536
    private static let outer = InputLimits(bytes: sizeLimit, depth: 4, objects: 64)
    private static let header = InputLimits(bytes: 8_192, depth: 4, objects: 64)

    package init(parsing body: Data) throws(ACMEProblem) {
        guard body.count <= Self.sizeLimit else { throw ACMEProblem(.malformed, "The request is larger than allowed.") }
        let outer: JSONValue
        do { outer = try JSONValue(parsing: body, limits: Self.outer) } catch {
            throw ACMEProblem(.malformed, "The request is not a JSON object within bounds.")
        }
        try self.init(outer)
    }

    /// Reads a signature that is already a JSON value: the inner one of a key change.
    package init(_ outer: JSONValue) throws(ACMEProblem) {
        guard case .object(let members) = outer, Set(members.keys) == ["protected", "payload", "signature"],
            let protected = members["protected"]?.string, let payload = members["payload"]?.string,
            let signature = members["signature"]?.string
        else {
            throw ACMEProblem(
                .malformed, "A request has the members protected, payload and signature, each a text, and no other.")
        }
        guard let headerBytes = Base64URL.decode(protected), let payloadBytes = Base64URL.decode(payload),
            let signatureBytes = Base64URL.decode(signature)
        else { throw ACMEProblem(.malformed, "A member of the request is not Base64 for URLs without padding.") }
        guard let header = try? JSONValue(parsing: headerBytes, limits: Self.header), case .object = header else {
            throw ACMEProblem(.malformed, "The protected header is not a JSON object within bounds.")
        }
        guard header["crit"] == nil, header["b64"] == nil else {
            throw ACMEProblem(.malformed, "The protected header asks for an extension that is not known.")
        }
        guard let algorithm = header["alg"]?.string.flatMap(SignatureAlgorithm.init) else {
            throw ACMEProblem(.badSignatureAlgorithm, "A request is signed with ES256, ES384 or RS256.")
        }
        self.algorithm = algorithm
        guard let url = header["url"]?.string, url.utf8.count <= 2_048 else {
            throw ACMEProblem(.malformed, "The protected header has no url.")
        }
        self.url = url
        let nonce = header["nonce"]?.string
        guard header["nonce"] == nil || nonce.flatMap(Base64URL.decode) != nil else {
            throw ACMEProblem(.malformed, "The nonce in the protected header is not Base64 for URLs.")
        }
        self.nonce = nonce
        signer = try Self.signer(header)
        self.payload = payloadBytes
        self.signature = signatureBytes
        input = Data(protected.utf8) + [UInt8(ascii: ".")] + Data(payload.utf8)
    }

    /// Checks the signature: by the key's own algorithm, which the header must name.
    package func verify(by key: JSONWebKey) throws(ACMEProblem) {
        guard algorithm == key.algorithm else {
            // RFC 8555 §6.2: the algorithm is one that is served, so it is the key beside it that is refused.
            if case .key = signer {
                throw ACMEProblem(.badPublicKey, "The key in the header is not of the kind that its algorithm takes.")
            }
            throw ACMEProblem(.badSignatureAlgorithm, "The algorithm in the header is not that of the key.")
        }
        guard key.isValid(signature, for: input) else {
            throw ACMEProblem(.malformed, "The signature does not verify.")
        }
    }

    /// The payload as a JSON object; the empty payload of POST-as-GET is none.
    package func object() throws(ACMEProblem) -> JSONValue {
        let limits = InputLimits(bytes: Self.sizeLimit, depth: 8, objects: 512)
        guard let value = try? JSONValue(parsing: payload, limits: limits), case .object = value else {
            throw ACMEProblem(.malformed, "The payload is not a JSON object within bounds.")
        }
        return value
    }

    private static func signer(_ header: JSONValue) throws(ACMEProblem) -> Signer {
        switch (header["jwk"], header["kid"]) {
        case (let jwk?, nil):
            do { return .key(try JSONWebKey(jwk)) } catch { throw ACMEProblem(.badPublicKey, "\(error).") }
        case (nil, let kid?):
            guard let account = kid.string, account.utf8.count <= 2_048 else {
                throw ACMEProblem(.malformed, "The kid is not the URL of an account.")
            }
            return .account(account)
        default: throw ACMEProblem(.malformed, "The protected header has either a jwk or a kid.")
        }
    }

    /// Writes and signs a request; no payload is POST-as-GET, no nonce an inner signature.
    package static func sign(
        payload: JSONValue?, url: String, nonce: String?, account: String?, key: AccountKey
    ) throws -> Data {
        let publicKey = try key.publicKey()
        var header: [String: JSONValue] = ["alg": .string(publicKey.algorithm.rawValue), "url": .string(url)]
        if let nonce { header["nonce"] = .string(nonce) }
        if let account { header["kid"] = .string(account) } else { header["jwk"] = publicKey.json }
        let protected = Base64URL.encode(JSONValue.object(header).encoded())
        let body = payload.map { Base64URL.encode($0.encoded()) } ?? ""
        let signature = try key.signature(for: Data("\(protected).\(body)".utf8))
        return JSONValue.object([
            "protected": .string(protected), "payload": .string(body),
            "signature": .string(Base64URL.encode(signature)),
        ]).encoded()
    }
}
