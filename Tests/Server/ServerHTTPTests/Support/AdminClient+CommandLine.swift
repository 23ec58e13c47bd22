import CertificateAuthority

@testable import martlet

extension AdminClient {
    /// Runs `body` with the client of the command line, signed in as this administrator.
    func withCommandLine(_ server: TestServer, _ body: (Server) async throws -> Void) async throws {
        let authority = try martlet.Authority(pem: server.authority.certificatePEM)
        try await Server.at(server.baseURL, authority: authority, token: token) { (tool) async throws in
            try await body(tool)
        }
    }
}
