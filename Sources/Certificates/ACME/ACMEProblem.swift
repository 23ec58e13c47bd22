package import InputBounds

/// The reason for a refusal, for the client (RFC 8555 §6.7); it names the rule and never repeats the input.
package struct ACMEProblem: Error, Sendable, Hashable {
    /// The last part of the problem's type.
    package enum Code: String, Sendable, CaseIterable {
        case accountDoesNotExist
        case alreadyRevoked
        case badAttestationStatement
        case badCSR
        case badNonce
        case badPublicKey
        case badRevocationReason
        case badSignatureAlgorithm
        case invalidContact
        case malformed
        case orderNotReady
        case rateLimited
        case rejectedIdentifier
        case serverInternal
        case unauthorized
        case unsupportedContact
        case unsupportedIdentifier

        /// The default status of the HTTP answer.
        fileprivate var status: Int {
            switch self {
            case .unauthorized, .orderNotReady: 403
            case .rateLimited: 429
            case .serverInternal: 500
            default: 400
            }
        }
    }

    package let code: Code
    package let detail: String
    /// The status of the HTTP answer.
    package let status: Int
    /// After how many seconds the same request may be taken; nothing where time changes nothing.
    package let retryAfter: Int?

    /// `status` is for the few problems for which RFC 8555 names another than the code's usual one.
    package init(_ code: Code, _ detail: String, status: Int? = nil, retryAfter: Int? = nil) {
        self.code = code
        self.detail = detail
        self.retryAfter = retryAfter
        self.status = status ?? code.status
    }

    package static let typePrefix = "urn:ietf:params:acme:error:"

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "type": .string(Self.typePrefix + code.rawValue), "detail": .string(detail),
            "status": .integer(Int64(status)),
        ]
        if code == .badSignatureAlgorithm {
            members["algorithms"] = .array(SignatureAlgorithm.allCases.map { .string($0.rawValue) })
        }
        return .object(members)
    }
}

extension ACMEProblem: CustomStringConvertible {
    package var description: String { "\(code.rawValue): \(detail)" }
}

/// What a server said was wrong, as far as a client uses it.
///
/// The server's own words are left out: they would end up in logs.
package struct ACMEServerProblem: Sendable, Hashable {
    /// The last part of the type, if it is one of ACME's; else "other".
    package let code: String

    package init(_ document: JSONValue?) {
        let type = document?["type"]?.string ?? ""
        let word = type.hasPrefix(ACMEProblem.typePrefix) ? type.dropFirst(ACMEProblem.typePrefix.count) : ""
        let isWord =
            !word.isEmpty && word.utf8.count <= 64 && word.utf8.allSatisfy { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }
        code = isWord ? String(word) : "other"
    }
}
