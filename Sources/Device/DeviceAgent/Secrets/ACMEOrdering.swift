import ACME
import DeviceMessages
import Foundation
import InputBounds

/// Orders one certificate by ACME.
struct ACMEOrdering: Sendable {
    private static let requestTimeLimit = Duration.seconds(20)

    /// The attestation object of a key that nobody vouches for: `{"fmt": "none", "attStmt": {}}` in CBOR.
    static let noStatement = Data("\u{a2}cfmtdnonegattStmt\u{a0}".unicodeScalars.map { UInt8($0.value) })

    let connection: ServerConnection

    /// The certificates for a request, the leaf first; `statement` says where its key lives.
    func chain(
        _ acme: ACMEDocument, request: Data,
        statement: @escaping @Sendable (_ token: String, _ keyAuthorization: String) async throws -> Data
    ) async throws -> [Data] {
        let connection = connection
        let client = ACMEClient(
            send: { try await Self.send($0, over: connection) },
            prove: { challenge, _, keyAuthorization in
                let object = try await statement(challenge.token, keyAuthorization)
                return .object(["attObj": .string(Base64URL.encode(object))])
            })
        // The account is as short-lived as the identifier, which is good for one device and one identity.
        return try await client.obtain(
            ACMEExchange.Wish(
                directoryURL: acme.directoryURL,
                identifiers: [ACMEIdentifier(.permanentIdentifier, acme.clientIdentifier)],
                challengeType: ACMEChallenge.deviceAttest, certificateRequest: request, accountKey: .generate())
        ).certificates
    }

    private static func send(
        _ request: ACMEHTTPRequest, over connection: ServerConnection
    ) async throws -> ACMEHTTPResponse {
        let reply = try await connection.send(
            request.method.rawValue, request.url, contentType: request.body.map { _ in ACMEHTTPRequest.contentType },
            body: request.body ?? Data(), answerLimit: ACMEHTTPResponse.sizeLimit, timeLimit: requestTimeLimit)
        var headers: [String: String] = [:]
        for name in ["replay-nonce", "location", "retry-after", "date"] { headers[name] = reply.header(name) }
        return ACMEHTTPResponse(status: reply.status, headers: headers, body: reply.body)
    }
}
