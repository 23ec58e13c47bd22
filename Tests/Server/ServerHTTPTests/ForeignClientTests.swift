import AdminMessages
import CertificateAuthority
import Foundation
import TestLog
import Testing

/// An MDM client of another make against this server: D1.
///
/// The client is a Python program beside the tests. It was written with the habits of a widely used Go client, which signs
/// its SCEP message with a key made for it and its MDM messages with SHA-1.
@Suite(.enabled(if: ForeignProgram.pythonIsThere, "PyPI's clients are not installed: make setup does so"))
struct ForeignClientTests {
    @Test func aClientWithAKeyForEachMessageEnrols() async throws {
        try await run(digest: "sha256", cipher: "aes") { words in
            #expect(words.prefix(2) == ["certificate", "enrolled"])
            #expect(words.suffix(2) == ["declarations", "left"])
            #expect(words.contains("command DeclarativeManagement"))
        }
    }

    /// The leave of the code covers the messages of the device that it let in, not only its certificate request.
    @Test func aClientThatSignsWithSHA1EnrolsByACodeThatAllowsIt() async throws {
        try await run(digest: "sha1", cipher: "des", allowsLegacy: true) { words in
            #expect(words.prefix(2) == ["certificate", "enrolled"])
            #expect(words.suffix(2) == ["declarations", "left"])
        }
    }

    @Test func withoutTheLeaveOfItsCodeNoMessageIsSignedWithSHA1() async throws {
        try await run(digest: "sha1", cipher: "aes") { words in
            #expect(words == ["failure 1"], "the key of the message is not the one in it: no word about the algorithm")
        }
        try await run(digest: "sha256", cipher: "aes", messageDigest: "sha1") { words in
            #expect(words == ["certificate", "authenticate 400"])
        }
    }

    private func run(
        digest: String, cipher: String, allowsLegacy: Bool = false, messageDigest: String? = nil,
        _ judge: @escaping @Sendable (_ words: [String]) -> Void
    ) async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let code = try await admin.code(allowLegacyCryptography: allowsLegacy)
                try await ForeignProgram.inFolder { folder in
                    let ca = folder.appending(path: "ca.pem")
                    try Data(server.authority.certificatePEM.utf8).write(to: ca)
                    let profile = folder.appending(path: "enroll.mobileconfig")
                    try await admin.client.send("GET", code.enrollmentURL).body.write(to: profile)
                    let client = try await ForeignProgram.run(
                        ForeignProgram.python,
                        [
                            "-B", "-W", "ignore", ForeignProgram.script("mdm_client.py"), profile.path, ca.path, digest,
                            cipher,
                        ] + (messageDigest.map { [$0] } ?? []), in: folder)
                    #expect(client.status == 0, "\(client.output)")
                    judge(client.output.split(separator: "\n").map(String.init))
                }
                #expect(!server.log.all.contains { $0.contains(code.code) })
            }
        }
    }
}
