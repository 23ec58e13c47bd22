package import Foundation

/// What begins when a copy of the store is put back.
///
/// After a restore the server gives out numbers that it gave out before. An era is part of the token of every
/// declaration, so a new value never has the token of a lost one.
package struct Era: Sendable, Equatable {
    /// A certificate is dated before it is written down: one of this many seconds before the copy may be missing in it.
    private static let writing: TimeInterval = 60

    /// Lowercase hexadecimal; two restores of one backup have two.
    package let id: String
    /// When the copy was made, in whole seconds.
    package let copied: Date
    /// When it was put back, in whole seconds.
    package let began: Date

    package init(id: String, copied: Date, began: Date) {
        self.id = id
        self.copied = copied
        self.began = began
    }

    /// A new one; `random` is at least 16 random bytes.
    package init(random: Data, copied: Date, began: Date) {
        self.init(id: Hexadecimal.text(random), copied: copied, began: began)
    }

    /// Whether what was written down at a time may be lost by this restore.
    package func mayHaveLost(_ moment: Date) -> Bool { copied - Self.writing <= moment && moment <= began }
}

/// What a restore means for the fleet, in numbers.
package struct RestoreConsequences: Sendable, Equatable {
    /// Devices that the copy knows as enrolled, or as enrolling.
    package let devices: Int
    /// Of these, the ones whose identity was due to be renewed by now, or whose renewal was ordered.
    package let mayHaveRenewed: Int
    /// Commands that were unfinished in the copy and are not sent again.
    package let retiredCommands: Int
    /// Secrets, which devices fetch once more.
    package let secrets: Int

    package init(devices: Int, mayHaveRenewed: Int, retiredCommands: Int, secrets: Int) {
        self.devices = devices
        self.mayHaveRenewed = mayHaveRenewed
        self.retiredCommands = retiredCommands
        self.secrets = secrets
    }
}
