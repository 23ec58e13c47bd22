import Crypto
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
        var reports: [StatusReport] = []
        var predicate: String?
        var secrets: [PlayedSecret] = []
    }

    static let app = "com.example.app"
    private let contents = Mutex(Contents())
    private let base = Mutex("")

    /// What was asked for, in order: `command`, `wake`, `asset`, `tokens`, `declaration-items`, `declaration/…`, `status`.
    var asked: [String] { contents.withLock { $0.asked } }
    var reports: [StatusReport] { contents.withLock { $0.reports } }

    func listens(at url: String) { base.withLock { $0 = url } }

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
            return (contents.version, contents.asset, contents.fault, contents.predicate, contents.secrets)
        }
        if let answer = fault?(asked) { return answer }
        if asked == "scep" { return PlayedAuthority.answer(request) }
        let url = base.withLock { $0 }
        let declarations =
            [
                Declaration(
                    identifier: "activation", serverToken: "\(version)",
                    SimpleActivation(standardConfigurations: ["app", "status"], predicate: predicate)),
                Declaration(
                    identifier: "app", serverToken: "\(version)",
                    AppManagedConfiguration(
                        source: .composedIdentifier(Self.app), appConfig: PlayedSecret.config(secrets, data: "data"))),
                Declaration(
                    identifier: "status", serverToken: "1", StatusSubscriptions(names: ["app.managed.list"])),
                Declaration(identifier: "data", serverToken: "\(version)", described ?? asset(version)),
            ] + secrets.map { $0.declaration(url) }
        switch asked {
        case "command": return .reply(200)
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
                declarationsToken: "\(version)")
            return .reply(200, body: items.encoded())
        case "status":
            if let report = Self.report(in: request) { contents.withLock { $0.reports.append(report) } }
            return .reply(200)
        default:
            let declaration = declarations.first { asked == "declaration/\($0.kind.rawValue)/\($0.identifier)" }
            return declaration.map { .reply(200, body: $0.encoded()) } ?? .reply(404)
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
