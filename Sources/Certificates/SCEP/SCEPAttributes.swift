import CryptographicMessages
package import Foundation

/// The signed attributes of SCEP messages (RFC 8894 §3.2.1).
enum SCEPAttributes {
    static let messageType = "2.16.840.1.113733.1.9.2"
    static let status = "2.16.840.1.113733.1.9.3"
    static let failInfo = "2.16.840.1.113733.1.9.4"
    static let senderNonce = "2.16.840.1.113733.1.9.5"
    static let recipientNonce = "2.16.840.1.113733.1.9.6"
    static let transactionID = "2.16.840.1.113733.1.9.7"

    static let all = [messageType, status, failInfo, senderNonce, recipientNonce, transactionID]
}

/// What a SCEP message is.
package enum SCEPMessageType: String, Sendable {
    case certificateReply = "3"
    case renewalRequest = "17"
    case certificateRequest = "19"
}

/// How a request went.
enum SCEPStatus: String {
    case success = "0"
    case failure = "2"
    case pending = "3"
}

extension SignedMessage {
    func scepTransactionID() throws(SCEPRefusal) -> String {
        guard case .text(let text) = attribute(SCEPAttributes.transactionID), (1...128).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else { throw .transactionID }
        return text
    }

    func scepMessageType() throws(SCEPRefusal) -> SCEPMessageType {
        guard case .text(let text) = attribute(SCEPAttributes.messageType), let type = SCEPMessageType(rawValue: text)
        else { throw .messageType }
        return type
    }

    func scepNonce(_ name: String) throws(SCEPRefusal) -> Data {
        guard case .octets(let nonce) = attribute(name), (1...64).contains(nonce.count) else { throw .nonce }
        return nonce
    }

    /// Opens the outer layer of any SCEP message.
    static func openSCEP(
        _ message: Data, policy: CryptographyPolicy, expectedSigner: Data? = nil
    ) throws(SCEPRefusal) -> SignedMessage {
        do {
            return try open(
                message, policy: policy, attributes: SCEPAttributes.all, expectedSigner: expectedSigner)
        } catch {
            throw .outer(error)
        }
    }
}

/// Makes a nonce of 16 random bytes (RFC 8894 §3.2.1.5).
package func makeSCEPNonce() -> Data {
    var generator = SystemRandomNumberGenerator()
    return Data((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
}
