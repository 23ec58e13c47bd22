/// Why the chip did not do what was asked.
package enum TPMFailure: Error, Sendable, Equatable {
    /// The library that leads to chips is not installed.
    case noLibrary
    /// No chip answers at the configured place.
    case unreachable
    /// The chip went away while it worked.
    case connectionLost
    /// The chip did not answer in time.
    case timeout
    /// Too much waits for the chip already.
    case busy
    /// The chip refused, with this code.
    case refused(UInt32)
    /// The chip's answer has not the form it must have.
    case malformed
    /// The key or the algorithm is not one that the chip is used with.
    case algorithm
}

extension TPMFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noLibrary: "the TPM cannot be reached: libtss2 is not installed"
        case .unreachable: "the TPM cannot be reached"
        case .connectionLost: "the connection to the TPM was lost"
        case .timeout: "the TPM did not answer in time"
        case .busy: "too much waits for the TPM"
        case .refused(let code): "the TPM refused with code 0x\(String(code, radix: 16))"
        case .malformed: "the TPM's answer is malformed"
        case .algorithm: "the TPM is not used with this key or algorithm"
        }
    }
}
