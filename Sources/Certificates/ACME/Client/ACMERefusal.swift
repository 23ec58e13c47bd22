/// Why a client gives an exchange up.
package enum ACMERefusal: Error, Sendable, Hashable {
    /// A document of the server lacks what it must have, or is out of bounds.
    case document
    /// An answer has no nonce, or the server refused fresh ones again and again.
    case nonce
    /// The server answered with this status, and this is the last part of its problem's type.
    case status(Int, problem: String)
    /// No challenge is of the kind that can be answered.
    case challenge
    /// The authorization or order became invalid; the last part of the problem's type.
    case invalid(problem: String)
    /// The server did not decide in the time it was given.
    case patience
    /// What the server sent is no certificate for the requested key.
    case certificate
    /// A call that does not belong to the state of the exchange.
    case order
}

extension ACMERefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .document: "a document of the ACME server is malformed or out of bounds"
        case .nonce: "the ACME server gives no nonce that it takes"
        case .status(let status, let problem): "the ACME server refused with \(status) (\(problem))"
        case .challenge: "the ACME server offers no challenge that can be answered"
        case .invalid(let problem): "the ACME server found the order invalid (\(problem))"
        case .patience: "the ACME server did not decide in time"
        case .certificate: "the ACME server sent no certificate for the requested key"
        case .order: "the ACME exchange was called out of its order"
        }
    }
}
