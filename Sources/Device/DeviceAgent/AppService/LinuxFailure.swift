import Foundation

/// A system call that failed: which step, and the system's own word for why.
package struct LinuxFailure: Error, CustomStringConvertible {
    /// What was being done.
    package let step: String

    /// The system's error number.
    package let number: Int32

    package var description: String { "\(step): \(unsafe String(cString: strerror(number)))" }

    /// Passes on the result of a call, or throws when it is a negative error number.
    @discardableResult
    static func check(_ result: Int32, _ step: String) throws(LinuxFailure) -> Int32 {
        guard result >= 0 else { throw LinuxFailure(step: step, number: -result) }
        return result
    }
}
