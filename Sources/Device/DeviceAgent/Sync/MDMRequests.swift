import DeviceMessages
import Foundation
import InputBounds

/// Why the server's answer is not one to work with.
enum ServerRefusal: Error, Equatable, CustomStringConvertible {
    /// The server does not know this device any more: 401, or 403 with the code that says so.
    case unrecognized
    /// The person by whose account this device came has to sign in again; nothing is lost meanwhile.
    case signInNeeded
    /// The server does not serve this device by its identity any more, because that has expired.
    case identityExpired
    /// Another machine is enrolled under the identifier of this device.
    case identifierTaken
    /// The right to enroll does not reach a group that gives secrets.
    case secretsOutOfReach
    case notFound
    /// The server is asked too much.
    case busy(Busy)
    /// Any other status; worth another try later.
    case status(Int)
    /// An answer that breaks the protocol, by this rule.
    case malformed(String)
    case otherDeclaration

    var description: String {
        switch self {
        case .unrecognized: "the server does not know this device any more"
        case .signInNeeded: "the person has to sign in again"
        case .identityExpired: "this device's identity has expired, and is good for fetching its renewal at most"
        case .identifierTaken: "the server manages another machine under this device's identifier"
        case .secretsOutOfReach: "only an administrator can let this device into its group"
        case .notFound: "the server answered 404"
        case .busy: "the server is busy"
        case .status(let status): "the server answered \(status)"
        case .malformed(let rule): "the server's answer breaks the protocol: \(rule)"
        case .otherDeclaration: "the server sent another declaration than was asked for"
        }
    }
}

/// The requests of an enrolled device to its server, each decoded or refused.
struct MDMRequests: Sendable {
    private static let unrecognizedDevice = DeviceErrorDocument.unrecognizedDevice

    let connection: ServerConnection
    let profile: EnrollmentProfile
    let identifier: EnrollmentIdentifier
    /// Whether the server has answered these requests.
    let answers = AnswerNote()

    /// Sends a check-in message; DDM rides on it.
    @discardableResult
    func checkIn(_ message: CheckInMessage) async throws -> Data {
        let url = profile.mdm.checkInURL ?? profile.mdm.serverURL
        return try await put(url, MediaType.checkIn, message.encoded(), answerLimit: InputLimits.message.bytes)
    }

    /// Sends a report to the command URL; returns the next command's bytes, or none.
    func command(_ report: Data) async throws -> Data {
        try await put(profile.mdm.serverURL, MediaType.command, report, answerLimit: InputLimits.message.bytes)
    }

    func tokens() async throws -> SyncTokens {
        try parsed(try await declarative(.tokens)) { (data) throws(InputRefusal) in
            try TokensResponse(parsing: data).syncTokens
        }
    }

    func items() async throws -> DeclarationItems {
        try parsed(try await declarative(.declarationItems)) { (data) throws(InputRefusal) in
            try DeclarationItems(parsing: data)
        }
    }

    func declaration(_ kind: DeclarationKind, _ identifier: String) async throws -> Declaration {
        let answer = try await declarative(.declaration(kind, identifier: identifier))
        let declaration = try parsed(answer) { (data) throws(InputRefusal) in try Declaration(parsing: data) }
        guard declaration.identifier == identifier, declaration.kind == kind else {
            throw ServerRefusal.otherDeclaration
        }
        return declaration
    }

    func status(_ report: StatusReport) async throws {
        _ = try await declarative(.status, report.encoded())
    }

    private func declarative(_ endpoint: DeclarativeEndpoint, _ data: Data? = nil) async throws -> Data {
        try await checkIn(
            .declarativeManagement(
                DeclarativeManagementRequest(identifier: identifier, endpoint: endpoint, data: data)))
    }

    private func parsed<Value>(_ data: Data, _ parse: (Data) throws(InputRefusal) -> Value) throws -> Value {
        do { return try parse(data) } catch { throw ServerRefusal.malformed(error.rule) }
    }

    private func put(_ url: String, _ type: String, _ body: Data, answerLimit: Int) async throws -> Data {
        let reply = try await connection.send("PUT", url, contentType: type, body: body, answerLimit: answerLimit)
        let refusal = Self.refusal(reply, isByAccount: profile.mdm.account != nil)
        answers.take(refusal)
        if let refusal { throw refusal }
        return reply.body
    }

    /// What a status means to a device; nothing for success.
    static func refusal(_ reply: ServerReply, isByAccount: Bool) -> ServerRefusal? {
        if let busy = Busy(reply) { return .busy(busy) }
        return switch reply.status {
        case 200..<300: nil
        case 400:
            switch code(reply) {
            case DeviceErrorDocument.expiredIdentity: .identityExpired
            case DeviceErrorDocument.identifierTaken: .identifierTaken
            case DeviceErrorDocument.secretsOutOfReach: .secretsOutOfReach
            default: .status(400)
            }
        // A bare one is the end; the way to sign in beside it says otherwise, to who signed in before.
        case 401: isByAccount && demandsSignIn(reply) ? .signInNeeded : .unrecognized
        case 403: code(reply) == unrecognizedDevice ? .unrecognized : .status(403)
        case 404: .notFound
        default: .status(reply.status)
        }
    }

    private static func demandsSignIn(_ reply: ServerReply) -> Bool {
        reply.header("www-authenticate").map { (try? SignInChallenge(parsing: $0)) != nil } ?? false
    }

    /// The code of an error document, which is JSON or a property list.
    private static func code(_ reply: ServerReply) -> String? {
        let limits = InputLimits(bytes: 65_536, depth: 8, objects: 1_000)
        return (try? DeviceErrorDocument(parsing: reply.body))?.code
            ?? (try? PropertyListValue(parsing: reply.body, limits: limits))?["code"]?.string
    }
}
