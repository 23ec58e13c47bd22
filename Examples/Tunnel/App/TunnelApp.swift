import Foundation
import ManagedApp
import ManagedAppSpecification
import TunnelConfiguration

/// The app that people open: it shows whose tunnel is set up.
///
/// It can not build the tunnel itself: what the gateway asks for is given to the extension, and only to that.
@main
struct TunnelApp {
    static func main() async throws {
        try PublishedSpecification.emitIfAsked(try TunnelAppConfig.specification)
        Task {
            for await identifiers in await ManagedAppIdentitiesProvider().identifiers {
                say("Identities of this app: \(identifiers.isEmpty ? "none" : identifiers.joined(separator: ", ")).")
                let isHere = (try? await ManagedAppIdentitiesProvider().identity(withIdentifier: "tunnel")) != nil
                say("The identity of the tunnel is \(isHere ? "here" : "not for this app").")
            }
        }
        for await config in await ManagedAppConfigurationProvider().configurations(TunnelAppConfig.self) {
            say(config?.organization.map { "This is the tunnel of \($0)." } ?? "Nobody has set up a tunnel.")
        }
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
