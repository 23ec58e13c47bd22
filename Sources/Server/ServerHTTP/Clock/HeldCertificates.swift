import HTTPTypes
import Management

extension Management {
    /// Refuses to certify while the clock has just stepped forward: a certificate of a time that does not come is "not
    /// valid yet" for years, and its device has nothing else to come back with.
    ///
    /// To be asked before anything of a request is judged or used up: by that clock, rights have ended and chains have
    /// expired.
    func requireCertifying() throws(HTTPProblem) {
        guard !clock.holdsCertificates else { throw .clockAhead }
    }
}

extension HTTPProblem {
    static let clockAhead = HTTPProblem(
        .serviceUnavailable, "clock", "The server's clock was set forward, and it issues no certificates by it yet",
        detail: "Try again when the clock is right, or in an hour.", headers: [.retryAfter: "300"])
}
