import CryptographicMessages
import DeviceMessages
import Foundation
import InputBounds
import SCEP

/// Asks a server for the profile that enrolls this device.
struct ProfileRequest: Sendable {
    let facts: DeviceFacts
    let udid: String
    let roots: [Data]

    /// The profile, as it came.
    func profile(_ wish: EnrollmentWish) async throws -> Data {
        switch wish {
        case .code(let code, let url):
            let path = code.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["-", "_", "."])) ?? ""
            let reply = try await send {
                try await $0.send("GET", try ServerOrigin(url).text + "/enroll/" + path, answerLimit: Self.limit)
            }
            guard reply.status == 200 else { throw EnrollmentRefusal.codeRefused(reply.status) }
            return reply.body
        case .profile(let file, _): return file
        case .account(_, nil): throw EnrollmentRefusal.signInDemanded
        case .account(_, .some(let signedIn)):
            let reply = try await post(Self.info(facts), to: signedIn.baseURL, token: signedIn.token)
            guard reply.status != 401 else { throw EnrollmentRefusal.signInRefused }
            guard reply.status == 200 else { throw EnrollmentRefusal.accountRefused(reply.status) }
            return reply.body
        case .automatic(let url):
            var info = Self.info(facts)
            (info.udid, info.serialNumber) = (udid, facts.serialNumber)
            guard facts.serialNumber != nil else { throw EnrollmentRefusal.noSerialNumber }
            let address = try ServerOrigin(url).text + EnrollmentWish.automaticPath
            let reply = try await post(info, to: address, token: nil)
            guard reply.status == 200 else { throw EnrollmentRefusal.notExpected(reply.status) }
            return reply.body
        }
    }

    /// What the server says to who is not signed in.
    func challenge(at baseURL: String) async throws -> SignInChallenge {
        let reply = try await post(Self.info(facts), to: baseURL, token: nil)
        guard reply.status == 401, let text = reply.header("www-authenticate") else {
            throw EnrollmentRefusal.accountRefused(reply.status)
        }
        do {
            let challenge = try SignInChallenge(parsing: text)
            guard challenge.method == SignInChallenge.web else { throw EnrollmentRefusal.signInUnsupported }
            return challenge
        } catch is InputRefusal {
            throw EnrollmentRefusal.signInUnsupported
        }
    }

    private static let limit = InputLimits.message.bytes

    /// What names neither the device nor its user.
    private static func info(_ facts: DeviceFacts) -> MachineInfo {
        MachineInfo(
            product: "Linux", version: facts.kernelVersion, osVersion: facts.systemVersion,
            language: Locale.current.identifier)
    }

    private func post(_ info: MachineInfo, to url: String, token: String?) async throws -> ServerReply {
        let body = try Self.signed(info)
        return try await send(token.map { AccessToken($0, for: [url]) }) { connection in
            try await connection.send(
                "POST", url, contentType: "application/pkcs7-signature", body: body, answerLimit: Self.limit)
        }
    }

    private func send(
        _ token: AccessToken? = nil, _ body: (ServerConnection) async throws -> ServerReply
    ) async throws -> ServerReply {
        let connection = try ServerConnection(roots: roots, identity: nil, accessToken: token)
        defer { connection.close() }
        let reply = try await body(connection)
        guard Busy(reply) == nil else { throw EnrollmentRefusal.serverBusy }
        return reply
    }

    /// The protocol has it signed by a key of the device's maker, which there is none of here: a new key each time says
    /// nothing by which devices could be told apart.
    private static func signed(_ info: MachineInfo) throws -> Data {
        let key = try SigningKey.generate(.rsa2048)
        let certificate = try SCEPClient.selfSigned(subject: [[["CN", "device"]]], key: key, now: Date())
        return try SignedMessage.sign(
            info.encoded(), attributes: [:], certificateDER: certificate, key: LibraryKey(key))
    }
}
