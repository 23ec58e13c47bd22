package import DeviceMessages
package import Foundation

/// Whom a right to enroll is for.
package enum EnrollmentHolder: Sendable, Equatable {
    /// Anyone with the code.
    case anyone
    /// A part of the device of this person, who signed in by this account.
    case person(String, account: String)
    /// The device with this serial number; and, if it is known by its chip, the chip with this endorsement key (the SHA-256
    /// of its SubjectPublicKeyInfo).
    case device(serialNumber: String, chip: Data?)
}

/// How a device came to be enrolled, as it is kept.
package struct Arrival: Sendable, Equatable {
    /// The words for it.
    package enum Kind: String, Sendable, Codable {
        case code
        case account
        case expected
    }

    package let kind: Kind
    /// By which a person signed in.
    package let account: String?
    /// Whether its profile announced channels of the device's users; the device refuses a renewed one that says otherwise.
    package let hasUserChannels: Bool

    package init(kind: Kind = .code, account: String? = nil, hasUserChannels: Bool = true) {
        self.kind = kind
        self.account = account
        self.hasUserChannels = hasUserChannels
    }

    package init(_ code: EnrollmentCode) {
        let hasUserChannels = code.announcesUserChannels
        switch code.holder {
        case .anyone: self.init(hasUserChannels: hasUserChannels)
        case .person(_, let account):
            self.init(kind: .account, account: account, hasUserChannels: hasUserChannels)
        case .device: self.init(kind: .expected, hasUserChannels: hasUserChannels)
        }
    }
}

extension EnrollmentCode {
    /// Whether the message that begins an enrollment is one of whom the code is for.
    package func refusal(of draft: EnrollmentDraft) -> DeviceRefusal? {
        switch holder {
        case .anyone: nil
        case .person:
            draft.kind == .user ? nil : .mismatch(log: "Authenticate of a device by a person's right to enroll")
        case .device(let serialNumber, _):
            draft.kind == .device && draft.facts.serialNumber == serialNumber
                ? nil : .mismatch(log: "Authenticate of another device than the one that was expected")
        }
    }
}

extension EnrollmentOffer {
    /// The profile for who came so and has this right to one certificate.
    package func profile(right: String, _ arrival: Arrival, topic: String? = nil) -> EnrollmentProfile {
        var profile = profile(right: right, topic: topic)
        if !arrival.hasUserChannels {
            profile.mdm.serverCapabilities.removeAll { $0 == ServerCapability.userChannels }
        }
        switch arrival.kind {
        case .code: break
        case .account:
            profile.mdm.account = arrival.account.map { MDMPayload.Account(mode: .ownDevice, name: $0) }
            // What the server may do follows from the kind of enrollment; clients refuse a profile that says more.
            profile.mdm.accessRights = nil
        case .expected: profile.removalDisallowed = true
        }
        return profile
    }
}
