import InputBounds

/// Says which enrollment a message speaks for: a device, or a person's enrollment of one, and on it perhaps a user.
package struct EnrollmentIdentifier: Hashable, Sendable, Codable {
    /// What is enrolled.
    package enum Kind: String, Hashable, Sendable, Codable {
        /// The whole device, named by its `UDID`.
        case device
        /// A person's part of a device, named by an `EnrollmentID`; the device stays anonymous.
        case user
    }

    package let kind: Kind
    /// The `UDID` or `EnrollmentID`.
    package let id: String
    /// The user whose channel this is (`UserID` or `EnrollmentUserID`); nothing on the device's own channel.
    package let userID: String?
    /// The user's short name.
    ///
    /// On a Shared iPad it alone tells users apart.
    package let userShortName: String?

    package init(kind: Kind, id: String, userID: String? = nil, userShortName: String? = nil) {
        self.kind = kind
        self.id = id
        self.userID = userID
        self.userShortName = userShortName
    }

    /// The name under which the enrollment is stored.
    ///
    /// Identifiers from messages hold no colon.
    package var key: String {
        guard let userID else { return id }
        if userID == Self.sharedDeviceUser, let userShortName { return "\(id):\(userShortName)" }
        return "\(id):\(userID)"
    }

    /// The `UserID` that every user of a Shared iPad sends.
    package static let sharedDeviceUser = "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"
}

extension EnrollmentIdentifier {
    /// Reads the identifying keys of a message; nothing when it holds neither `UDID` nor `EnrollmentID`.
    init?(ifIn fields: MessageFields) throws(InputRefusal) {
        let udid = try Self.name(fields, "UDID")
        let enrollmentID = try Self.name(fields, "EnrollmentID")
        guard let id = udid ?? enrollmentID else { return nil }
        let kind: Kind = udid != nil ? .device : .user
        let userID = try Self.name(fields, kind == .device ? "UserID" : "EnrollmentUserID")
        let shortName: String?
        if userID == Self.sharedDeviceUser {
            // There it is a part of the name under which the user's channel is stored.
            shortName = try fields.stringIfPresent("UserShortName")
            if let rule = shortName.flatMap(NameRule.sharedUser.brokenRule(by:)) {
                throw InputRefusal("the key UserShortName \(rule)")
            }
        } else {
            // Elsewhere it names nothing, and is only shown.
            shortName = userID == nil ? nil : fields.entries["UserShortName"]?.string?.cut(toBytes: 256)
        }
        self.init(kind: kind, id: id, userID: userID, userShortName: shortName)
    }

    init(in fields: MessageFields) throws(InputRefusal) {
        guard let identifier = try EnrollmentIdentifier(ifIn: fields) else {
            throw InputRefusal("the message names neither a UDID nor an EnrollmentID")
        }
        self = identifier
    }

    private static func name(_ fields: MessageFields, _ key: String) throws(InputRefusal) -> String? {
        guard let text = try fields.stringIfPresent(key) else { return nil }
        if let rule = NameRule.enrollment.brokenRule(by: text) { throw InputRefusal("the key \(key) \(rule)") }
        guard !text.utf8.contains(UInt8(ascii: ":")) else { throw InputRefusal("the key \(key) has no colon") }
        return text
    }

    func write(to entries: inout MessageEntries) {
        switch kind {
        case .device:
            entries.set("UDID", id)
            entries.set("UserID", userID)
        case .user:
            entries.set("EnrollmentID", id)
            entries.set("EnrollmentUserID", userID)
        }
        entries.set("UserShortName", userShortName)
    }
}
