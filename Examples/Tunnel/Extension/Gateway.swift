import AsyncHTTPClient
import Foundation
import ManagedApp
import ManagedAppNetworking
import NIOCore
import TunnelConfiguration

/// The organization's gateway, as this device comes to it.
struct Gateway: Sendable {
    private let address: String
    private let tls: ManagedTLS

    /// Nil where no gateway is configured.
    init?(_ config: TunnelProviderConfig) {
        guard let address = config.gateway else { return nil }
        self.address = address
        tls = ManagedTLS(
            identity: TunnelProviderConfig.identity, trust: config.gatewayAuthority.map { .only([$0]) } ?? .system)
    }

    /// Comes to the gateway with the identity as it is now; on a new connection, which it has to be let in on.
    func connect() async -> String {
        do {
            let client = ManagedHTTPClient(tls)
            let response = try await client.execute(HTTPClientRequest(url: address), timeout: .seconds(30))
            let body = String(buffer: try await response.body.collect(upTo: 65_536))
            guard response.status == .ok else { return "The tunnel is down: the gateway refused this device." }
            return "The tunnel is up: \(body)"
        } catch ManagedAppError.invalidIdentifier {
            return "The tunnel is down: this device has no identity for it."
        } catch is UntrustedServer {
            return "The tunnel is down: this is not the gateway that the administrator named."
        } catch {
            return "The tunnel is down: the gateway did not answer."
        }
    }
}
