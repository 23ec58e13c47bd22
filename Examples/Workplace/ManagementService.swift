import AsyncHTTPClient
import ManagedApp
import ManagedAppNetworking
import NIOCore

/// The service that knows how this device fares, and answers only the organization's own app.
struct ManagementService: Sendable {
    /// The identifier under which an administrator provides the app's identity; documented in the README.
    static let identity = "workplace"

    private let address: String
    private let tls: ManagedTLS

    /// Nil where no service is configured.
    init?(_ config: WorkplaceConfig) {
        guard let address = config.managementService else { return nil }
        self.address = address
        tls = ManagedTLS(
            identity: Self.identity, trust: config.managementAuthority.map { .only([$0]) } ?? .system)
    }

    /// What the service says of this device; asked over a connection of its own, with the identity as it is now.
    func status() async -> String {
        do {
            let client = ManagedHTTPClient(tls)
            let response = try await client.execute(HTTPClientRequest(url: address), timeout: .seconds(30))
            let text = String(buffer: try await response.body.collect(upTo: 65_536))
            return response.status == .ok ? text : "The management service refused this app."
        } catch ManagedAppError.invalidIdentifier {
            return "This app has no identity for the management service."
        } catch is UntrustedServer {
            return "This is not the management service that the administrator named."
        } catch {
            return "The management service did not answer."
        }
    }
}
