import Crypto
import DeviceMessages
import Foundation
import InputBounds
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOSSL

/// One device of a fleet: waits, and does what a device does when it is woken.
struct FleetDevice: Sendable {
    private struct Held {
        let kind: DeclarationKind
        let item: ItemReference
        /// The app that the declaration manages.
        let app: String?
    }

    /// What the device remembers from one synchronization to the next.
    private struct Memory {
        var token: String?
        var held: [String: Held] = [:]
        var connection: DeviceConnection?
    }

    /// A queue that does not end is the server's fault; a played device does not follow it forever.
    private static let mostCommands = 64

    private let device: PlayedDevice
    private let tls: NIOSSLContext
    private let pacer: Pacer
    private let counts: FleetCounts
    private let takesRoots: Bool

    /// One that takes roots says so in every report.
    init(
        device: PlayedDevice, trust: ServerTrust, pacer: Pacer, counts: FleetCounts, takesRoots: Bool = false
    ) throws {
        self.device = device
        tls = try NIOSSLContext(configuration: try trust.configuration(identity: device.identity))
        self.pacer = pacer
        self.counts = counts
        self.takesRoots = takesRoots
    }

    func run() async {
        var memory = Memory()
        var wasReady = false
        while !Task.isCancelled {
            do {
                guard let wakeURL = device.wakeURL else { throw LoadFailure("the profile names no wake stream") }
                try await pacer.turn()
                let wakes = try await WakeConnection.open(at: wakeURL, tls: tls)
                try await synchronize(&memory)
                if !wasReady { counts.becameReady() }
                wasReady = true
                for await _ in wakes {
                    counts.woken()
                    let begun = ContinuousClock.now
                    try await synchronize(&memory)
                    counts.synchronised(in: begun.duration(to: .now))
                }
                if !Task.isCancelled { counts.reconnected() }
            } catch is CancellationError {
                break
            } catch {
                counts.failed(error)
            }
            memory.connection?.close()
            memory.connection = nil
            try? await Task.sleep(for: .milliseconds(Int64.random(in: 500...2_000)))
        }
        memory.connection?.close()
    }

    // MARK: Synchronizing

    private func synchronize(_ memory: inout Memory) async throws {
        var offered: [String] = []
        var asked = false
        var reply = try await ask(device.idle(), command: true, &memory)
        for _ in 0..<Self.mostCommands where !reply.isEmpty {
            let command = try Command(parsing: reply)
            if command.requestType == "DeclarativeManagement" {
                asked = true
                if let data = command.request["Data"]?.data {
                    offered.append(try TokensResponse(parsing: data).syncTokens.declarationsToken)
                }
            }
            reply = try await ask(device.acknowledgement(of: command), command: true, &memory)
        }
        guard asked || memory.token == nil else { return }
        var token = offered.last
        if token == nil {
            let tokens = try await ask(device.declarative(.tokens), &memory)
            token = try TokensResponse(parsing: tokens).syncTokens.declarationsToken
        }
        if token != memory.token { try await fetchChanges(&memory) }
    }

    /// Fetches what differs, and reports only when everything is there.
    private func fetchChanges(_ memory: inout Memory) async throws {
        let items = try DeclarationItems(parsing: try await ask(device.declarative(.declarationItems), &memory))
        var held: [String: Held] = [:]
        for kind in DeclarationKind.allCases {
            for item in items[kind] {
                if let old = memory.held[item.identifier], old.item == item {
                    held[item.identifier] = old
                } else {
                    held[item.identifier] = try await fetch(item, kind, &memory)
                }
            }
        }
        memory.held = held
        memory.token = items.declarationsToken
        var report = Self.report(Array(held.values))
        if takesRoots {
            let capabilities = ClientCapabilities(
                declarations: [.configuration: [CertificateConfiguration.type]], statusItems: [])
            report.set(capabilities.value, at: ClientCapabilities.name)
        }
        _ = try await ask(device.declarative(.status, data: report.encoded()), &memory)
    }

    private func fetch(_ item: ItemReference, _ kind: DeclarationKind, _ memory: inout Memory) async throws -> Held {
        let endpoint = DeclarativeEndpoint.declaration(kind, identifier: item.identifier)
        let declaration = try Declaration(parsing: try await ask(device.declarative(endpoint), &memory))
        if declaration.type == DataAsset.type {
            try await download(try declaration.read(DataAsset.self), &memory)
        } else if CredentialAsset.Kind(rawValue: declaration.type) != nil {
            try await download(try CredentialAsset(declaration).document, &memory)
        }
        let managed = declaration.type == AppManagedConfiguration.type
        return Held(
            kind: kind, item: item,
            app: managed ? try declaration.read(AppManagedConfiguration.self).bundleIdentifier : nil)
    }

    private func download(_ asset: DataAsset, _ memory: inout Memory) async throws {
        let bytes = try await send(PreparedRequest(.GET, ServerURL(asset.dataURL)), &memory)
        guard asset.size == nil || asset.size == bytes.count,
            asset.sha256 == nil || asset.sha256 == Data(SHA256.hash(data: bytes))
        else { throw LoadFailure("an asset is not what its declaration says") }
    }

    private static func report(_ held: [Held]) -> StatusReport {
        func statuses(_ kind: DeclarationKind) -> [DeclarationStatus] {
            held.filter { $0.kind == kind }.map { held in
                DeclarationStatus(
                    identifier: held.item.identifier, serverToken: held.item.serverToken, active: true, valid: .valid)
            }
        }
        var report = StatusReport()
        report.set(
            DeclarationStatuses(
                activations: statuses(.activation), configurations: statuses(.configuration),
                assets: statuses(.asset), management: statuses(.management)
            ).value, at: DeclarationStatuses.name)
        let apps = held.compactMap { held in
            held.app.map { app in
                AppStatus(
                    identifier: app, declarationIdentifier: held.item.identifier, name: app, version: "1.0",
                    state: "managed", configState: AppStatus.ConfigState(app: "valid"))
            }
        }
        report.set(.array(apps.map(\.value)), at: AppStatus.name)
        return report
    }

    // MARK: Asking

    private func ask(_ body: Data, command: Bool = false, _ memory: inout Memory) async throws -> Data {
        try await send(PreparedRequest(body, of: device, command: command, signed: false), &memory)
    }

    /// Sends on the open connection; one that the server has closed meanwhile is replaced once.
    private func send(_ request: PreparedRequest, _ memory: inout Memory) async throws -> Data {
        counts.requested()
        if let connection = memory.connection, connection.isOpen,
            let answer = try? await connection.ask(request)
        {
            return try Self.body(of: answer)
        }
        try await pacer.turn()
        let connection = try await DeviceConnection.open(to: device.commandURL, tls: tls)
        memory.connection = connection
        return try Self.body(of: try await connection.ask(request))
    }

    private static func body(of answer: DeviceConnection.Answer) throws -> Data {
        guard (200..<300).contains(answer.status) else {
            throw LoadFailure("the server answered a device with \(answer.status)")
        }
        return Data(buffer: answer.body)
    }
}
