import CArgon2
package import Foundation

/// Argon2id (RFC 9106, version 1.3), computed by the system's libargon2.
package enum Argon2id {
    /// The work of one computation.
    package struct Cost: Sendable, Equatable {
        package let memoryKiB: Int
        package let passes: Int
        package let lanes: Int

        /// 19 MiB and some tens of milliseconds: the OWASP recommendation for log-ins.
        package static let standard = Cost(memoryKiB: 19_456, passes: 2, lanes: 1)

        package init(memoryKiB: Int, passes: Int, lanes: Int) {
            self.memoryKiB = memoryKiB
            self.passes = passes
            self.lanes = lanes
        }

        /// What a check may take at most, whatever a stored text says; and no less than the algorithm needs.
        var isWithinBounds: Bool {
            (1...16).contains(lanes) && (1...64).contains(passes) && memoryKiB >= 8 * lanes && memoryKiB <= 1 << 20
        }
    }

    /// The tag of a password.
    ///
    /// One thread computes all lanes: a log-in must not take every core.
    package static func tag(
        of password: Data, salt: Data, secret: Data = Data(), associated: Data = Data(), cost: Cost, length: Int = 32
    ) throws -> Data {
        var (password, salt, secret, associated) = (Array(password), Array(salt), Array(secret), Array(associated))
        var tag = [UInt8](repeating: 0, count: length)
        let status = unsafe tag.withUnsafeMutableBufferPointer { tag in
            unsafe password.withUnsafeMutableBufferPointer { password in
                unsafe salt.withUnsafeMutableBufferPointer { salt in
                    unsafe secret.withUnsafeMutableBufferPointer { secret in
                        unsafe associated.withUnsafeMutableBufferPointer { associated in
                            var context = unsafe argon2_context()
                            unsafe context.out = tag.baseAddress
                            unsafe context.outlen = UInt32(tag.count)
                            unsafe context.pwd = password.baseAddress
                            unsafe context.pwdlen = UInt32(password.count)
                            unsafe context.salt = salt.baseAddress
                            unsafe context.saltlen = UInt32(salt.count)
                            unsafe context.secret = secret.isEmpty ? nil : secret.baseAddress
                            unsafe context.secretlen = UInt32(secret.count)
                            unsafe context.ad = associated.isEmpty ? nil : associated.baseAddress
                            unsafe context.adlen = UInt32(associated.count)
                            unsafe context.t_cost = UInt32(cost.passes)
                            unsafe context.m_cost = UInt32(cost.memoryKiB)
                            unsafe context.lanes = UInt32(cost.lanes)
                            unsafe context.threads = 1
                            unsafe context.version = ARGON2_VERSION_13.rawValue
                            // This copy of the password is overwritten as soon as it was read.
                            unsafe context.flags = clearPassword
                            return unsafe argon2id_ctx(&context)
                        }
                    }
                }
            }
        }
        guard status == ARGON2_OK.rawValue else { throw Argon2Failure() }
        return Data(tag)
    }

    /// `ARGON2_FLAG_CLEAR_PASSWORD`, which Swift does not import.
    private static let clearPassword: UInt32 = 1
}

/// The library could not compute: its memory is not to be had, or a parameter is none.
struct Argon2Failure: Error {}
