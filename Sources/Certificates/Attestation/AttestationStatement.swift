package import Foundation

/// An attestation object as `device-attest-01` carries it: a format and what it says.
package enum AttestationStatement: Sendable, Hashable {
    case tpm(TPMStatement)
    case apple(chain: [Data])

    /// Reads CBOR; the errors distinguish a missing or empty statement from a wrong one.
    package init(decoding data: Data) throws(AttestationRefusal) {
        guard !data.isEmpty else { throw .noStatement }
        guard let object = try? CBORValue(decoding: data) else { throw .malformed }
        guard object != .map([]) else { throw .noStatement }
        guard let format = object["fmt"]?.text else { throw .malformed }
        guard format != "none", let statement = object["attStmt"], statement != .map([]), statement != .null else {
            throw .noStatement
        }
        switch format {
        case "tpm": self = .tpm(try TPMStatement(statement))
        case "apple": self = .apple(chain: try Self.chain(statement))
        default: throw .format
        }
    }

    package var encoded: Data {
        switch self {
        case .tpm(let statement): Self.object("tpm", statement.encoded)
        case .apple(let chain): Self.object("apple", .map([.init(.text("x5c"), .array(chain.map(CBORValue.bytes)))]))
        }
    }

    static func chain(_ statement: CBORValue) throws(AttestationRefusal) -> [Data] {
        guard let values = statement["x5c"] else { throw .noStatement }
        guard let chain = values.array?.compactMap(\.bytes), chain.count == values.array?.count else {
            throw .malformed
        }
        guard !chain.isEmpty else { throw .noStatement }
        return chain
    }

    private static func object(_ format: String, _ statement: CBORValue) -> Data {
        CBORValue.map([.init(.text("fmt"), .text(format)), .init(.text("attStmt"), statement)]).encoded
    }

    /// Judges the statement: who is vouched for, by whom, and whether it answers the question.
    package func verify(
        _ question: AttestationQuestion, trust: AttestationTrust, now: Date
    ) throws(AttestationRefusal) -> AttestedKey {
        switch self {
        case .tpm: try verify(nonce: question.nonce(for: .tpm), trust: trust, now: now)
        case .apple: try verify(nonce: question.nonce(for: .apple), trust: trust, now: now)
        }
    }

    /// Judges the statement: who is vouched for, by whom, and whether it answers `nonce`.
    package func verify(
        nonce: Data, trust: AttestationTrust, now: Date
    ) throws(AttestationRefusal) -> AttestedKey {
        switch self {
        case .tpm(let statement): try statement.verify(nonce: nonce, roots: trust.tpmRoots, now: now)
        case .apple(let chain): try AppleStatement(chain).verify(nonce: nonce, roots: trust.appleRoots, now: now)
        }
    }
}

/// The statement of a TPM in the layout of WebAuthn (8.3): a certified key, and the certificate of the key that certifies.
package struct TPMStatement: Sendable, Hashable {
    package let chain: [Data]
    /// The number that COSE gives the signature's algorithm.
    package let algorithm: Int64
    /// TPMT_SIGNATURE.
    package let signature: Data
    /// TPMS_ATTEST.
    package let certification: Data
    /// TPMT_PUBLIC.
    package let publicArea: Data

    package init(chain: [Data], algorithm: Int64, signature: Data, certification: Data, publicArea: Data) {
        self.chain = chain
        self.algorithm = algorithm
        self.signature = signature
        self.certification = certification
        self.publicArea = publicArea
    }

    init(_ statement: CBORValue) throws(AttestationRefusal) {
        chain = try AttestationStatement.chain(statement)
        guard statement["ver"]?.text == "2.0", let algorithm = statement["alg"]?.integer,
            let signature = statement["sig"]?.bytes, let certification = statement["certInfo"]?.bytes,
            let publicArea = statement["pubArea"]?.bytes
        else { throw .malformed }
        self.algorithm = algorithm
        self.signature = signature
        self.certification = certification
        self.publicArea = publicArea
    }

    var encoded: CBORValue {
        .map([
            .init(.text("ver"), .text("2.0")),
            .init(.text("alg"), .integer(algorithm)),
            .init(.text("x5c"), .array(chain.map(CBORValue.bytes))),
            .init(.text("sig"), .bytes(signature)),
            .init(.text("certInfo"), .bytes(certification)),
            .init(.text("pubArea"), .bytes(publicArea)),
        ])
    }
}
