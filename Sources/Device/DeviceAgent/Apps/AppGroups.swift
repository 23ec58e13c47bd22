import Foundation

/// The groups that every app is in beside its own, by which an administrator lets apps use devices.
package enum AppGroups {
    /// The number of a group that has this name, or is written as a number.
    ///
    /// There is none if the machine does not know the name, or if no app may be in the group: root's, and those of apps.
    package static func number(of name: String) -> UInt32? {
        let number: UInt32
        if let written = UInt32(name) {
            number = written
        } else {
            guard let entry = unsafe getgrnam(name) else { return nil }
            number = unsafe entry.pointee.gr_gid
        }
        return (1..<AppNumbers.first).contains(number) ? number : nil
    }
}
