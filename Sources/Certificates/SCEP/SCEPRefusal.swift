package import CryptographicMessages

/// Why a SCEP message is refused.
///
/// Each case names the rule that was broken; nothing of the message is repeated.
package enum SCEPRefusal: Error, Sendable, Equatable {
    /// The signed layer around the message.
    case outer(CMSRefusal)
    /// The encrypted layer inside.
    case inner(CMSRefusal)
    case transactionID
    case messageType
    case nonce
    case status
    case request(CertificateRequestRefusal)
    /// The reply does not belong to the request.
    case otherTransaction
    /// The reply grants no certificate for the request's key.
    case noCertificate
    /// The server knows neither AES nor SHA-256.
    case weakServer
}

extension SCEPRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .outer(let refusal): "SCEP signature: \(refusal)"
        case .inner(let refusal): "SCEP envelope: \(refusal)"
        case .transactionID: "the transaction identifier is missing or not 1 to 128 printable characters"
        case .messageType: "the message type is not one that is served"
        case .nonce: "a nonce is missing or not 1 to 64 bytes"
        case .status: "the reply's status is not one of SCEP"
        case .request(let refusal): "certificate request: \(refusal)"
        case .otherTransaction: "the reply belongs to another request"
        case .noCertificate: "the reply holds no certificate for the requested key"
        case .weakServer: "the server offers neither AES nor SHA-256"
        }
    }
}

/// The reason a server gives to its client (RFC 8894 §3.2.1.4).
package enum SCEPFailInfo: Int, Error, Sendable, CaseIterable {
    case badAlgorithm = 0
    case badMessageCheck = 1
    case badRequest = 2
    case badTime = 3
    case badCertificateID = 4
}

extension SCEPRefusal {
    /// The one answer to everything that goes wrong inside an envelope.
    static let unreadableEnvelope = SCEPFailInfo.badMessageCheck

    /// What to answer a client whose message was refused so.
    ///
    /// Wrong padding, content that is no request, and a request of a kind that is not served get one answer. A client that
    /// could tell them apart could read a copied envelope octet by octet, challenge included, and have the authority's key
    /// work for it.
    package var failInfo: SCEPFailInfo {
        switch self {
        case .outer(.algorithm), .outer(.legacyAlgorithm), .inner(.algorithm), .inner(.legacyAlgorithm), .weakServer:
            .badAlgorithm
        case .outer, .inner, .request: Self.unreadableEnvelope
        default: .badRequest
        }
    }
}
