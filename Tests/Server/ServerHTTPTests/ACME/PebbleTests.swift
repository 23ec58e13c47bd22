import ACME
import AsyncHTTPClient
import CertificateAuthority
import Crypto
import CryptographicMessages
import Foundation
import InputBounds
import NIOCore
import NIOPosix
import NIOSSL
import SCEP
import SwiftASN1
import Synchronization
import Testing
import Waiting
import X509

/// A server that was not written here: Debian's `pebble`, with its own look at the challenge and its refused nonces.
@Suite struct PebbleTests {
    private static let pebble = "/usr/bin/pebble"
    private static let answerer = "/usr/bin/pebble-challtestsrv"
    private static let isThere = [pebble, answerer].allSatisfy(FileManager.default.isExecutableFile)

    @Test(.enabled(if: isThere, "pebble is not installed: make setup does so"), arguments: ["http-01", "dns-01"])
    func ourClientObtainsACertificateFromPebble(_ challenge: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pebble-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let ports = try await Ports()
        let authority = try SharedAuthority.authority()
        try configure(folder, ports, authority)
        let processes = [
            try start(
                Self.answerer,
                [
                    "-management", "127.0.0.1:\(ports.answererManagement)", "-http01", "127.0.0.1:\(ports.http)",
                    "-dns01", "127.0.0.1:\(ports.dns)", "-https01", "", "-tlsalpn01", "",
                    "-defaultIPv4", "127.0.0.1", "-defaultIPv6", "",
                ], in: folder),
            try start(
                Self.pebble,
                ["-config", "pebble.json", "-strict", "-dnsserver", "127.0.0.1:\(ports.dns)"], in: folder),
        ]
        // Not asked to end: where the process that runs the tests ignores that signal, its children do, too.
        defer { for process in processes { kill(process.processIdentifier, SIGKILL) } }
        try await client(authority).with { client in
            try await obtain(challenge, ports, client)
        }
    }

    private func obtain(_ challenge: String, _ ports: Ports, _ http: HTTPClient) async throws {
        let directory = "https://127.0.0.1:\(ports.acme)/dir"
        try await answers(directory, http)
        let key = SigningKey.p256(P256.Signing.PrivateKey())
        let manager = "http://127.0.0.1:\(ports.answererManagement)"
        try await answers(manager + "/", http)
        let client = ACMEClient(
            send: { request in
                let headers = request.body == nil ? [:] : ["content-type": ACMEHTTPRequest.contentType]
                let answer = try await http.send(
                    request.method.rawValue, request.url, headers: headers, body: request.body)
                return ACMEHTTPResponse(status: Int(answer.status), headers: answer.headers, body: answer.body)
            },
            prove: { challenge, identifier, authorization in
                let (path, document): (String, [String: String]) =
                    challenge.type == ACMEChallenge.http
                    ? ("/add-http01", ["token": challenge.token, "content": authorization])
                    : (
                        "/set-txt",
                        [
                            "host": "_acme-challenge.\(identifier).",
                            "value": Base64URL.encode(SHA256.hash(data: Data(authorization.utf8))),
                        ]
                    )
                let body = JSONValue.object(document.mapValues(JSONValue.string)).encoded()
                let answer = try await http.send("POST", manager + path, body: body)
                #expect(answer.status == 200)
                return .object([:])
            })
        let chain = try await client.obtain(
            ACMEExchange.Wish(
                directoryURL: directory, identifiers: [ACMEIdentifier(.dns, "device.example")],
                challengeType: challenge, certificateRequest: try Self.request("device.example", key),
                accountKey: .generate()))
        #expect(chain.certificates.count >= 2)
        #expect(try Authority.publicKeyInfo(of: #require(chain.certificates.first)) == key.publicKeyInfo)
    }

    private static func request(_ name: String, _ key: SigningKey) throws -> Data {
        let extensions = try Certificate.Extensions { SubjectAlternativeNames([.dnsName(name)]) }
        let request = try CertificateSigningRequest(
            version: .v1, subject: DistinguishedName { CommonName(name) }, privateKey: key.certificateKey,
            attributes: .init([.init(ExtensionRequest(extensions: extensions))]))
        return try Data(request.serializeAsPEM().derBytes)
    }

    // MARK: The programs

    private func configure(_ folder: URL, _ ports: Ports, _ authority: Authority) throws {
        let identity = try authority.issueServer(hostnames: ["127.0.0.1", "localhost"], now: Date())
        try Data(identity.certificatePEM.utf8).write(to: folder.appending(path: "cert.pem"))
        try Data(identity.keyPEM.utf8).write(to: folder.appending(path: "key.pem"))
        let configuration = """
            {"pebble": {"listenAddress": "127.0.0.1:\(ports.acme)", "managementListenAddress": "127.0.0.1:\(ports.management)",
            "certificate": "cert.pem", "privateKey": "key.pem", "httpPort": \(ports.http), "tlsPort": \(ports.tls),
            "ocspResponderURL": "", "externalAccountBindingRequired": false}}
            """
        try Data(configuration.utf8).write(to: folder.appending(path: "pebble.json"))
    }

    private func start(_ path: String, _ arguments: [String], in folder: URL) throws -> Process {
        let output = folder.appending(path: "output-\(UUID().uuidString)")
        try Data().write(to: output)
        let handle = try FileHandle(forWritingTo: output)
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        // Three nonces in ten are refused on purpose; the waits before a validation serve no test.
        process.environment = ["PEBBLE_VA_NOSLEEP": "1", "PEBBLE_WFE_NONCEREJECT": "15"]
        process.standardOutput = handle
        process.standardError = handle
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Waits until a program listens.
    private func answers(_ url: String, _ client: HTTPClient) async throws {
        try await eventually("a program listens at \(url)") { (try? await client.send("GET", url)) != nil }
    }

    private func client(_ authority: Authority) throws -> HTTPClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(authority.certificateDER), format: .der)])
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.timeout.connect = .minutes(10)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Ports of the loopback that were free a moment ago, each another one; below those that the kernel gives to others, and
    /// none that this process has named before: two of these tests run at once.
    private struct Ports {
        let acme, management, http, tls, dns, answererManagement: Int

        private static let given = Mutex<Set<Int>>([])

        init() async throws {
            var channels: [any Channel] = []
            for _ in 0..<200 where channels.count < 6 {
                let port = Int.random(in: 12_000..<30_000)
                guard Self.given.withLock({ $0.insert(port).inserted }) else { continue }
                let channel = try? await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .bind(host: "127.0.0.1", port: port).get()
                if let channel { channels.append(channel) }
            }
            try #require(channels.count == 6)
            let ports = channels.map { $0.localAddress?.port ?? 0 }
            for channel in channels { try await channel.close() }
            (acme, management, http, tls, dns, answererManagement) = (
                ports[0], ports[1], ports[2], ports[3], ports[4], ports[5]
            )
        }
    }
}
