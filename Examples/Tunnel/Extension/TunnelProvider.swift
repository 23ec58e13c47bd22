import Foundation
import ManagedApp
import TunnelConfiguration

/// The extension: it proves to the gateway whose device this is, and lets itself in.
///
/// What follows then, packets in and out, is the business of the gateway's protocol, and not of this example.
@main
struct TunnelProvider {
    static func main() async {
        // Whatever comes, a new configuration or another identity, is a reason to connect anew.
        let (reasons, again) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let current = Current()
        Task {
            for await config in await ManagedAppConfigurationProvider().configurations(TunnelProviderConfig.self) {
                await current.set(config)
                again.yield()
            }
        }
        Task {
            for await _ in await ManagedAppIdentitiesProvider().identifiers { again.yield() }
        }
        for await _ in reasons {
            FileHandle.standardOutput.write(Data((await current.connect() + "\n").utf8))
        }
    }
}

/// The configuration as it is now.
actor Current {
    private var gateway: Gateway?

    func set(_ config: TunnelProviderConfig?) {
        gateway = config.flatMap(Gateway.init)
    }

    func connect() async -> String {
        await gateway?.connect() ?? "The tunnel is down: nobody has set it up."
    }
}
