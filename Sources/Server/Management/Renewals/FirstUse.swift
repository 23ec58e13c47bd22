package import Foundation

/// What must be known before a device may speak with another certificate than the pinned one.
package struct FirstUseFacts: Sendable, Equatable {
    /// The certificate that is shown, as the record of issued ones has it.
    package struct Shown: Sendable, Equatable {
        package var serial: String
        package var notAfter: Date
        /// The enrollment to which it was pinned, now or before.
        package var pinnedTo: String?
        /// The right by which it was issued; nothing where that is not known any more.
        package var right: EnrollmentCode?
        /// The enrolled device whose chip it is under which the right was used, if one was.
        package var chipOf: String?

        package init(
            serial: String, notAfter: Date, pinnedTo: String? = nil, right: EnrollmentCode?, chipOf: String? = nil
        ) {
            self.serial = serial
            self.notAfter = notAfter
            self.pinnedTo = pinnedTo
            self.right = right
            self.chipOf = chipOf
        }
    }

    package var state: EnrollmentState
    /// The certificate that is pinned, and its serial number as far as that is on record.
    package var pinned: Data
    package var pinnedSerial: String?
    /// Nothing where the record of issued certificates does not have it.
    package var shown: Shown?

    package init(state: EnrollmentState, pinned: Data, pinnedSerial: String?, shown: Shown?) {
        self.state = state
        self.pinned = pinned
        self.pinnedSerial = pinnedSerial
        self.shown = shown
    }
}

/// A device goes over to the certificate of a renewal by using it.
///
/// Not every system begins again with an Authenticate when its profile was replaced: some go on with a TokenUpdate, or with
/// the answer to the command. The certificate before serves until then, and no longer.
package struct FirstUse: Sendable, Equatable {
    package let device: String
    package let fingerprint: Data
    /// The serial numbers of the certificate and of the one that it replaces.
    package let serial: String
    package let replaced: String?
    package let notAfter: Date
    /// The right by which it was issued, which is used up.
    package let right: EnrollmentCode

    package init(
        device: String, fingerprint: Data, serial: String, replaced: String?, notAfter: Date, right: EnrollmentCode
    ) {
        self.device = device
        self.fingerprint = fingerprint
        self.serial = serial
        self.replaced = replaced
        self.notAfter = notAfter
        self.right = right
    }

    /// Decides; that the certificate is ours and in time, and that the device has its key, was judged before.
    package static func decide(
        _ fingerprint: Data, as device: String, knowing facts: FirstUseFacts?
    ) -> Outcome<FirstUse, FirstUseRefusal> {
        guard let facts else { return .refused(.unknownDevice) }
        guard facts.state == .pending || facts.state == .enrolled else { return .refused(.ended) }
        guard facts.pinned != fingerprint else { return .refused(.present) }
        guard let shown = facts.shown else { return .refused(.notOnRecord) }
        guard shown.pinnedTo == nil else { return .refused(.pinnedBefore) }
        guard let right = shown.right, right.renews == device else { return .refused(.noRenewal) }
        guard right.state == .redeemed else { return .refused(.rightEnded) }
        guard shown.chipOf == nil || shown.chipOf == device else { return .refused(.anotherChip) }
        return .accepted(
            FirstUse(
                device: device, fingerprint: fingerprint, serial: shown.serial, replaced: facts.pinnedSerial,
                notAfter: shown.notAfter, right: right))
    }
}

/// Why a certificate does not take the place of the pinned one by being used.
package enum FirstUseRefusal: Error, Sendable, Equatable, CaseIterable {
    case unknownDevice
    /// The enrollment was withdrawn, or the device checked out.
    case ended
    /// It is the pinned one already.
    case present
    case notOnRecord
    /// It was an enrollment's before: a newer one has replaced it, or it is another enrollment's.
    case pinnedBefore
    /// It was not issued to this enrollment in a renewal.
    case noRenewal
    /// The right by which it was issued is used up, or a newer one took its place.
    case rightEnded
    /// Its key is in the chip of another enrolled device.
    case anotherChip
}
