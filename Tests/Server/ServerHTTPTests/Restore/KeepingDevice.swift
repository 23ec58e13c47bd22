import AsyncHTTPClient
import DeviceMessages
import Foundation
import InputBounds
import Management

/// A device that keeps what a device keeps: its identity, its declarations with what they point to, and which commands
/// it was sent.
///
/// What it has by the token that it is offered it does not fetch again, as the agent does not.
struct KeepingDevice: Sendable {
    /// A declaration, with the document that it points to.
    struct Kept: Sendable {
        let declaration: Declaration
        let document: Data?
    }

    /// What apps are given, by their bundle identifiers.
    struct Holding: Sendable, Equatable {
        var configurations: [String: String] = [:]
        var passwords: [String: String] = [:]
    }

    /// With which status the server refused what the device asked for.
    struct Refused: Error {
        let status: UInt
    }

    /// A queue that does not end is the server's fault.
    private static let mostCommands = 64

    let id: String
    /// The group into which it enrolls.
    let group: String
    private(set) var identity: PlayedDevice.Identity?
    private(set) var token: String?
    private(set) var kept: [String: Kept] = [:]
    /// The commands that act, each as often as it came.
    private(set) var acts: [String] = []
    /// With which status it was refused when it came last, if it was.
    private(set) var refusal: UInt?

    init(_ id: String, in group: String) {
        self.id = id
        self.group = group
    }

    var identifier: EnrollmentIdentifier { EnrollmentIdentifier(kind: .device, id: id) }

    /// Begins a life by this identity: what it had of an earlier one is gone.
    mutating func begin(as identity: PlayedDevice.Identity) {
        (self.identity, token, kept) = (identity, nil, [:])
    }

    /// Goes over to another identity: it has the one before no more.
    mutating func use(_ identity: PlayedDevice.Identity) { self.identity = identity }

    /// Synchronizes, or notes with which status it is refused.
    mutating func come(to server: TestServer) async throws {
        do {
            try await synchronize(with: server)
            refusal = nil
        } catch let refused as Refused {
            refusal = refused.status
        }
    }

    /// Takes its commands, and fetches what it is told of and does not have.
    mutating func synchronize(with server: TestServer) async throws {
        let client = try server.client(identity: identity)
        do {
            try await synchronize(server, client)
        } catch {
            try? await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    private mutating func synchronize(_ server: TestServer, _ client: HTTPClient) async throws {
        var isTold = token == nil
        var answer = try await report(.idle, nil, server, client)
        var turns = 0
        while !answer.isEmpty, turns < Self.mostCommands {
            turns += 1
            let command = try Command(parsing: answer)
            if command.requestType == "DeclarativeManagement" {
                isTold = true
            } else if CommandRule.of(command.requestType).acts {
                acts.append(command.uuid)
            }
            answer = try await report(.acknowledged, command.uuid, server, client)
        }
        guard isTold else { return }
        let tokens = try TokensResponse(parsing: try await ask(.tokens, server, client))
        guard tokens.syncTokens.declarationsToken != token else { return }
        let items = try DeclarationItems(parsing: try await ask(.declarationItems, server, client))
        var present: [String: Kept] = [:]
        for kind in DeclarationKind.allCases {
            for item in items[kind] {
                if let old = kept[item.identifier], old.declaration.serverToken == item.serverToken {
                    present[item.identifier] = old
                } else {
                    present[item.identifier] = try await fetch(kind, item.identifier, server, client)
                }
            }
        }
        (kept, token) = (present, items.declarationsToken)
    }

    private func fetch(
        _ kind: DeclarationKind, _ identifier: String, _ server: TestServer, _ client: HTTPClient
    ) async throws -> Kept {
        let endpoint = DeclarativeEndpoint.declaration(kind, identifier: identifier)
        let declaration = try Declaration(parsing: try await ask(endpoint, server, client))
        var asset: DataAsset?
        if declaration.type == DataAsset.type {
            asset = try declaration.read(DataAsset.self)
        } else if CredentialAsset.Kind(rawValue: declaration.type) != nil {
            asset = try CredentialAsset(declaration).document
        }
        guard let asset else { return Kept(declaration: declaration, document: nil) }
        let answer = try await client.send("GET", asset.dataURL)
        guard answer.status == 200 else { throw Refused(status: answer.status) }
        return Kept(declaration: declaration, document: answer.body)
    }

    // MARK: What it has

    /// The tokens of its declarations, by their identifiers.
    var serverTokens: [String: String] { kept.mapValues(\.declaration.serverToken) }

    func holding() throws -> Holding {
        var holding = Holding()
        for entry in kept.values where entry.declaration.type == AppManagedConfiguration.type {
            let app = try entry.declaration.read(AppManagedConfiguration.self)
            guard let name = app.bundleIdentifier, let given = app.appConfig else { continue }
            if let document = given.dataAssetReference.flatMap({ kept[$0]?.document }) {
                let value = try PropertyListValue(parsing: document, limits: .message)
                holding.configurations[name] = value["value"]?.string
            }
            for secret in given.passwords {
                guard let document = kept[secret.assetReference]?.document else { continue }
                holding.passwords[name] = try UserNameAndPassword(parsing: document).password
            }
        }
        return holding
    }

    // MARK: Asking

    private func ask(
        _ endpoint: DeclarativeEndpoint, _ server: TestServer, _ client: HTTPClient
    ) async throws -> Data {
        let request = DeclarativeManagementRequest(identifier: identifier, endpoint: endpoint)
        return try await put("/mdm/checkin", CheckInMessage.declarativeManagement(request).encoded(), server, client)
    }

    private func report(
        _ status: CommandStatus, _ command: String?, _ server: TestServer, _ client: HTTPClient
    ) async throws -> Data {
        let report = CommandReport(identifier: identifier, status: status, commandUUID: command)
        return try await put("/mdm/command", report.encoded(), server, client)
    }

    private func put(
        _ path: String, _ body: Data, _ server: TestServer, _ client: HTTPClient
    ) async throws -> Data {
        let answer = try await client.send("PUT", server.baseURL + path, body: body)
        guard answer.status == 200 else { throw Refused(status: answer.status) }
        return answer.body
    }

    // MARK: Many

    /// Has every device do something, a few at once; answers in their order.
    static func each(
        _ devices: [KeepingDevice],
        _ act: @escaping @Sendable (inout KeepingDevice) async throws -> Void
    ) async throws -> [KeepingDevice] {
        let atOnce = 8
        return try await withThrowingTaskGroup(of: [(index: Int, device: KeepingDevice)].self) { group in
            for first in 0..<atOnce {
                group.addTask {
                    var done: [(index: Int, device: KeepingDevice)] = []
                    for index in stride(from: first, to: devices.count, by: atOnce) {
                        var device = devices[index]
                        try await act(&device)
                        done.append((index: index, device: device))
                    }
                    return done
                }
            }
            var all = devices
            for try await part in group {
                for entry in part { all[entry.index] = entry.device }
            }
            return all
        }
    }
}
