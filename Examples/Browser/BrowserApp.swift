import Foundation
import ManagedApp
import ManagedAppSpecification

/// A browser for terminals that opens the organization's home page and signs in there, without asking anybody.
@main
struct BrowserApp {
    static func main() async throws {
        try PublishedSpecification.emitIfAsked(try BrowserConfig.specification)
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
