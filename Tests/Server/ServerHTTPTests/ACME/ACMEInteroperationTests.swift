import CertificateAuthority
import Foundation
import Management
import TestLog
import Testing

/// A client that was not written here: PyPI's `acme`, which `make setup` installs beside the build.
@Suite struct ACMEInteroperationTests {
    private static let script = ForeignProgram.script("acme_client.py")

    /// S4-GOAL-06: account, nonce, order, finalize and revoke, each as the other program understands the standard.
    @Test(.enabled(if: ForeignProgram.pythonIsThere, "PyPI's acme client is not installed: make setup does so"))
    func thePythonClientObtainsAndRevokes() async throws {
        try await IdentityFixture.with(.ownACME()) { (fixture) async throws in
            let server = fixture.server
            try await ForeignProgram.inFolder { folder in
                let (ca, tls) = (folder.appending(path: "ca.pem"), folder.appending(path: "tls.pem"))
                try Data(server.identityAuthority.certificatePEM.utf8).write(to: ca)
                try Data(server.authority.certificatePEM.utf8).write(to: tls)
                let identifier = try await fixture.clientIdentifier()
                let client = try await ForeignProgram.run(
                    ForeignProgram.python,
                    [Self.script, server.baseURL + "/acme/directory", tls.path, identifier, folder.path], in: folder)
                #expect(client.status == 0, "\(client.output)")
                #expect(
                    client.output.split(separator: "\n") == [
                        "account", "guess refused", "order", "challenge", "certificate", "revoked", "deactivated",
                    ])

                // OpenSSL believes the chain, and with the list of revoked certificates it does not.
                try await server.client().with { client in
                    let list = try await client.send("GET", server.baseURL + "/pki/crl")
                    #expect(list.headers["content-type"] == "application/pkix-crl")
                    try list.body.write(to: folder.appending(path: "crl.der"))
                }
                let chain = folder.appending(path: "chain.pem").path
                let believed = try await ForeignProgram.run(
                    "/usr/bin/openssl", ["verify", "-CAfile", ca.path, "-purpose", "sslclient", chain], in: folder)
                #expect(believed.status == 0, "\(believed.output)")
                let text = try await ForeignProgram.run(
                    "/usr/bin/openssl", ["x509", "-in", chain, "-noout", "-subject", "-text"], in: folder)
                #expect(text.output.contains("CN = device one"))
                #expect(text.output.contains("TLS Web Client Authentication"))
                let judged = try await ForeignProgram.run(
                    "/usr/bin/openssl",
                    [
                        "verify", "-CAfile", ca.path, "-crl_check", "-CRLfile", folder.appending(path: "crl.der").path,
                        chain,
                    ], in: folder)
                #expect(judged.status != 0)
                #expect(judged.output.contains("certificate revoked"), "\(judged.output)")
                #expect(server.log.say("ACME request refused", "No certificate may be ordered"))
                #expect(!server.log.all.contains { $0.contains(identifier) })
            }
        }
    }
}
