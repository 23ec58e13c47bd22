import Foundation

/// What a service says to the people and scripts that started it.
package enum StandardOutput {
    /// Opens each standard stream that is closed, on `/dev/null`.
    ///
    /// Without that, a file that the service opens could get the number of a closed stream. Output would then be written
    /// into that file.
    package static func keepDescriptors() {
        while true {
            // The lowest number that is free.
            let descriptor = unsafe open("/dev/null", O_RDWR)
            guard (0...STDERR_FILENO).contains(descriptor) else {
                if descriptor >= 0 { close(descriptor) }
                return
            }
        }
    }

    /// Writes one line to the standard output at once.
    ///
    /// An output that is closed or full, or whose reader went away, does not end the service: it serves all the same.
    package static func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }
}
