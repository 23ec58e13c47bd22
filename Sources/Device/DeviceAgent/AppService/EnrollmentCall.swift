import AppMessages
import Foundation

/// What a person at this device asks of the agent that runs on it.
package enum EnrollmentRequest: Sendable, Equatable {
    case enroll(EnrollmentWish, trust: ServerTrust)
    case unenroll
}

/// What came of it.
package enum EnrollmentOutcome: Sendable, Equatable {
    /// As whom the server knows this device.
    case enrolled(name: String)
    /// Nothing was begun for the account: its person has to sign in.
    case signInDemanded
    /// The enrollment is over; the farewell says what the server knows of it.
    case left(Unenroll.Farewell)
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

        /// The server; with an account, where the profile is to be had, or empty before the person signed in.
        let url: String
        /// Empty with an account, and for a device that is expected.
        let code: String
        let account: String?
        let token: String?
        /// None are named where the system's authorities are trusted.
        let certificates: [Data]?
        let fingerprint: Data?
        /// A profile of any server, alone or signed.
        let profile: Data?
        let allowsLegacy: Bool?

        init(_ wish: EnrollmentWish, trust: ServerTrust) {
            switch wish {
            case .code(let code, let url): (self.url, self.code, account, token) = (url, code, nil, nil)
            case .automatic(let url): (self.url, code, account, token) = (url, "", nil, nil)
            case .account(let name, let signedIn):
                (url, code, account, token) = (signedIn?.baseURL ?? "", "", name, signedIn?.token)
            case .profile: (url, code, account, token) = ("", "", nil, nil)
            }
            if case .profile(let file, let legacy) = wish {
                (profile, allowsLegacy) = (file, legacy)
            } else {
                (profile, allowsLegacy) = (nil, nil)
            }
            switch trust {
            case .system: (certificates, fingerprint) = ([], nil)
            case .certificates(let list): (certificates, fingerprint) = (list, nil)
            case .fingerprint(let digest): (certificates, fingerprint) = (nil, digest)
            }
        }

        /// The request, unless it says by nothing or by two things what is trusted.
        func request() throws(VarlinkError) -> EnrollmentRequest {
            for (name, text) in [("url", url), ("code", code), ("account", account ?? ""), ("token", token ?? "")] {
                guard text.utf8.count <= Self.textLimit else { throw .invalidParameter(name) }
            }
            guard (profile?.count ?? 0) <= ProfileFile.limit else { throw .invalidParameter("profile") }
            return .enroll(wish, trust: try trust())
        }

        private var wish: EnrollmentWish {
            if let profile { return .profile(profile, allowsLegacy: allowsLegacy == true) }
            if let account {
                return .account(account, token.map { EnrollmentWish.SignedIn(baseURL: url, token: $0) })
            }
            return code.isEmpty ? .automatic(url: url) : .code(code, url: url)
        }

        private func trust() throws(VarlinkError) -> ServerTrust {
            switch (certificates, fingerprint) {
            case (let list?, nil) where list.isEmpty: .system
            case (let list?, nil) where list.count <= Self.certificateLimit: .certificates(list)
            case (nil, let digest?) where digest.count == 32: .fingerprint(digest)
            default: throw .invalidParameter("certificates")
            }
        }
    }

    /// The answer to either call; it has exactly one member, and `endedBefore` only beside `told`.
    struct EnrollmentAnswer: Codable {
        var udid: String?
        var signIn: Bool?
        /// Whether the server knows that the enrollment is over.
        var told: Bool?
        /// Whether the enrollment had ended there already.
        var endedBefore: Bool?
        var refusal: String?

        init(_ outcome: EnrollmentOutcome) {
            switch outcome {
            case .enrolled(let name): udid = name
            case .signInDemanded: signIn = true
            case .left(let farewell):
                told = farewell != .untold
                endedBefore = farewell == .endedBefore ? true : nil
            case .refused(let why): refusal = why
            }
        }

        var outcome: EnrollmentOutcome? {
            if let udid { return .enrolled(name: udid) }
            if signIn == true { return .signInDemanded }
            if let told { return .left(told ? (endedBefore == true ? .endedBefore : .told) : .untold) }
            return refusal.map(EnrollmentOutcome.refused)
        }
    }
}
