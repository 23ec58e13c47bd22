import HTTPTypes

/// The header fields that HTTPTypes does not name.
extension HTTPField.Name {
    static let crossOriginOpenerPolicy = known("Cross-Origin-Opener-Policy")
    static let idempotencyKey = known("Idempotency-Key")
    static let idempotencyReplayed = known("Idempotency-Replayed")
    /// Where a listener of events goes on.
    static let lastEventID = known("Last-Event-ID")
    /// The next link of a list (RFC 8288).
    static let link = known("Link")
    /// A device's signature over the body of its request.
    static let mdmSignature = known("Mdm-Signature")
    static let referrerPolicy = known("Referrer-Policy")
    /// A nonce for the next request of ACME (RFC 8555).
    static let replayNonce = known("Replay-Nonce")
    /// Which request an answer and a line of the log are of.
    static let requestID = known("X-Request-Id")
    /// From which site a browser sends a request.
    static let secFetchSite = known("Sec-Fetch-Site")
    /// Tells an agent that a page takes an account and a password as a form.
    static let signIn = known("Martlet-Sign-In")
    static let xFrameOptions = known("X-Frame-Options")

    /// A name that is written here: a fallback would be another field without a word.
    private static func known(_ text: StaticString) -> HTTPField.Name {
        guard let name = HTTPField.Name("\(text)") else { preconditionFailure("not the name of a header field") }
        return name
    }
}
