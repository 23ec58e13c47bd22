import Foundation
import ManagedApp

/// A browser for terminals that opens the organization's home page and signs in there, without asking anybody.
@main
struct BrowserApp {
    static func main() async {
        // Whatever comes, a new configuration or the Return key, is a reason to open the page again.
        let (reasons, reload) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let current = Current()
        Task {
            for await config in await ManagedAppConfigurationProvider().configurations(BrowserConfig.self) {
                await current.set(config)
                reload.yield()
            }
        }
        Thread.detachNewThread {
            while readLine() != nil { reload.yield() }
        }
        for await _ in reasons { show(await current.page()) }
    }

    private static func show(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n\n").utf8))
    }
}

/// Everything an administrator can configure.
struct BrowserConfig: Decodable, Sendable {
    /// The page that the browser opens: an `https` URL.
    let homePage: String?

    /// Who signs in there.
    let userName: String?

    /// The identifier of a provisioned certificate: the one authority to believe when it vouches for the page's server.
    let homePageAuthority: String?
}

/// The configuration as it is now, and the page that it names.
actor Current {
    private var site: Site?

    func set(_ config: BrowserConfig?) {
        site = config.flatMap(Site.init)
    }

    func page() async -> String {
        await site?.page() ?? "(no home page is configured)"
    }
}
