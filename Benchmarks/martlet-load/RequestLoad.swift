import ArgumentParser
import AsyncHTTPClient
import DeviceMessages
import Foundation
import InputBounds
import NIOCore
import NIOSSL

/// Signed requests of one kind, as fast as the server answers them.
struct RequestLoad: AsyncParsableCommand {
    /// What the devices ask.
    enum Mode: String, ExpressibleByArgument, CaseIterable {
        case idle
        case tokens
        case declarationItems = "declaration-items"
        case declaration
        case status
    }

    static let configuration = CommandConfiguration(
        commandName: "requests", abstract: "Send signed requests of one kind as fast as they are answered.",
        discussion: """
            Every request is signed before the measured time begins. Each connection has one request under way. \
            The first second is not measured.
            """)

    @Argument(help: "idle, tokens, declaration-items, declaration or status.")
    var mode: Mode

    @OptionGroup var target: TargetOptions

    @Option(help: "How many connections to hold.")
    var connections = 8

    @Option(help: "For how many seconds to measure.")
    var seconds = 10

    @Option(help: "The server's process, to measure its CPU time and memory.")
    var serverPid: Int?

    @Option(help: "How many different signed requests there are; at least one for each device.")
    var ring = 256

    @Option(help: "How many declarations a status report speaks of, beside one app.")
    var statusDeclarations = 0

    @OptionGroup var output: Output

    func validate() throws {
        guard (1...1_024).contains(connections), (1...3_600).contains(seconds) else {
            throw ValidationError("--connections is 1 to 1,024 and --seconds 1 to 3,600")
        }
    }

    func run() async throws {
        let (devices, trust) = try await target.play(connections: min(connections, 8), shown: !output.json)
        if !output.json { tell("signing the requests") }
        let items = try await items(of: devices[0], trust: trust)
        let requests = try prepare(devices, items)
        let tls = try NIOSSLContext(configuration: try trust.configuration())
        let server = mode == .idle ? devices[0].commandURL : devices[0].checkInURL

        let from = NIODeadline.now() + .seconds(1)
        let until = from + .seconds(Int64(seconds))
        let plan = LoadPlan(ring: requests, measuredFrom: from, until: until)
        if !output.json { tell("measuring for \(seconds) s") }
        async let usage = usage(from: from, until: until)
        var (tally, reconnects) = (Tally(), 0)
        try await withThrowingTaskGroup(of: (Tally, Int).self) { group in
            for connection in 0..<connections {
                group.addTask { try await run(plan, connection, server: server, tls: tls) }
            }
            for try await (part, again) in group {
                tally.add(part)
                reconnects += again
            }
        }
        let result = RequestResult(
            mode: mode.rawValue, devices: devices.count, connections: connections, seconds: seconds,
            declarations: DeclarationKind.allCases.map { items[$0].count }.reduce(0, +),
            requestBytes: requests[0].body?.readableBytes ?? 0, tally: tally, reconnects: reconnects,
            usage: try await usage)
        try output.show(result)
        guard result.refusals.isEmpty, result.requests > 0 else { throw ExitCode.failure }
    }

    /// Keeps one connection busy; a server may close it, and then another is opened.
    private func run(
        _ plan: LoadPlan, _ connection: Int, server: ServerURL, tls: NIOSSLContext
    ) async throws -> (Tally, Int) {
        var tally = Tally()
        var opened = 0
        while NIODeadline.now() < plan.until {
            opened += 1
            tally.add(
                try await ClosedLoop.run(
                    plan: plan, server: server, tls: tls, start: connection + opened * connections,
                    stride: connections))
        }
        return (tally, opened - 1)
    }

    private func usage(from: NIODeadline, until: NIODeadline) async throws -> RequestResult.Usage? {
        guard let serverPid else { return nil }
        try await Task.sleep(for: .nanoseconds((from - .now()).nanoseconds))
        let before = (try ProcessUsage(of: "\(serverPid)"), try ProcessUsage(of: "self"))
        try await Task.sleep(for: .nanoseconds((until - .now()).nanoseconds))
        let after = (try ProcessUsage(of: "\(serverPid)"), try ProcessUsage(of: "self"))
        return RequestResult.Usage(
            serverSeconds: after.0.cpuSeconds - before.0.cpuSeconds,
            generatorSeconds: after.1.cpuSeconds - before.1.cpuSeconds, residentMiB: after.0.residentMiB)
    }
}

// MARK: What is sent

extension RequestLoad {
    private func items(of device: PlayedDevice, trust: ServerTrust) async throws -> DeclarationItems {
        let enrollment = try Enrollment(trust: trust, keys: 1)
        return try await trust.withClient { http in
            try DeclarationItems(
                parsing: try await enrollment.put(device.declarative(.declarationItems), by: device, over: http))
        }
    }

    private func prepare(_ devices: [PlayedDevice], _ items: DeclarationItems) throws -> [PreparedRequest] {
        // Only status reports differ from turn to turn; the others are the same each time a device sends them.
        let count = mode == .status || mode == .declaration ? max(ring, devices.count) : devices.count
        let named = DeclarationKind.allCases.flatMap { kind in items[kind].map { (kind, $0) } }
        if mode == .declaration, named.isEmpty { throw LoadFailure("the devices hold no declarations") }
        return try (0..<count).map { index in
            let device = devices[index % devices.count]
            switch mode {
            case .idle: return try PreparedRequest(device.idle(), of: device, command: true, signed: true)
            case .tokens: return try PreparedRequest(device.declarative(.tokens), of: device, signed: true)
            case .declarationItems:
                return try PreparedRequest(device.declarative(.declarationItems), of: device, signed: true)
            case .declaration:
                let (kind, item) = named[index % named.count]
                let endpoint = DeclarativeEndpoint.declaration(kind, identifier: item.identifier)
                return try PreparedRequest(device.declarative(endpoint), of: device, signed: true)
            case .status:
                let report = statusReport(number: index, named.prefix(statusDeclarations))
                return try PreparedRequest(
                    device.declarative(.status, data: report.encoded()), of: device, signed: true)
            }
        }
    }

    /// One app's state, different in every report, and as many declarations as were asked for.
    private func statusReport(
        number: Int, _ items: ArraySlice<(DeclarationKind, ItemReference)>
    ) -> StatusReport {
        var report = StatusReport()
        let app = AppStatus(
            identifier: "dev.martlet.load.app0", name: "Load 0", version: "1.\(number)", state: "managed",
            configState: AppStatus.ConfigState(app: number.isMultiple(of: 2) ? "valid" : "invalid"))
        report.set(.array([app.value]), at: AppStatus.name)
        guard !items.isEmpty else { return report }
        func statuses(_ kind: DeclarationKind) -> [DeclarationStatus] {
            items.filter { $0.0 == kind }.map { item in
                DeclarationStatus(
                    identifier: item.1.identifier, serverToken: item.1.serverToken, active: true, valid: .valid)
            }
        }
        report.set(
            DeclarationStatuses(
                activations: statuses(.activation), configurations: statuses(.configuration),
                assets: statuses(.asset), management: statuses(.management)
            ).value, at: DeclarationStatuses.name)
        return report
    }
}
