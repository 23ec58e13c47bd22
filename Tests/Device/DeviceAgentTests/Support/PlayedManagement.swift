import Crypto
import CryptographicMessages
import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import Synchronization

/// A small management server: one app with one configuration in versions, and a fault wherever a test wants one.
final class PlayedManagement: Sendable {
    typealias Fault = @Sendable (_ asked: String) -> ScriptedServer.Answer?

    private struct Contents {
        var version = 1
        var fault: Fault?
        var asset: DataAsset?
        var asked: [String] = []
        var requests: [ScriptedServer.Request] = []
        var reports: [StatusReport] = []
        var predicate: String?
        var properties: [String: JSONValue]?
        var secrets: [PlayedSecret] = []
        var commands: [Data] = []
        var checkIns: [CheckIn] = []
        var refusesTokenUpdates = false
        var lastSigner = ""
        var subscribed = ["app.managed.list"]
    }

    /// A check-in message, and who signed it.
    struct CheckIn: Equatable {
        let type: String
        let signer: String
    }

    static let app = "com.example.app"
    private let contents = Mutex(Contents())
    private let base = Mutex("")
    private let authority = Mutex<PlayedACME?>(nil)
    private let chips = Mutex<PlayedChipAuthority?>(nil)

    /// What was asked for, in order: `command`, `wake`, `asset`, `tokens`, `declaration-items`, `declaration/…`, `status`.
    var asked: [String] { contents.withLock { $0.asked } }
    var reports: [StatusReport] { contents.withLock { $0.reports } }

    /// Everything that the device sent, in order.
    var requests: [ScriptedServer.Request] { contents.withLock { $0.requests } }

    /// Authenticate and TokenUpdate as they came.
    var checkIns: [CheckIn] { contents.withLock { $0.checkIns } }

    /// The signer of the last signed request that was no check-in.
    var lastSigner: String { contents.withLock { $0.lastSigner } }

    /// Has TokenUpdates answered by “not now”.
    func refusesTokenUpdates(_ refuses: Bool) { contents.withLock { $0.refusesTokenUpdates = refuses } }

    /// Subscribes to one more status item; `publish` says with which version devices hear of it.
    func subscribe(to item: String) { contents.withLock { $0.subscribed.append(item) } }

    /// Declares properties; `publish` says with which version devices hear of them.
    func declare(_ properties: [String: JSONValue]) { contents.withLock { $0.properties = properties } }

    /// Queues a command.
    func order(_ command: Data) { contents.withLock { $0.commands.append(command) } }

    func listens(at url: String) {
        base.withLock { $0 = url }
        issue(PlayedACME(url))
    }

    /// Has the keys of chips certified.
    func certify(_ chips: PlayedChipAuthority) { self.chips.withLock { $0 = chips } }

    /// Has another certificate authority answer over ACME.
    func issue(_ acme: PlayedACME) { authority.withLock { $0 = acme } }

    /// Replaces the configuration, and from now on meets what `fault` answers for.
    func publish(_ version: Int, asset: DataAsset? = nil, predicate: String? = nil, fault: Fault? = nil) {
        contents.withLock { contents in
            (contents.version, contents.asset, contents.predicate) = (version, asset, predicate)
            contents.fault = fault
        }
    }

    static func configuration(_ version: Int) -> Data {
        PropertyListValue.dictionary(["version": .integer(Int64(version))]).xml()
    }

    /// Replaces the app's secrets; `publish` says with which version devices hear of them.
    func give(_ secrets: [PlayedSecret]) { contents.withLock { $0.secrets = secrets } }

    /// The honest description of a version.
    func asset(_ version: Int) -> DataAsset {
        let data = Self.configuration(version)
        return DataAsset(
            dataURL: base.withLock { $0 } + "/asset/\(version)", contentType: MediaType.configuration,
            size: data.count, sha256: Data(SHA256.hash(data: data)))
    }

    func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Answer {
        let asked = Self.name(of: request)
        let (version, described, fault, predicate, secrets) = contents.withLock { contents in
            contents.asked.append(asked)
            contents.requests.append(request)
            if asked != "check-in", let signer = request.signer { contents.lastSigner = signer }
            return (contents.version, contents.asset, contents.fault, contents.predicate, contents.secrets)
        }
        if let answer = fault?(asked) { return answer }
        if asked == "acme", let authority = authority.withLock({ $0 }) { return authority.answer(request) }
        if asked == "mdm", let chips = chips.withLock({ $0 }) { return chips.answer(request) }
        if asked == "scep" { return PlayedAuthority.answer(request) }
        let url = base.withLock { $0 }
        let (subscribed, properties) = contents.withLock { ($0.subscribed, $0.properties) }
        let management: [Declaration] = [properties].compactMap { $0 }.map {
            Declaration(
                type: PredicateFacts.propertiesType, identifier: "properties", serverToken: "\(version)",
                payload: .object($0))
        }
        let declarations: [Declaration] =
            [
                Declaration(
                    identifier: "activation", serverToken: "\(version)",
                    SimpleActivation(standardConfigurations: ["app", "status"], predicate: predicate)),
                Declaration(
                    identifier: "app", serverToken: "\(version)",
                    AppManagedConfiguration(
                        source: .composedIdentifier(Self.app), appConfig: PlayedSecret.config(secrets, data: "data"))),
                Declaration(
                    identifier: "status", serverToken: "\(subscribed.count)", StatusSubscriptions(names: subscribed)),
                Declaration(identifier: "data", serverToken: "\(version)", described ?? asset(version)),
            ] + secrets.map { $0.declaration(url) }
            + management
        switch asked {
        case "command": return .reply(200, body: next(after: request))
        case "check-in": return take(request)
        case "wake": return .reply(404)
        case "asset":
            return .reply(
                200, headers: ["content-type": MediaType.configuration], body: Self.configuration(version))
        case "credential":
            guard let secret = secrets.first(where: { request.path == "/credential/" + $0.identifier }) else {
                return .reply(404)
            }
            return .reply(200, headers: ["content-type": secret.contentType], body: secret.document)
        case "tokens":
            let tokens = SyncTokens(declarationsToken: "\(version)", timestamp: Date())
            return .reply(200, body: TokensResponse(syncTokens: tokens).encoded())
        case "declaration-items":
            func items(_ kind: DeclarationKind) -> [ItemReference] {
                declarations.filter { $0.kind == kind }.map {
                    ItemReference(identifier: $0.identifier, serverToken: $0.serverToken)
                }
            }
            let items = DeclarationItems(
                activations: items(.activation), configurations: items(.configuration), assets: items(.asset),
                management: items(.management), declarationsToken: "\(version)")
            return .reply(200, body: items.encoded())
        case "status":
            if let report = Self.report(in: request) { contents.withLock { $0.reports.append(report) } }
            return .reply(200)
        default:
            let declaration = declarations.first { asked == "declaration/\($0.kind.rawValue)/\($0.identifier)" }
            return declaration.map { .reply(200, body: $0.encoded()) } ?? .reply(404)
        }
    }

    /// The next command; one that was acknowledged is done.
    private func next(after request: ScriptedServer.Request) -> Data {
        let report = try? PropertyListValue(parsing: request.body, limits: .message)
        return contents.withLock { contents in
            if report?["Status"]?.string == "Acknowledged", !contents.commands.isEmpty {
                contents.commands.removeFirst()
            }
            return contents.commands.first ?? Data()
        }
    }

    private func take(_ request: ScriptedServer.Request) -> ScriptedServer.Answer {
        let message = try? PropertyListValue(parsing: request.body, limits: .message)
        guard let type = message?["MessageType"]?.string else { return .reply(400) }
        return contents.withLock { contents in
            contents.checkIns.append(CheckIn(type: type, signer: request.signer ?? ""))
            return contents.refusesTokenUpdates && type == "TokenUpdate" ? .reply(503) : .reply(200)
        }
    }

    private static func name(of request: ScriptedServer.Request) -> String {
        guard request.path == "/checkin" else {
            return String(request.path.split { $0 == "/" || $0 == "?" }.first ?? "")
        }
        let message = try? PropertyListValue(parsing: request.body, limits: .message)
        return message?["Endpoint"]?.string ?? "check-in"
    }

    private static func report(in request: ScriptedServer.Request) -> StatusReport? {
        let message = try? PropertyListValue(parsing: request.body, limits: .message)
        return message?["Data"]?.data.flatMap { try? StatusReport(parsing: $0) }
    }
}

extension ScriptedServer.Request {
    /// The SHA-256 of the certificate that says to have signed it.
    fileprivate var signer: String? {
        signature.flatMap { Data(base64Encoded: $0) }
            .flatMap { try? MessageSignature.signerCertificate(in: $0).digest }
    }
}
