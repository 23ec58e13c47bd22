import AppDevelopment
import AppMessages
import DeviceAgent
import Foundation
import Testing

/// The file with a developer's secrets.
struct SecretsFileTests {
    @Test func aFileThatOnlyItsOwnerReadsGivesItsSecrets() throws {
        let place = try Place()
        try place.write("secrets.json", #"{"passwords": {"account": "hunter2", "other": "x"}}"#, mode: 0o600)
        let secrets = try SecretsFile(at: place.path("secrets.json"))
        #expect(secrets.names.entries.map(\.identifier) == ["account", "other"])
        let digest = try #require(secrets.names.digest(.password, "account"))
        #expect(secrets.contents[digest] == .password("hunter2"))
        #expect(secrets.contents.count == 2)
    }

    /// Fail closed: whoever could read it may have it.
    @Test(arguments: [0o644, 0o640, 0o604, 0o660, 0o610, 0o601] as [mode_t])
    func aFileThatOthersMayReadOrChangeGivesNone(mode: mode_t) throws {
        let place = try Place()
        try place.write("secrets.json", #"{"passwords": {"account": "hunter2"}}"#, mode: mode)
        let refusal = #expect(throws: SecretsFile.Refusal.self) { try SecretsFile(at: place.path("secrets.json")) }
        guard case .unprotected(let rule)? = refusal else { return #expect(Bool(false), "unprotected") }
        #expect(rule.contains("chmod 600") && !rule.contains("hunter2"))
    }

    @Test func aFileThatIsNotThereOrIsNoFileGivesNone() throws {
        let place = try Place()
        for name in ["none.json", "."] {
            let refusal = #expect(throws: SecretsFile.Refusal.self) { try SecretsFile(at: place.path(name)) }
            guard case .unprotected? = refusal else { return #expect(Bool(false), "unprotected") }
        }
    }

    /// The same goes for an identity's file, and for what a link leads to.
    @Test func whatItNamesIsHeldToTheSame() throws {
        let place = try Place()
        try place.write(
            "secrets.json", #"{"identities": {"client": {"file": "client.p12", "password": "p"}}}"#, mode: 0o600)
        try place.write("client.p12", "junk", mode: 0o644)
        var refusal = #expect(throws: SecretsFile.Refusal.self) { try SecretsFile(at: place.path("secrets.json")) }
        guard case .unprotected? = refusal else { return #expect(Bool(false), "unprotected") }
        try place.write("client.p12", "junk", mode: 0o600)
        refusal = #expect(throws: SecretsFile.Refusal.self) { try SecretsFile(at: place.path("secrets.json")) }
        #expect(refusal == .malformed("the identity is not a PKCS #12 that can be used"))
        try place.write("open.json", "{}", mode: 0o644)
        try FileManager.default.createSymbolicLink(atPath: place.path("link.json"), withDestinationPath: "open.json")
        refusal = #expect(throws: SecretsFile.Refusal.self) { try SecretsFile(at: place.path("link.json")) }
        guard case .unprotected? = refusal else { return #expect(Bool(false), "unprotected") }
    }

    @Test(arguments: [
        #"{"password": {"account": "hunter2"}}"#, #"{"passwords": {"account": 2}}"#, #"{"passwords": {"": "hunter2"}}"#,
        #"{"passwords": "#, "[]", #"{"certificates": {"authority": "hunter2"}}"#,
        #"{"identities": {"client": "hunter2"}}"#,
    ])
    func whatCannotBeUnderstoodIsRefusedWithoutItsContent(text: String) throws {
        let place = try Place()
        try place.write("secrets.json", text, mode: 0o600)
        let refusal = #expect(throws: SecretsFile.Refusal.self) { try SecretsFile(at: place.path("secrets.json")) }
        guard case .malformed(let rule)? = refusal else { return #expect(Bool(false), "malformed") }
        #expect(!rule.contains("hunter2"))
    }

    /// Red where neither the member nor the place was named.
    @Test(arguments: [
        (#"{"password": {"account": "hunter2"}}"#, #"not known: "password" (did you mean "passwords"?)"#),
        (#"{"passwords": {"account": 2}}"#, "passwords.account is of another type: a password is a text"),
        (#"{"identities": {"client": "hunter2"}}"#, "identities.client is of another type: "),
        ("[]", "it is an object with nothing but passwords"),
    ])
    func theMemberThatIsWrongIsNamed(text: String, part: String) throws {
        let place = try Place()
        try place.write("secrets.json", text, mode: 0o600)
        let refusal = #expect(throws: SecretsFile.Refusal.self) { try SecretsFile(at: place.path("secrets.json")) }
        #expect(refusal?.rule.contains(part) == true, "\(refusal?.rule ?? "")")
    }

    /// A directory of its own.
    private final class Place {
        private let directory: URL

        init() throws {
            directory = FileManager.default.temporaryDirectory.appending(path: "secrets-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: directory) }

        func path(_ name: String) -> String { directory.path + "/" + name }

        func write(_ name: String, _ text: String, mode: mode_t) throws {
            try Data(text.utf8).write(to: URL(filePath: path(name)))
            #expect(unsafe chmod(path(name), mode) == 0)
        }
    }
}
