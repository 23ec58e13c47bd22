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
    /// The request's key is not the one that signed the message.
    case requestKeyDiffers
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
        case .requestKeyDiffers: "the certificate request is for another key than the one that signed the message"
        case .otherTransaction: "the reply belongs to another request"
        case .noCertificate: "the reply holds no certificate for the requested key"
        case .weakServer: "the server offers neither AES nor SHA-256"
        }
    }
}

/// The reason a server gives to its client (RFC 8894 §3.2.1.4.5).
package enum SCEPFailInfo: Int, Error, Sendable, CaseIterable {
    case badAlgorithm = 0
    case badMessageCheck = 1
    case badRequest = 2
    case badTime = 3
    case badCertificateID = 4
}

extension SCEPRefusal {
    /// What to answer a client whose message was refused so.
    ///
    /// Whether the padding was wrong or what it surrounds is no request must look alike: whoever may ask which one it
    /// was can read another's envelope, challenge and all, and have the authority's key work for him.
    package var failInfo: SCEPFailInfo {
        switch self {
        case .outer(.algorithm), .outer(.legacyAlgorithm), .inner(.algorithm), .inner(.legacyAlgorithm), .weakServer,
            .request(.legacyAlgorithm), .request(.key):
            .badAlgorithm
        case .outer, .inner, .request, .requestKeyDiffers: .badMessageCheck
        default: .badRequest
        }
    }
}
