import AsyncHTTPClient
import CertificateAuthority
import CryptographicMessages
import DeviceMessages
import Foundation
import Management
import Testing

/// Whether a certificate is revoked, asked and understood by OpenSSL.
@Suite struct OCSPTests {
    @Test(arguments: ["-sha1", "-sha256"])
    func `another program hears of each certificate what became of it`(_ hash: String) async throws {
        let recipe = SecretValue.ownSCEP(SubjectAttribute(type: "CN", value: "one"))
        try await IdentityFixture.with(recipe) { (fixture) async throws in
            let leaf = try await fixture.certificate(fixture.challenge(), key: DeviceKeys.second())
            // The same authority, but never written down.
            let stray = try fixture.server.identityAuthority.issueIdentity(
                publicKeyDER: DeviceKeys.second().publicKeyInfo,
                profile: IdentityProfile(subject: [.init("CN", "stray")]), now: Date())
            let stranger = fixture.device.identity.certificate
            #expect(try await ask(leaf, hash, fixture).contains("leaf.pem: good"))
            #expect(try await ask(stray, hash, fixture).contains("leaf.pem: unknown"))
            // Of another authority, asked about as if it were this one's.
            #expect(try await ask(stranger, hash, fixture).contains("leaf.pem: unknown"))

            let device = fixture.device
            let farewell = CheckOut(identifier: device.identifier, topic: device.topic)
            #expect(try await device.checkIn(.checkOut(farewell)).status == 200)
            let answer = try await ask(leaf, hash, fixture)
            #expect(answer.contains("leaf.pem: revoked") && answer.contains("cessationOfOperation"), "\(answer)")
        }
    }

    @Test func `what is no question gets no signature`() async throws {
        try await TestServer.run { (server) async throws in
            try await server.client().with { client in
                let url = server.baseURL + "/pki/ocsp"
                for body in [Data(), Data("x".utf8), Data([0x30, 0]), Data([0x30, 2, 0x30, 0])] {
                    let answer = try await client.send("POST", url, body: body)
                    #expect(answer.status == 200)
                    // malformedRequest, and nothing else.
                    #expect(answer.body == Data([0x30, 3, 0x0a, 1, 1]))
                }
                #expect(try await client.send("POST", url, body: Data(count: 5_000)).status == 413)
            }
        }
    }

    /// OpenSSL asks with a nonce and checks signature, time, nonce and certificate of the answer.
    private func ask(_ certificate: Data, _ hash: String, _ fixture: IdentityFixture) async throws -> String {
        let said = AsyncStream<String>.makeStream()
        try await ForeignProgram.inFolder { folder in
            let text = certificate.base64EncodedString(options: .lineLength64Characters)
            let pem = "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
            try Data(pem.utf8).write(to: folder.appending(path: "leaf.pem"))
            try Data(fixture.server.identityAuthority.certificatePEM.utf8).write(to: folder.appending(path: "ca.pem"))
            func openssl(_ arguments: [String]) async throws -> String {
                let (status, output) = try await ForeignProgram.run("/usr/bin/openssl", arguments, in: folder)
                try #require(status == 0, "\(output)")
                return output
            }
            func path(_ name: String) -> String { folder.appending(path: name).path }
            let about = [hash, "-issuer", path("ca.pem"), "-cert", path("leaf.pem")]
            _ = try await openssl(["ocsp"] + about + ["-reqout", path("request")])
            let answer = try await fixture.client.send(
                "POST", fixture.server.baseURL + "/pki/ocsp", headers: ["content-type": "application/ocsp-request"],
                body: Data(contentsOf: folder.appending(path: "request")))
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/ocsp-response")
            try answer.body.write(to: folder.appending(path: "answer"))
            // Without a further nonce: the one to be found in the answer is that of the request.
            let verdict = try await openssl(
                ["ocsp"] + about + [
                    "-reqin", path("request"), "-no_nonce", "-respin", path("answer"), "-CAfile", path("ca.pem"),
                ])
            #expect(verdict.contains("Response verify OK") && !verdict.contains("WARNING"), "\(verdict)")
            said.continuation.yield(verdict)
        }
        var texts = said.stream.makeAsyncIterator()
        return try #require(await texts.next())
    }
}
