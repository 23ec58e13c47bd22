import Crypto
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import PlayedAgent
import SwiftASN1
import Synchronization
import Testing
import X509

/// A developer's app and license server, and two organizations: AS-7, A19.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct LicensingTests {
    private static let app = "com.example.licensing"

    /// S4-LIC-01, S4-LIC-02, S4-LIC-05: a token that nobody types, then a license key, whose organization the server knows.
    @Test func theServerTellsTheOrganizationsApart() async throws {
        try await withLicenses { road, server, _ in
            let app = try await RoadApp.installed("Licensing", as: Self.app, on: road)
            let root = try server.authority.certificate.serializeAsPEM().pemString
            try await road.setCertificate("server-root", pem: root)
            try await app.configure(json: Self.configuration(server, token: "token-of-north"))
            try await app.assign()
            try await road.give("server-root", to: Self.app, as: "server-root")
            try await road.enroll()
            try await road.synchronised()
            let running = try app.open()
            _ = try await running.line(containing: "Licensed to North by license token.")
            _ = try await server.process.line(containing: "request of North by license token")

            // The token of the other organization, while the app runs.
            var mark = running.mark
            try await app.configure(json: Self.configuration(server, token: "token-of-south"))
            _ = try await running.line(containing: "Licensed to South by license token.", after: mark)
            mark = running.mark
            try await app.configure(json: Self.configuration(server, token: "token-of-nobody"))
            _ = try await running.line(containing: "Not licensed.", after: mark)

            // A license key takes the place of the token. South's authority is the organization's own: the road's.
            mark = running.mark
            try await road.setSecret("license-key", ["--scep", "--subject", "CN=${device.udid}"])
            try await road.give("license-key", to: Self.app, as: "license")
            try await road.synchronised()
            try await app.configure(json: Self.configuration(server, token: "token-of-north"))
            _ = try await running.line(containing: "Licensed to South by license key.", after: mark)
        }
    }

    /// A19, S4-LIC-02: three licenses for four devices.
    ///
    /// Each device of the table presents a token of its own that nobody typed; the fourth has none, and one that is made up
    /// for it is refused.
    @Test func eachLicensedDeviceHasATokenOfItsOwnAndOneMoreHasNone() async throws {
        try await withLicenses { road, first, _ in
            let tokens = (1...3).map { "token-of-north-\($0)-\(UUID().uuidString)" }
            try Data(tokens.joined(separator: "\n").utf8)
                .write(to: road.home.appending(path: "customers/North.token"))
            let server = try await LicenseServerOnRoad.start(on: road, authority: first.authority)
            let app = try await RoadApp.installed("Licensing", as: Self.app, on: road)
            try await road.setCertificate("server-root", pem: first.authority.certificate.serializeAsPEM().pemString)
            try await app.configure(json: Self.configuration(server, token: nil))
            try await app.assign()
            try await road.give("server-root", to: Self.app, as: "server-root")
            var devices: [RoadDevice] = []
            for number in 1...4 { devices.append(try await RoadDevice(number, on: road)) }
            func license(_ values: [(device: RoadDevice, token: String)]) async throws {
                let file = road.home.appending(path: "licenses.csv")
                let lines = ["serialNumber,password"] + values.map { "\($0.device.id),\($0.token)" }
                try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
                try await road.martlet("secret", "set-values", "licenses", file.path)
            }
            try await license(zip(devices, tokens).map { ($0, $1) })
            try await road.give("licenses", to: Self.app, as: "license-token")
            for (number, device) in devices.enumerated() {
                try await road.synchronised(device.id)
                let mark = server.process.mark
                let said = number < 3 ? "Licensed to North by license token." : "neither license key nor token"
                _ = try await device.open(Self.app).line(containing: said)
                guard number < 3 else { continue }
                _ = try await server.process.line(
                    containing: "request of North by license token \(number + 1)", after: mark)
            }
            #expect(!server.process.output.contains { $0.text.contains("request refused") })
            try await license([(devices[3], "made-up")])
            try await road.synchronised(devices[3].id)
            _ = try await devices[3].open(Self.app).line(containing: "Not licensed.")
            let released = try await road.martlet(
                "audit", "list", "--action", "secret.release", "--subject", "licenses", "--json")
            for device in devices { #expect(released.contains(device.id)) }
        }
    }

    /// S4-LIC-03: a stolen token is a license, from anywhere; a stolen certificate is not.
    @Test func aStolenTokenIsWorthSomethingAndAStolenCertificateIsNot() async throws {
        try await withLicenses { _, server, customer in
            let owner = P256.Signing.PrivateKey()
            let certificate = try customer.issue("device", for: .init(owner.publicKey))
            #expect(try await server.ask("Authorization: Bearer token-of-north").contains("Licensed to North"))
            #expect(try await server.ask(certificate: certificate, key: owner).contains("Licensed to North"))
            #expect(try await !server.ask(certificate: certificate, key: .init()).contains("Licensed"))
            // Somebody of that name, who is not that authority.
            let stranger = try TestAuthority("North").issue("device", for: .init(owner.publicKey))
            #expect(try await !server.ask(certificate: stranger, key: owner).contains("Licensed"))
            #expect(try await server.ask("Accept: */*").contains("Not licensed."))
        }
    }

    /// An organization may call its authorities what it likes: the name of another one does not help.
    @Test func anAuthorityWithTheNameOfAnotherCustomersIsNotTakenForIt() async throws {
        try await withLicenses { road, server, north in
            let owner = P256.Signing.PrivateKey()
            // South's authority, which is trusted, certifies an authority in the name of North's.
            let south = try TestAuthority("South")
            let impostor = try south.certify(authorityNamedLike: north)
            let leaf = try impostor.issue("device", for: .init(owner.publicKey))
            try Data(try south.certificate.serializeAsPEM().pemString.utf8)
                .write(to: road.home.appending(path: "customers/South.pem"))
            let again = try await LicenseServerOnRoad.start(on: road, authority: server.authority)
            let said = try await again.ask(certificate: leaf, key: owner, further: [impostor.certificate])
            #expect(said.contains("Not licensed."))
        }
    }

    /// A road, the license server on it, and the authority of North.
    private func withLicenses(
        _ body: (Road, LicenseServerOnRoad, TestAuthority) async throws -> Void
    ) async throws {
        try await Road.with { road in
            let north = try TestAuthority("North")
            let customers = road.home.appending(path: "customers")
            try FileManager.default.createDirectory(at: customers, withIntermediateDirectories: true)
            for (name, text) in [
                ("North.pem", try north.certificate.serializeAsPEM().pemString), ("North.token", "token-of-north\n"),
                ("South.pem", try String(contentsOfFile: road.serverDirectory + "/identities.pem", encoding: .utf8)),
                ("South.token", "token-of-south\n"),
            ] {
                try Data(text.utf8).write(to: customers.appending(path: name))
            }
            let server = try await LicenseServerOnRoad.start(on: road, authority: TestAuthority("Developer"))
            try await body(road, server, north)
        }
    }

    private static func configuration(_ server: LicenseServerOnRoad, token: String?) -> String {
        let token = token.map { #""licenseToken": "\#($0)", "# } ?? ""
        return #"{"licenseServer": "\#(server.url)/license", \#(token)"licenseAuthority": "server-root"}"#
    }
}

/// The example's server, running.
struct LicenseServerOnRoad {
    let process: RunningProcess
    let url: String
    let authority: TestAuthority

    static func start(on road: Road, authority: TestAuthority) async throws -> Self {
        let key = P256.Signing.PrivateKey()
        let leaf = try authority.issue("server", for: .init(key.publicKey), hosts: ["localhost"])
        let (certificate, file) = (
            road.home.appending(path: "license-server.pem"), road.home.appending(path: "license-server.key")
        )
        try Data(try leaf.serializeAsPEM().pemString.utf8).write(to: certificate)
        try Data(key.pemRepresentation.utf8).write(to: file)
        let process = try RunningProcess(
            "LicenseServer", Road.binary("LicenseServer"),
            [certificate.path, file.path, road.home.appending(path: "customers").path, "0"],
            environment: Road.environment(road.home))
        road.processes.withLock { $0.append(process) }
        let ready = try await process.line(containing: "license server ready ")
        return Self(process: process, url: String(ready.text.split(separator: " ").last ?? ""), authority: authority)
    }

    /// What the server says to a request of somebody else's program, or nothing when it hangs up.
    func ask(
        _ header: String = "Accept: */*", certificate: Certificate? = nil, key: P256.Signing.PrivateKey? = nil,
        further: [Certificate] = []
    ) async throws -> String {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: [UInt8](authority.der()), format: .der)])
        if let certificate, let key {
            tls.certificateChain = try ([certificate] + further).map {
                .certificate(try NIOSSLCertificate(bytes: [UInt8]($0.der()), format: .der))
            }
            // A client that signs with any key that it has; this does not check the certificate beside it.
            tls.privateKey = .privateKey(NIOSSLPrivateKey(customPrivateKey: Impostor(key: key)))
        }
        let context = try NIOSSLContext(configuration: tls)
        let heard = Heard()
        let port = Int(url.split(separator: ":").last ?? "") ?? 0
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        try NIOSSLClientHandler(context: context, serverHostname: "localhost"), Listener(heard),
                    ])
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        let request = "GET /license HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(header)\r\n\r\n"
        _ = try? await channel.writeAndFlush(ByteBuffer(string: request))
        channel.eventLoop.scheduleTask(in: .minutes(4)) { channel.close(promise: nil) }
        try await channel.closeFuture.get()
        return heard.text.withLock { $0 }
    }
}

private struct Impostor: NIOSSLCustomPrivateKey, Hashable {
    let key: P256.Signing.PrivateKey

    var signatureAlgorithms: [SignatureAlgorithm] { [.ecdsaSecp256R1Sha256] }

    func sign(channel: any Channel, algorithm: SignatureAlgorithm, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
        channel.eventLoop.makeCompletedFuture {
            ByteBuffer(bytes: try key.signature(for: Data(data.readableBytesView)).derRepresentation)
        }
    }

    func decrypt(channel: any Channel, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
        channel.eventLoop.makeFailedFuture(ChannelError.eof)
    }

    static func == (left: Impostor, right: Impostor) -> Bool {
        left.key.rawRepresentation == right.key.rawRepresentation
    }

    func hash(into hasher: inout Hasher) { hasher.combine(key.rawRepresentation) }
}

/// What came back.
private final class Heard: Sendable {
    let text = Mutex("")
}

private final class Listener: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let heard: Heard

    init(_ heard: Heard) { self.heard = heard }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let text = String(buffer: unwrapInboundIn(data))
        heard.text.withLock { $0 += text }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
