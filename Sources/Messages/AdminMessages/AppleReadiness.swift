/// What Apple devices need of this server, what is missing, and what was never tried. `GET /apple-devices`
package struct AppleReadiness: Codable, Hashable, Sendable {
    package var needs: [AppleNeedSummary]
    /// The topic of pushes in profiles that are made now; nothing where no device enrolls.
    package var topic: String?
    /// What such profiles announce as `ServerCapabilities`.
    package var capabilities: [String]
    /// How devices get their identity: `scep`, `acme` or `acme-attested`.
    package var identity: String?
    /// What could not be tried with a device or a service of Apple's, a sentence each.
    package var untried: [String]

    package init(
        needs: [AppleNeedSummary], topic: String? = nil, capabilities: [String], identity: String? = nil,
        untried: [String]
    ) {
        self.needs = needs
        self.topic = topic
        self.capabilities = capabilities
        self.identity = identity
        self.untried = untried
    }
}

/// One thing that an Apple device needs of its server.
package struct AppleNeedSummary: Codable, Hashable, Sendable {
    /// `push-certificate`, `push-service`, `profile`, `server-certificate` or `address`.
    package var name: String
    package var state: AppleNeedState
    /// What was found, and what to do.
    package var detail: String

    package init(name: String, state: AppleNeedState, detail: String) {
        self.name = name
        self.state = state
        self.detail = detail
    }
}

/// Whether the server has what an Apple device needs.
package struct AppleNeedState: Word {
    package static let met = AppleNeedState(rawValue: "met")
    /// It works now, and something has to be done.
    package static let attention = AppleNeedState(rawValue: "attention")
    package static let missing = AppleNeedState(rawValue: "missing")
    /// The server cannot see it from where it is.
    package static let unverified = AppleNeedState(rawValue: "unverified")

    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}
