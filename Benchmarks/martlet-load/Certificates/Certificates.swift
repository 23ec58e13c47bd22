import AdminMessages
import ArgumentParser
import DeviceMessages
import Foundation
import NIOHTTP1

/// Certificates of apps' identities, as fast as the server issues them.
struct Certificates: AsyncParsableCommand {
    /// How they are asked for.
    enum Mode: String, ExpressibleByArgument, CaseIterable {
        case scep
        case acme
    }

    static let configuration = CommandConfiguration(
        abstract: "Have the server's own authority issue certificates as fast as it does.",
        discussion: """
            A secret of that kind is assigned to the first app of the tool's own group; each device has its documents, and \
            every key and request is made before the measured time begins. SCEP is for keys of RSA-2048, one message \
            each; ACME is for keys on P-256, from the directory to the certificate. Each connection has one exchange \
            under way.
            """)

    @Argument(help: "scep or acme.")
    var mode: Mode

    @OptionGroup var target: TargetOptions

    @Option(help: "How many connections to hold.")
    var connections = 8

    @Option(help: "How many certificates each device asks for; a server keeps 16 unused rights of one device.")
    var each = 16

    @Option(help: "The server's process, to measure its CPU time.")
    var serverPid: Int?

    @OptionGroup var output: Output

    func validate() throws {
        guard (1...1_024).contains(connections), (1...16).contains(each) else {
            throw ValidationError("--connections is 1 to 1,024 and --each 1 to 16")
        }
        guard target.group == nil, target.profiles == nil else {
            throw ValidationError("certificates are measured in the tool's own group")
        }
    }

    func run() async throws {
        let (devices, trust) = try await target.play(connections: min(connections, 8), shown: !output.json)
        try await assignSecret(trust)
        if !output.json { tell("fetching the documents and making the requests") }
        let source = CredentialSource(trust: trust, named: mode == .scep ? .scep : .acme)
        let documents = try await source.documents(of: devices, each: each, connections: min(connections, 8))
        let issuing: any Issuing =
            switch mode {
            case .scep: try await SCEPIssuing(documents, trust: trust)
            case .acme: try await ACMEIssuing(documents, trust: trust)
            }
        if !output.json { tell("having \(documents.count) certificates issued") }
        try output.show(try await measure(issuing, count: documents.count))
    }

    private func measure(_ issuing: any Issuing, count: Int) async throws -> IssuingResult {
        var latencies = Latencies()
        let cost = try await Cost.of(count, serverPid: serverPid) {
            try await withThrowingTaskGroup(of: Latencies.self) { group in
                for connection in 0..<connections {
                    group.addTask {
                        try await issuing.issue(Array(stride(from: connection, to: count, by: connections)))
                    }
                }
                for try await part in group { latencies.add(part) }
            }
        }
        try await issuing.check()
        let times = latencies.percentiles([0.5, 0.99])
        return IssuingResult(
            mode: mode.rawValue, certificates: count, connections: connections,
            certificatesPerSecond: cost.perSecond, p50Milliseconds: times[0], p99Milliseconds: times[1],
            serverCPUMillisecondsPerCertificate: cost.serverMillisecondsEach)
    }

    private func assignSecret(_ trust: ServerTrust) async throws {
        let admin = try AdminSession(path: target.session)
        let subject = [["CN", "${device.udid}"]]
        let request: SecretRequest =
            mode == .scep ? .scep(SCEPSecret(subject: subject)) : .acme(ACMESecret(subject: subject))
        let name = "martlet-load-\(mode.rawValue)"
        try await trust.withClient { http in
            _ = try await admin.send(.PUT, "/secrets/\(name)", body: AdminJSON.encode(request), over: http)
            let slot = "\(MartletProfiles.ownGroup)/\(MartletProfiles.appPrefix)0/identity/\(mode.rawValue)"
            _ = try await admin.send(
                .PUT, "/secret-assignments/\(slot)", body: AdminJSON.encode(SecretAssignmentRequest(secret: name)),
                over: http)
        }
    }
}

/// What a run of certificates measured.
private struct IssuingResult: LoadResult {
    let mode: String
    let certificates: Int
    let connections: Int
    let certificatesPerSecond: Double
    let p50Milliseconds: Double
    let p99Milliseconds: Double
    let serverCPUMillisecondsPerCertificate: Double?

    var text: String {
        let shown = [certificatesPerSecond, p50Milliseconds, p99Milliseconds].map { RequestResult.text($0, 1) }
        let cpu = serverCPUMillisecondsPerCertificate.map { ", server CPU \(RequestResult.text($0, 2)) ms each" } ?? ""
        return "\(certificates) certificates by \(mode), \(shown[0]) per second, "
            + "p50 \(shown[1]) ms, p99 \(shown[2]) ms\(cpu)"
    }
}
