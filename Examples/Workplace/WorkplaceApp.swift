import Foundation
import ManagedApp
import ManagedAppSpecification

/// An organization's own app in a terminal: one program that is another for each organization and each role.
///
/// A person opens a tab by typing its name.
@main
struct WorkplaceApp {
    static func main() async throws {
        try PublishedSpecification.emitIfAsked(try WorkplaceConfig.specification)
        let workplace = Workplace()
        Task {
            for await config in await ManagedAppConfigurationProvider().configurations(WorkplaceConfig.self) {
                say(await workplace.apply(config))
            }
        }
        let (names, typed) = AsyncStream<String>.makeStream()
        Thread.detachNewThread {
            while let line = readLine() { typed.yield(line) }
        }
        for await name in names { say(await workplace.open(name)) }
    }

    private static func say(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}

/// A part of the app.
enum Tab: String {
    case customers, quotes, machines, drawings, news, canteen, device
}

/// The app as it is configured now.
actor Workplace {
    private var tabs: [Tab] = []
    private var service: ManagementService?

    /// Becomes what the configuration says; without one, an app that shows nothing of the organization's.
    func apply(_ config: WorkplaceConfig?) -> String {
        service = config.flatMap(ManagementService.init)
        tabs = (config?.role?.tabs ?? []) + (config?.features.map(\.tab) ?? []) + (service == nil ? [] : [.device])
        let title = "\(config?.brand?.name ?? "Workplace"): \(config?.greeting ?? "Welcome")"
        let names = tabs.isEmpty ? "none" : tabs.map(\.rawValue).joined(separator: ", ")
        return [title, config?.brand?.motto, "Tabs: \(names)"].compactMap { $0 }.joined(separator: "\n")
    }

    /// What a person sees who types the name of a tab.
    func open(_ name: String) async -> String {
        guard let tab = tabs.first(where: { $0.rawValue == name }) else { return "There is no tab “\(name)” for you." }
        guard tab == .device, let service else { return "This is the tab \(tab.rawValue)." }
        return await service.status()
    }
}
