import CertificateAuthority
package import Foundation

/// A device certificate of ours that a device proved to be its own.
package struct ShownIdentity: Sendable, Equatable {
    package let der: Data
    /// SHA-256 of the certificate.
    package let fingerprint: Data
    package let serial: Data
    /// The common name: of an enrollment's certificates all have one, and no other enrollment's has it.
    package let name: String
    package let issued: Date
    package let notAfter: Date
    /// SHA-256 of its key.
    package let publicKeyDigest: Data

    package init(
        der: Data, fingerprint: Data, serial: Data, name: String, issued: Date, notAfter: Date, publicKeyDigest: Data
    ) {
        self.der = der
        self.fingerprint = fingerprint
        self.serial = serial
        self.name = name
        self.issued = issued
        self.notAfter = notAfter
        self.publicKeyDigest = publicKeyDigest
    }

    /// The serial number as it is kept.
    package var serialText: String { Hexadecimal.text(serial) }
}

/// What must be known before a device that shows another certificate than the pinned one may be let in.
package struct ReadmissionFacts: Sendable, Equatable {
    /// The certificate that is pinned.
    package struct Pinned: Sendable, Equatable {
        package let name: String?
        package let serial: String
        package let issued: Date

        package init(name: String?, serial: String, issued: Date) {
            self.name = name
            self.serial = serial
            self.issued = issued
        }

        package init(der: Data, serial: String, issued: Date) {
            self.init(name: Authority.commonName(of: der), serial: serial, issued: issued)
        }
    }

    package var state: EnrollmentState
    /// Nothing where the record does not have it.
    package var pinned: Pinned?
    /// Whether the certificate that is shown is in the record of issued ones.
    package var isOnRecord: Bool
    /// Those in which the enrollment was not readmitted yet.
    package var eras: [Era]

    package init(state: EnrollmentState, pinned: Pinned?, isOnRecord: Bool, eras: [Era]) {
        self.state = state
        self.pinned = pinned
        self.isOnRecord = isOnRecord
        self.eras = eras
    }
}

/// Lets a device in whose identity was renewed after a backup was made that has been put back since.
///
/// The record of the new certificate is lost, and the device has thrown the old one away. Once in an era the certificate
/// is taken for the enrollment's if nobody else can have it: it says the enrollment's own name, is newer than the pinned
/// one, and is of the time whose records are lost.
package struct Readmission: Sendable, Equatable {
    package let device: String
    package let identity: ShownIdentity
    /// The serial number of the certificate that was pinned.
    package let replaced: String
    package let era: Era

    package init(device: String, identity: ShownIdentity, replaced: String, era: Era) {
        self.device = device
        self.identity = identity
        self.replaced = replaced
        self.era = era
    }

    /// Decides; that the certificate is ours and in time, and that the device has its key, was judged before.
    package static func decide(
        _ shown: ShownIdentity, as device: String, knowing facts: ReadmissionFacts?
    ) -> Outcome<Readmission, ReadmissionRefusal> {
        guard let facts else { return .refused(.unknownDevice) }
        guard facts.state == .pending || facts.state == .enrolled else { return .refused(.ended) }
        guard !facts.isOnRecord else { return .refused(.onRecord) }
        guard let pinned = facts.pinned, let name = pinned.name, !name.isEmpty, name.utf8.elementsEqual(shown.name.utf8)
        else { return .refused(.anotherName) }
        guard pinned.issued < shown.issued else { return .refused(.notNewer) }
        guard let era = facts.eras.last(where: { $0.mayHaveLost(shown.issued) }) else { return .refused(.noEra) }
        return .accepted(Readmission(device: device, identity: shown, replaced: pinned.serial, era: era))
    }
}

/// Why a certificate does not take the place of the pinned one.
package enum ReadmissionRefusal: Error, Sendable, Equatable, CaseIterable {
    case unknownDevice
    /// The enrollment was withdrawn, or the device checked out.
    case ended
    /// The record knows of it: if it is the enrollment's present one, it is pinned, or its first use pins it (`FirstUse`).
    case onRecord
    case anotherName
    case notNewer
    /// It is of a time of which everything is on record, or the enrollment was let in so in that era already.
    case noEra
}

/// What readmission needs of a store.
package protocol ReadmissionStore: Sendable {
    /// The eras, the oldest first; none before the first restore.
    func eras() async throws -> [Era]
    /// Pins the certificate if `Readmission` says so, and notes it in the audit log, in one transaction.
    func readmit(
        _ shown: ShownIdentity, as device: String, now: Date
    ) async throws -> Outcome<Readmission, ReadmissionRefusal>
}
