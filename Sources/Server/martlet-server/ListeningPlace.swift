import Foundation
import NIOCore
import NIOPosix

/// An address and a port where the server is to listen, tried before anything depends on it.
struct ListeningPlace: Sendable {
    let host: String
    let port: Int
    /// The option that names the port, and how, in a refusal.
    let portOption: String
    let hostOption: String

    /// Where devices and administrators reach the server.
    static func main(_ settings: Settings) -> ListeningPlace {
        ListeningPlace(
            host: settings.host, port: settings.port, portOption: "--port, or 0 for a free one", hostOption: "--host")
    }

    /// Where measurements are read, if anywhere.
    static func metrics(_ settings: Settings) -> ListeningPlace? {
        settings.metrics.map { address in
            ListeningPlace(host: address.host, port: address.port, portOption: "--metrics", hostOption: "--metrics")
        }
    }

    /// Listens for a moment at both places, at the second while the first is taken.
    ///
    /// - Returns: the port of the main place, which the system chose if none was named.
    static func probeAll(_ settings: Settings) async throws -> Int {
        let main = Self.main(settings)
        guard let metrics = Self.metrics(settings) else { return try await main.probe() }
        guard metrics.port != 0 else {
            // The system will choose a port that is free then: hold none that it chooses now.
            _ = try await metrics.probe()
            return try await main.probe()
        }
        let held = try await metrics.listen()
        let port: Int
        do {
            port = try await main.probe()
        } catch {
            try await held.close()
            guard (try? await main.probe()) != nil else { throw error }
            throw Refusal(
                rule: "--metrics and --port both name port \(metrics.port) of \(metrics.host): choose another one")
        }
        try await held.close()
        return port
    }

    private func listen() async throws -> any Channel {
        do {
            return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: host, port: port).get()
        } catch {
            throw refusal(error)
        }
    }

    /// Listens for a moment.
    ///
    /// - Returns: the port, which the system chose if none was named.
    func probe() async throws -> Int {
        let probe = try await listen()
        let address = probe.localAddress
        try await probe.close()
        guard let found = address?.port else { throw Refusal(rule: "there is no free port") }
        return found
    }

    /// Why the server cannot listen here: which option names it, and what to do.
    func refusal(_ error: any Error) -> Refusal {
        guard let error = error as? IOError else {
            return Refusal(
                rule: "the address \(host) is not known: name this machine's with \(hostOption), or 0.0.0.0 for all")
        }
        let rule =
            switch error.errnoCode {
            case EADDRINUSE: "port \(port) of \(host) is in use: choose another one with \(portOption)"
            case EADDRNOTAVAIL:
                "\(host) is no address of this machine: name one that is with \(hostOption), or 0.0.0.0 for all"
            case EACCES, EPERM:
                "this user may not listen at port \(port) of \(host): choose one from 1024 on with \(portOption)"
            default:
                "port \(port) of \(host) cannot be listened at (\(unsafe String(cString: strerror(error.errnoCode)))): "
                    + "choose another one with \(portOption)"
            }
        return Refusal(rule: rule)
    }
}
