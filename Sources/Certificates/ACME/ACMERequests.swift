package import Foundation
package import InputBounds

extension SignedRequest {
    /// A request signed for one URL is of no use at another, and of none where what was asked is no URL of a resource.
    package func requireURL(_ expected: String?) throws(ACMEProblem) {
        guard url == expected else {
            throw ACMEProblem(.unauthorized, "The URL in the protected header is not the one that was asked.")
        }
    }

    /// POST-as-GET has an empty payload.
    package func requireEmpty() throws(ACMEProblem) {
        guard payload.isEmpty else { throw ACMEProblem(.malformed, "What is read is asked for with an empty payload.") }
    }

    /// All that may be posted to an authorization is its deactivation (RFC 8555 §7.5.2).
    package func requireDeactivation() throws(ACMEProblem) {
        guard try object()["status"]?.string == "deactivated" else {
            throw ACMEProblem(
                .malformed, "An authorization is read with an empty payload, or given up with the status deactivated.")
        }
    }
}

/// What a request for an order says.
package struct ACMEOrderRequest: Sendable, Equatable {
    /// The one identifier of the order: a device has one permanent identifier.
    package let identifier: ACMEIdentifier

    package init(_ document: JSONValue) throws(ACMEProblem) {
        guard let items = document["identifiers"]?.array, let first = items.first else {
            throw ACMEProblem(.malformed, "An order has identifiers.")
        }
        guard items.count == 1 else {
            throw ACMEProblem(.rejectedIdentifier, "An order is for one identifier.")
        }
        let identifier = try ACMEIdentifier(first)
        guard identifier.kind == .permanentIdentifier else {
            throw ACMEProblem(.unsupportedIdentifier, "Certificates are issued for permanent identifiers alone.")
        }
        guard document["notBefore"] == nil, document["notAfter"] == nil else {
            throw ACMEProblem(.malformed, "How long a certificate is valid is not for its requester to say.")
        }
        self.identifier = identifier
    }
}

/// What a request for revocation says (RFC 8555 §7.6).
package struct ACMERevocationRequest: Sendable, Equatable {
    /// In DER.
    package let certificate: Data
    package let reason: RevocationReason

    package init(_ document: JSONValue) throws(ACMEProblem) {
        guard let text = document["certificate"]?.string, let der = Base64URL.decode(text),
            der.count <= ACMECertificateRequest.sizeLimit
        else { throw ACMEProblem(.malformed, "A revocation has certificate in Base64 for URLs.") }
        certificate = der
        guard let value = document["reason"] else {
            reason = .unspecified
            return
        }
        guard let reason = value.int.flatMap(RevocationReason.init) else {
            throw ACMEProblem(
                .badRevocationReason, "The reason is none that a holder may give: 0, 1, 3, 4 and 5 are allowed.")
        }
        self.reason = reason
    }
}

/// Why a certificate is revoked (RFC 5280 §5.3.1), as far as its holder may say.
package enum RevocationReason: Int, Sendable, CaseIterable {
    case unspecified = 0
    case keyCompromise = 1
    case affiliationChanged = 3
    case superseded = 4
    case cessationOfOperation = 5
}
