import AdminMessages
import CertificateAuthority
import Foundation
import TestLog
import Testing

/// A SCEP client that was not written here: PyPI's PyScep, which `make setup` installs beside the build.
@Suite struct StockSCEPClientTests {
    /// S4-DATA-05: capabilities, the authority's certificate, a request with the challenge, and what is refused.
    @Test(.enabled(if: ForeignProgram.pythonIsThere, "PyPI's PyScep is not installed: make setup does so"))
    func aStockClientEnrols() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let code = try await admin.code().code
                try await ForeignProgram.inFolder { folder in
                    let ca = folder.appending(path: "ca.pem")
                    try Data(server.authority.certificatePEM.utf8).write(to: ca)
                    let client = try await ForeignProgram.run(
                        ForeignProgram.python,
                        [
                            "-W", "ignore", ForeignProgram.script("scep_client.py"), server.baseURL + "/scep", code,
                            folder.path,
                        ], environment: ["REQUESTS_CA_BUNDLE": ca.path], in: folder)
                    #expect(client.status == 0, "\(client.output)")
                    #expect(
                        client.output.split(separator: "\n") == ["guess refused", "certificate", "reuse refused"])

                    let certificate = folder.appending(path: "certificate.der").path
                    let believed = try await ForeignProgram.run(
                        "/usr/bin/openssl", ["verify", "-CAfile", ca.path, "-purpose", "sslclient", certificate],
                        in: folder)
                    #expect(believed.status == 0, "\(believed.output)")
                    let ofCertificate = try await ForeignProgram.run(
                        "/usr/bin/openssl", ["x509", "-in", certificate, "-inform", "der", "-noout", "-pubkey"],
                        in: folder)
                    let ofKey = try await ForeignProgram.run(
                        "/usr/bin/openssl", ["pkey", "-in", folder.appending(path: "key.pem").path, "-pubout"],
                        in: folder)
                    #expect(ofKey.status == 0 && ofKey.output == ofCertificate.output)
                }
                #expect(server.log.say("enrollment refused", "The enrollment code is not known."))
                #expect(server.log.say("enrollment refused", "The enrollment code belongs to another key."))
                #expect(!server.log.all.contains { $0.contains(code) })
            }
        }
    }
}
