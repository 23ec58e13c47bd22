import CLinux
import Foundation
import Testing

/// fs-verity as far as this machine has it.
struct ImmutableFileTests {
    @Test func aFileSystemWithoutVeritySaysSoAndTheFileStaysAsItWas() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "verity-\(UUID().uuidString)").path
        try Data("whole".utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let result = unsafe clinux_make_immutable(path)
        if result == 0 {
            // This machine has it after all.
            #expect(unsafe open(path, O_WRONLY) == -1 && errno == EPERM)
        } else {
            #expect([-EOPNOTSUPP, -ENOTTY].contains(result))
            try Data("changed".utf8).write(to: URL(filePath: path))
        }
        #expect(unsafe clinux_make_immutable(path + "-missing") == -ENOENT)
        let link = path + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        defer { try? FileManager.default.removeItem(atPath: link) }
        #expect(unsafe clinux_make_immutable(link) == -ELOOP)
    }
}
