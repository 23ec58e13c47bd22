package import Foundation

/// The right to order certificates by one client identifier, which the server handed out to one device.
///
/// The identifier's text is known to the device alone; here stands its digest.
package struct ACMEGrant: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        case live
        /// Newer identifiers were handed out: orders under way may end, new ones may not begin.
        case superseded
        /// The device may not have the identity any more.
        case withdrawn
    }

    /// What every certificate that is ordered by the identifier is like.
    package struct Terms: Sendable, Equatable {
        /// Whether the key must be proven to be bound to hardware.
        package let attest: Bool
        /// What the certificate says, in the words of the authority that issues it; ACME's rules do not read it.
        package let profile: Data

        package init(attest: Bool, profile: Data) {
            self.attest = attest
            self.profile = profile
        }
    }

    /// SHA-256 of the identifier.
    package let digest: Data
    /// Whose identity it is: a version of a secret, and a device's enrollment.
    package let secret: String
    package let version: Int
    package let device: String
    package let terms: Terms
    package let state: State
    /// The account that ordered first: nobody else may afterwards, should the identifier have become known.
    package let account: String?
    package let created: Date

    /// Rights of one device to one version that stay live: several apps may find the same secret, each with a document of
    /// its own, and of answers that were lost none is needed again.
    package static let live = 16

    package init(
        digest: Data, secret: String, version: Int, device: String, terms: Terms, state: State = .live,
        account: String? = nil, created: Date
    ) {
        self.digest = digest
        self.secret = secret
        self.version = version
        self.device = device
        self.terms = terms
        self.state = state
        self.account = account
        self.created = created
    }

    /// Nothing when this account may place an order now.
    package func refusal(ofOrderBy account: String) -> ACMEProblem? {
        guard state == .live, self.account == nil || self.account == account else { return .unknownIdentifier }
        return nil
    }
}

extension ACMEProblem {
    /// Unknown, superseded, withdrawn and taken by another look alike: guessing learns nothing.
    package static let unknownIdentifier = ACMEProblem(
        .rejectedIdentifier, "No certificate may be ordered for the identifier by this account.")
}
