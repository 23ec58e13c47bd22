import AdminMessages
import AsyncHTTPClient
import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds
import NIOCore
import SCEP
import Testing

/// A device of another maker: SCEP with RSA-2048, `Mdm-Signature`, the command loop; it shows its TLS certificate only for
/// what it downloads.
final class PlayedDevice: Sendable {
    /// A device's certificate with its key.
    struct Identity: Sendable {
        let certificate: Data
        let key: SigningKey
    }

    let server: TestServer
    let client: HTTPClient
    let identifier: EnrollmentIdentifier
    let identity: Identity
    /// What an enrollment by account shows with each request.
    let accessToken: String?

    init(
        server: TestServer, client: HTTPClient, udid: String, kind: EnrollmentIdentifier.Kind = .device,
        identity: Identity, accessToken: String? = nil
    ) {
        self.accessToken = accessToken
        self.server = server
        self.client = client
        identifier = EnrollmentIdentifier(kind: kind, id: udid)
        self.identity = identity
    }

    /// Enrolls a device with a fresh code, hands it to the test, and closes its connections.
    static func with(
        _ server: TestServer, _ admin: AdminClient, udid: String = UUID().uuidString, key: SigningKey? = nil,
        _ test: (PlayedDevice) async throws -> Void
    ) async throws {
        let client = try server.client()
        do {
            let code = try await admin.code()
            let identity = try await identity(code: code.code, server, client, key: key ?? DeviceKeys.first())
            let device = PlayedDevice(server: server, client: client, udid: udid, identity: identity)
            #expect(try await device.authenticate().status == 200)
            #expect(try await device.updateToken().status == 200)
            try await test(device)
        } catch {
            try? await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    /// Gets a certificate by SCEP as the profile says.
    static func identity(
        code: String, _ server: TestServer, _ client: HTTPClient, key: SigningKey
    ) async throws -> Identity {
        switch try await certificate(code: code, server, client, key: key) {
        case .issued(let certificate): return Identity(certificate: certificate, key: key)
        case let other: throw NotIssued(reply: other)
        }
    }

    struct NotIssued: Error {
        let reply: SCEPClient.Reply
    }

    static func certificate(
        code: String, _ server: TestServer, _ client: HTTPClient, key: SigningKey, byGET: Bool = false
    ) async throws -> SCEPClient.Reply {
        let scep = server.baseURL + "/scep"
        let authority = try await client.send("GET", scep + "?operation=GetCACert&message=martlet").body
        let capabilities = SCEPCapabilities(
            parsing: try await client.send("GET", scep + "?operation=GetCACaps&message=martlet").text)
        let (message, exchange) = try SCEPClient.makeRequest(
            subject: [[["CN", "device"]]], challenge: code, key: key, caCertificate: authority,
            capabilities: capabilities, now: Date())
        let answer: Answer
        if byGET {
            let text = message.base64EncodedString().addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            answer = try await client.send("GET", scep + "?operation=PKIOperation&message=" + text)
        } else {
            answer = try await client.send(
                "POST", scep + "?operation=PKIOperation", headers: ["Content-Type": "application/x-pki-message"],
                body: message)
        }
        try #require(answer.status == 200, "\(answer.text)")
        return try SCEPClient.readReply(answer.body, exchange)
    }

    /// Enrolls a part of a device by what signing in gave.
    static func byAccount(
        _ token: String, _ server: TestServer, _ client: HTTPClient, id: String = UUID().uuidString
    ) async throws -> PlayedDevice {
        let device = PlayedDevice(
            server: server, client: client, udid: id, kind: .user,
            identity: try await identity(code: token, server, client, key: DeviceKeys.second()), accessToken: token)
        #expect(try await device.authenticate().status == 200)
        #expect(try await device.updateToken().status == 200)
        return device
    }

    /// The same device after another sign-in.
    func showing(_ token: String?) -> PlayedDevice {
        PlayedDevice(
            server: server, client: client, udid: identifier.id, kind: identifier.kind, identity: identity,
            accessToken: token)
    }

    // MARK: Messages

    var topic: String { "com.apple.mgmt.External.test" }

    func authenticate() async throws -> Answer {
        try await checkIn(.authenticate(Authenticate(identifier: identifier, topic: topic, deviceName: "Played")))
    }

    func updateToken(magic: String = "magic", token: Data = Data([1])) async throws -> Answer {
        try await checkIn(
            .tokenUpdate(TokenUpdate(identifier: identifier, topic: topic, token: token, pushMagic: magic)))
    }

    func checkIn(_ message: CheckInMessage) async throws -> Answer {
        try await send("/mdm/checkin", message.encoded())
    }

    func ask(_ endpoint: DeclarativeEndpoint, _ data: Data? = nil) async throws -> Answer {
        try await checkIn(
            .declarativeManagement(
                DeclarativeManagementRequest(identifier: identifier, endpoint: endpoint, data: data)))
    }

    /// Reports, and takes the next command.
    func report(
        _ status: CommandStatus, _ command: Command? = nil, contents: [String: PropertyListValue] = [:]
    ) async throws -> Command? {
        let report = CommandReport(
            identifier: identifier, status: status, commandUUID: command?.uuid, contents: .dictionary(contents))
        let answer = try await send("/mdm/command", report.encoded())
        try #require(answer.status == 200, "\(answer.status)")
        return answer.body.isEmpty ? nil : try Command(parsing: answer.body)
    }

    func send(_ path: String, _ body: Data) async throws -> Answer {
        try await send(path, body, signature: sign(body))
    }

    func send(_ path: String, _ body: Data, signature: String?) async throws -> Answer {
        var headers = signature.map { ["Mdm-Signature": $0] } ?? [:]
        if let accessToken { headers["Authorization"] = "Bearer \(accessToken)" }
        return try await client.send("PUT", server.baseURL + path, headers: headers, body: body)
    }

    /// Fetches what a declaration points to, over a connection on which it shows its certificate.
    func download(_ url: String) async throws -> Answer {
        let client = try server.client(identity: identity)
        do {
            let answer = try await client.send("GET", url)
            try await client.shutdown()
            return answer
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    /// The signature of a body; it says when it was made if there is a time.
    func sign(_ body: Data, at time: Date? = nil) throws -> String {
        try MessageSignature.sign(body, certificateDER: identity.certificate, key: identity.key, at: time)
            .base64EncodedString()
    }
}

/// Keys for played devices; each is made once for all tests.
enum DeviceKeys {
    private static let one = Result { try SigningKey.generate(.rsa2048) }
    private static let two = Result { try SigningKey.generate(.rsa2048) }

    static func first() throws -> SigningKey { try one.get() }
    static func second() throws -> SigningKey { try two.get() }
}
