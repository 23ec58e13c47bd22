/// A word of the API's vocabulary: known words have names, and a word added later still decodes in an older program.
package protocol Word: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible
where RawValue == String {
    init(rawValue: String)
}

extension Word {
    package var description: String { rawValue }
}

/// Who owns an enrolled device.
package struct Ownership: Word {
    package static let organization = Ownership(rawValue: "organization")
    package static let personal = Ownership(rawValue: "personal")

    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}

/// Whether an enrollment is a device's or a user's on it.
package struct EnrollmentKind: Word {
    package static let device = EnrollmentKind(rawValue: "device")
    package static let user = EnrollmentKind(rawValue: "user")

    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}

/// How a device came to be enrolled.
package struct EnrollmentArrival: Word {
    package static let code = EnrollmentArrival(rawValue: "code")
    /// A person signed in.
    package static let account = EnrollmentArrival(rawValue: "account")
    /// The device was expected.
    package static let expected = EnrollmentArrival(rawValue: "expected")

    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}

/// Where an enrollment stands.
package struct DeviceState: Word {
    /// Has authenticated and not yet said how to wake it.
    package static let enrolling = DeviceState(rawValue: "enrolling")
    package static let enrolled = DeviceState(rawValue: "enrolled")
    /// Left by itself.
    package static let checkedOut = DeviceState(rawValue: "checkedOut")
    /// An administrator ended its enrollment.
    package static let withdrawn = DeviceState(rawValue: "withdrawn")

    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}

/// Where a command stands in a device's queue.
package struct CommandState: Word {
    package static let queued = CommandState(rawValue: "queued")
    package static let sent = CommandState(rawValue: "sent")
    /// The device asked to be given it again later.
    package static let notNow = CommandState(rawValue: "notNow")
    package static let acknowledged = CommandState(rawValue: "acknowledged")
    package static let error = CommandState(rawValue: "error")
    package static let commandFormatError = CommandState(rawValue: "commandFormatError")
    /// Taken out of the queue by an administrator or by the end of the enrollment.
    package static let cancelled = CommandState(rawValue: "cancelled")
    /// Unfinished in a backup that was put back: the device may have carried it out since, and is not sent it again.
    package static let retired = CommandState(rawValue: "retired")

    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// Whether nothing more will happen to the command.
    package var isFinal: Bool {
        ![Self.queued, .sent, .notNow].contains(self)
    }
}

/// Where an enrollment code stands.
package struct EnrollmentCodeState: Word {
    package static let open = EnrollmentCodeState(rawValue: "open")
    package static let used = EnrollmentCodeState(rawValue: "used")
    package static let expired = EnrollmentCodeState(rawValue: "expired")
    package static let revoked = EnrollmentCodeState(rawValue: "revoked")

    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}
