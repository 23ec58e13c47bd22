import AdminMessages
import Foundation
import Testing

@testable import martlet

/// Where a directory's secrets have their values from.
struct SecretEntryTests {
    /// Was red for a line feed behind a carriage return, which is another character to Swift: two lines were sent as
    /// one value.
    @Test(arguments: [("one", true), ("one\r\n", true), ("one\n", true), ("one\r\ntwo", false), ("one\ntwo", false)])
    func aPasswordIsOneLine(text: String, isOne: Bool) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "secret-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "value")
        try Data(text.utf8).write(to: file)
        let entry = SecretEntry(name: "s", kind: .password, from: SecretReference(file: file.path))
        if isOne {
            #expect(try entry.request(directory) == .password(PasswordSecret(userName: nil, password: "one")))
        } else {
            #expect(throws: Failure.self) { try entry.request(directory) }
        }
    }
}
