import ApplePush
import CertificateAuthority
import CryptographicMessages
import Foundation
import NIOSSL
import Testing
import Waiting

/// A push service that was not written here, on PyPI's h2, with a push certificate that it believes.
final class PushPeer {
    /// One request that it judged.
    struct Push: Decodable {
        let token: String?
        let status: Int
        let reason: String?
        let topic: String?
        let fault: String?
        let body: String
        let authorization: Bool
    }

    static let topic = "com.apple.mgmt.External.0f7c5e5e-3a51-4b0e-9a51-000000000001"

    let folder: URL
    let service: PushService
    /// The push certificate and its key, PEM.
    let certificate: String
    let key: String
    /// What an administrator has after renewing it.
    let renewed: (certificate: String, key: String)

    /// Runs `test` beside such a service, which ends however the test ends.
    static func run(_ test: (PushPeer) async throws -> Void) async throws {
        try await ForeignProgram.inFolder { folder in
            let authority = try SharedAuthority.authority()
            let tls = try authority.issueServer(hostnames: ["localhost"], now: Date())
            try Data(tls.certificatePEM.utf8).write(to: folder.appending(path: "tls.pem"))
            try Data(tls.keyPEM.utf8).write(to: folder.appending(path: "tls.key"))
            let pair = try await certificate(topic: topic, days: 365, key: DeviceKeys.first(), in: folder)
            let renewed = try await certificate(topic: topic, days: 365, key: DeviceKeys.second(), in: folder)
            try Data((pair.certificate + renewed.certificate).utf8).write(to: folder.appending(path: "clients.pem"))
            let process = Process()
            process.executableURL = URL(filePath: ForeignProgram.python)
            process.arguments = [ForeignProgram.script("push_service.py"), folder.path]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            // Nobody waits for its end: a test's thread that did would keep the others from theirs.
            defer { kill(process.processIdentifier, SIGKILL) }
            let file = folder.appending(path: "port")
            try await eventually("the push service listens") { () throws -> Bool in
                let listens = FileManager.default.fileExists(atPath: file.path)
                try #require(listens || process.isRunning, "the push service did not start")
                return listens
            }
            let root = try NIOSSLCertificate(bytes: Array(authority.certificateDER), format: .der)
            let service = PushService(
                url: "https://localhost:\(try String(contentsOf: file, encoding: .utf8))", roots: [root])
            try await test(PushPeer(folder, service, pair, renewed))
        }
    }

    private init(
        _ folder: URL, _ service: PushService, _ pair: (certificate: String, key: String),
        _ renewed: (certificate: String, key: String)
    ) {
        self.folder = folder
        self.service = service
        self.renewed = renewed
        (certificate, key) = pair
    }

    /// A certificate with its topic in the subject, as Apple's push certificates portal makes them; its key is an RSA key.
    static func certificate(
        topic: String, days: Int, key: SigningKey? = nil, in folder: URL
    ) async throws -> (certificate: String, key: String) {
        let key = try key ?? SigningKey.generate(.rsa2048)
        let name = UUID().uuidString
        let (certificate, keyFile) = (folder.appending(path: "\(name).pem"), folder.appending(path: "\(name).key"))
        try Data(key.pem.utf8).write(to: keyFile)
        let made = try await ForeignProgram.run(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-key", keyFile.path, "-days", "\(days)", "-out", certificate.path, "-subj",
                "/UID=\(topic)/CN=APSP:test/C=US",
            ], in: folder)
        try #require(made.status == 0, "\(made.output)")
        return (try String(contentsOf: certificate, encoding: .utf8), key.pem)
    }

    /// What it was sent so far.
    var pushes: [Push] {
        get throws {
            guard let text = try? String(contentsOf: folder.appending(path: "pushes"), encoding: .utf8) else {
                return []
            }
            // The last line may be written at this moment.
            let whole = text.hasSuffix("\n") ? text[...] : text[..<(text.lastIndex(of: "\n") ?? text.startIndex)]
            return try whole.split(separator: "\n").map { try JSONDecoder().decode(Push.self, from: Data($0.utf8)) }
        }
    }

    /// Waits until as many pushes came that `isMeant`.
    @discardableResult
    func pushes(_ count: Int, _ isMeant: (Push) -> Bool = { _ in true }) async throws -> [Push] {
        var last: [Push] = []
        return try await eventually("\(count) of these pushes, of which came: \(last)") { () throws -> [Push]? in
            last = try pushes.filter(isMeant)
            return last.count >= count ? last : nil
        }
    }

    /// What goes wrong with the next pushes: JSON, by token.
    func fails(_ faults: String) throws {
        try Data(faults.utf8).write(to: folder.appending(path: "faults"), options: .atomic)
    }
}
