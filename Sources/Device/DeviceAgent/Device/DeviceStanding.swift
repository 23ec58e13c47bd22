import CLinux
import Foundation
package import TPMKeys

/// Whether a device is enrolled, as far as the user of this process can find out.
package enum DeviceStanding: Equatable, Sendable {
    case free
    case enrolled
    /// It may be: what is there cannot be read, or its agent does not answer.
    case unknown

    /// Looks into the directory of the device's agent, or asks the agent where the directory is another user's.
    package static func of(_ directory: String, tpm: TPM? = nil) -> DeviceStanding {
        var facts = clinux_file()
        let result = unsafe clinux_file_look(directory, &facts)
        guard result == 0 else { return result == -ENOENT ? .free : .unknown }
        if facts.owner == geteuid() || geteuid() == 0 {
            do {
                return try AgentSummary.read(directory: directory, tpm: tpm)?.isEnrolled == true ? .enrolled : .free
            } catch {
                return .unknown
            }
        }
        do {
            guard let answer = try ControlCommand.isEnrolled(controlPath: directory + "/control.socket") else {
                return .unknown
            }
            return answer ? .enrolled : .free
        } catch {
            // Where no agent has ever kept anything there is nothing that could be enrolled.
            return unsafe clinux_file_look(directory + "/generations", &facts) == -ENOENT ? .free : .unknown
        }
    }
}
