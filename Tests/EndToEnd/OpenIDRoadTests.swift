import AsyncHTTPClient
import CertificateAuthority
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Testing
import Waiting

/// An administrator signs in with the command line tool, a browser and a provider that was not written here.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)))
struct OpenIDRoadTests {
    private static let tree = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let python = tree.appending(path: ".build/interop/python/bin/python3")
    private static let pythonIsThere = FileManager.default.isExecutableFile(atPath: python.path)
    private static let roles = #"{"rules": [{"claim": "groups", "is": "fleet", "role": "auditor"}]}"#

    /// `martlet login --oidc` shows an address; whoever signs in there has the session, with the role of the rules.
    @Test(.enabled(if: pythonIsThere, "PyPI's joserfc is not installed: make setup does so"))
    func anAdministratorSignsInByABrowser() async throws {
        try await Self.inFolder { folder in
            let authority = try Authority.create(commonName: "The provider's", now: Date())
            let identity = try authority.issueServer(hostnames: ["localhost"], now: Date())
            try Data(identity.certificatePEM.utf8).write(to: folder.appending(path: "tls.pem"))
            try Data(identity.keyPEM.utf8).write(to: folder.appending(path: "tls.key"))
            let root = try NIOSSLCertificate(bytes: Array(authority.certificateDER), format: .der)
            try Data(authority.certificatePEM.utf8).write(to: folder.appending(path: "authority.pem"))
            try Data("a secret: of+the client\n".utf8).write(to: folder.appending(path: "secret"))
            try Data(Self.roles.utf8).write(to: folder.appending(path: "roles.json"))
            let provider = try RunningProcess(
                "provider", Self.python,
                [Self.tree.appending(path: "Tests/Interoperation/openid_provider.py").path, folder.path],
                environment: [:])
            defer { provider.killNow() }
            let issuer = "https://localhost:\(try await Self.content(of: folder.appending(path: "port")))"
            let options = [
                "--oidc-issuer", issuer, "--oidc-client", "martlet",
                "--oidc-secret-file", folder.appending(path: "secret").path,
                "--oidc-roles", folder.appending(path: "roles.json").path,
                "--oidc-authority", folder.appending(path: "authority.pem").path,
            ]
            try await Road.with(options: options) { road in
                var environment = Road.environment(road.home)
                environment["MARTLET_SESSION"] = road.home.appending(path: "anna.json").path
                let login = try RunningProcess(
                    "martlet", Road.binary("martlet"),
                    ["login", "--server", road.url, "--ca-file", road.authority, "--oidc"], environment: environment)
                let shown = try await login.line(containing: "/sign-in/oidc?port=")
                let end = try await Self.browse(
                    shown.text.trimmingCharacters(in: .whitespaces), road, root)
                #expect(end.contains("Signed in"), "\(end)")
                #expect(try await login.exit() == 0, "\(login.output.map(\.text))")
                let whoAmI = try RunningProcess(
                    "martlet", Road.binary("martlet"), ["whoami"], environment: environment)
                #expect(try await whoAmI.exit() == 0)
                try await whoAmI.drained()
                let text = whoAmI.output.map(\.text).joined(separator: "\n")
                #expect(text.contains("anna@example.org") && text.contains("auditor"), "\(text)")
                #expect(try await road.martlet("administrator", "list").contains("anna@example.org"))
            }
        }
    }

    /// What is incomplete or cannot be read stops the start, with a sentence that names no content.
    @Test func whatIsSaidOfTheProviderIsJudgedAtTheStart() async throws {
        try await Self.inFolder { folder in
            let roles = folder.appending(path: "roles.json")
            try Data(#"{"rules": [{"claim": "groups", "is": "planted-text", "role": "king"}]}"#.utf8).write(to: roles)
            let issuer = ["--oidc-issuer", "https://login.example.org"]
            for (options, sentence) in [
                (["--oidc-client", "martlet"], "belong to an issuer"), (issuer, "--oidc-client and --oidc-roles"),
                (["--oidc-issuer", "http://login.example.org"], "an https URL"),
                (issuer + ["--oidc-client", "martlet", "--oidc-roles", roles.path], "Rule 1 has"),
                (
                    issuer + ["--oidc-client", "martlet", "--oidc-roles", "/nowhere"],
                    "/nowhere (--oidc-roles) cannot be read"
                ),
            ] {
                let server = try RunningProcess(
                    "martlet-server", Road.binary("martlet-server"),
                    ["run", "--data-directory", folder.appending(path: "server").path, "--port", "0"] + options,
                    environment: Road.environment(folder))
                let status = try await server.exit()
                server.killNow()
                try await server.drained()
                let text = server.output.map(\.text).joined(separator: "\n")
                #expect(status != 0 && text.contains(sentence) && !text.contains("planted-text"), "\(options): \(text)")
            }
        }
    }

    // MARK: help

    /// Follows redirects with a site's cookies and returns the last page.
    private static func browse(_ address: String, _ road: Road, _ root: NIOSSLCertificate) async throws -> String {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(road.authority) + [root])
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.redirectConfiguration = .disallow
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            var next: String? = address
            var cookie: String?
            var text = ""
            for _ in 0..<6 {
                guard let present = next else { break }
                var request = HTTPClientRequest(url: present)
                if let cookie, present.hasPrefix(road.url) { request.headers.add(name: "Cookie", value: cookie) }
                let answer = try await client.execute(request, timeout: .seconds(60))
                cookie =
                    answer.headers.first(name: "set-cookie")?.split(separator: ";").first.map(String.init) ?? cookie
                text = String(buffer: try await answer.body.collect(upTo: 1 << 20))
                next = answer.headers.first(name: "location")
            }
            try await client.shutdown()
            return text
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    private static func content(of file: URL) async throws -> String {
        try await eventually("\(file.lastPathComponent) is there") { FileManager.default.fileExists(atPath: file.path) }
        return try String(contentsOf: file, encoding: .utf8)
    }

    private static func inFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "openid-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }
}
