import Foundation

/// The feedback in Foundation's own user defaults, which the app wrote at a time without an agent.
///
/// Foundation writes its file only on request. Without that, removed feedback comes back with the app's next process.
package struct FoundationsFeedback: Sendable {
    /// Reads the object under the key, of any type.
    package let read: @Sendable () -> Any?
    /// Removes the object, in this process only.
    package let remove: @Sendable () -> Void
    /// Writes changes to the disk, and returns whether that worked.
    package let write: @Sendable () -> Bool

    /// Creates it from the functions that read, remove and write it.
    package init(
        read: @escaping @Sendable () -> Any?, remove: @escaping @Sendable () -> Void,
        write: @escaping @Sendable () -> Bool
    ) {
        (self.read, self.remove, self.write) = (read, remove, write)
    }

    /// The feedback in the standard user defaults.
    package static let standard = FoundationsFeedback(
        read: { ManagedDefaults.foundationsFeedback }, remove: { ManagedDefaults.removeFoundationsFeedback() },
        write: { UserDefaults.standard.synchronize() })
}
