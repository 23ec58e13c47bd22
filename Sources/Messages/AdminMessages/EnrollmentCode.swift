package import Foundation

/// Asks for a code with which one device may enroll. `POST /enrollment-codes`
package struct EnrollmentCodeRequest: Codable, Hashable, Sendable {
    package var group: String
    /// The server's default without it.
    package var validSeconds: Int?
    package var ownership: Ownership?
    package var supervised: Bool?
    /// Lets this one enrollment use single DES and SHA-1, which some old clients cannot do without.
    package var allowLegacyCryptography: Bool?
    /// An enrolled device: the code is for it alone, and ends the enrollment that it has.
    package var replaces: String?

    package init(
        group: String, validSeconds: Int? = nil, ownership: Ownership? = nil, supervised: Bool? = nil,
        allowLegacyCryptography: Bool? = nil, replaces: String? = nil
    ) {
        self.replaces = replaces
        self.group = group
        self.validSeconds = validSeconds
        self.ownership = ownership
        self.supervised = supervised
        self.allowLegacyCryptography = allowLegacyCryptography
    }
}

/// A new enrollment code: the code itself is shown only once.
package struct EnrollmentCodeAnswer: Codable, Hashable, Sendable {
    package var id: String
    package var code: String
    package var enrollmentURL: String
    package var expires: Date
    package var group: String
    /// SHA-256 of the server's authority certificate (DER), in lowercase hexadecimal digits.
    package var authorityFingerprint: String?

    package init(
        id: String, code: String, enrollmentURL: String, expires: Date, group: String,
        authorityFingerprint: String? = nil
    ) {
        self.id = id
        self.code = code
        self.enrollmentURL = enrollmentURL
        self.expires = expires
        self.group = group
        self.authorityFingerprint = authorityFingerprint
    }
}

/// An enrollment code without the code. `GET /enrollment-codes`
package struct EnrollmentCodeSummary: Codable, Hashable, Sendable {
    package var id: String
    package var group: String
    package var state: EnrollmentCodeState
    package var created: Date
    package var expires: Date
    package var ownership: Ownership
    package var supervised: Bool
    package var allowLegacyCryptography: Bool
    /// The enrolled device that it is for.
    package var replaces: String?

    package init(
        id: String, group: String, state: EnrollmentCodeState, created: Date, expires: Date, ownership: Ownership,
        supervised: Bool, allowLegacyCryptography: Bool, replaces: String? = nil
    ) {
        self.replaces = replaces
        self.id = id
        self.group = group
        self.state = state
        self.created = created
        self.expires = expires
        self.ownership = ownership
        self.supervised = supervised
        self.allowLegacyCryptography = allowLegacyCryptography
    }
}
