import AppMessages
import Foundation

/// What a person at this device asks of the agent that runs on it.
package enum EnrollmentRequest: Sendable, Equatable {
    case enroll(url: String, code: String, trust: ServerTrust)
    case unenroll
}

/// What came of it.
package enum EnrollmentOutcome: Sendable, Equatable {
    case enrolled(udid: String)
    /// The enrollment is over; `told` says whether the server knows.
    case left(told: Bool)
    /// Why not, for a person at a terminal.
    case refused(String)
}

/// A request at the control socket, to be answered once.
package struct EnrollmentCall: Sendable {
    package let request: EnrollmentRequest
    package let answer: @Sendable (EnrollmentOutcome) -> Void

    package init(_ request: EnrollmentRequest, answer: @escaping @Sendable (EnrollmentOutcome) -> Void) {
        self.request = request
        self.answer = answer
    }
}

extension ControlMessages {
    static let enroll = "dev.martlet.Control.Enroll"
    static let unenroll = "dev.martlet.Control.Unenroll"

    /// With which server, by which code, and by what it is trusted: its certificates, or the fingerprint of one.
    struct Enroll: Codable {
        // What a PEM file of authorities holds, and what a profile's URL and code may have.
        static let certificateLimit = 16
        static let textLimit = 2_048

        let url: String
        let code: String
        let certificates: [Data]?
        let fingerprint: Data?

        init(url: String, code: String, trust: ServerTrust) {
            (self.url, self.code) = (url, code)
            switch trust {
            case .certificates(let list): (certificates, fingerprint) = (list, nil)
            case .fingerprint(let digest): (certificates, fingerprint) = (nil, digest)
            }
        }

        /// The request, unless it says by nothing or by two things what is trusted.
        func request() throws(VarlinkError) -> EnrollmentRequest {
            guard url.utf8.count <= Self.textLimit else { throw .invalidParameter("url") }
            guard code.utf8.count <= Self.textLimit else { throw .invalidParameter("code") }
            switch (certificates, fingerprint) {
            case (let list?, nil) where (1...Self.certificateLimit).contains(list.count):
                return .enroll(url: url, code: code, trust: .certificates(list))
            case (nil, let digest?) where digest.count == 32:
                return .enroll(url: url, code: code, trust: .fingerprint(digest))
            default: throw .invalidParameter("certificates")
            }
        }
    }

    /// The answer to either call; exactly one member is there.
    struct EnrollmentAnswer: Codable {
        var udid: String?
        var told: Bool?
        var refusal: String?

        init(_ outcome: EnrollmentOutcome) {
            switch outcome {
            case .enrolled(let udid): self.udid = udid
            case .left(let told): self.told = told
            case .refused(let why): refusal = why
            }
        }

        var outcome: EnrollmentOutcome? {
            if let udid { return .enrolled(udid: udid) }
            if let told { return .left(told: told) }
            return refusal.map(EnrollmentOutcome.refused)
        }
    }
}
