import Foundation
import ManagedApp

// A client that was not moved to Swift 6: no strict checks, callbacks, shared variables.

struct OldConfig: Decodable {
    var title: String?
}

/// A model without any isolation.
package final class OldModel {
    private let makeProvider: () -> ManagedAppConfigurationProvider
    package var title = "-"
    package var onChange: ((String) -> Void)?

    package init(makeProvider: @escaping () -> ManagedAppConfigurationProvider) {
        self.makeProvider = makeProvider
    }

    package func start() -> Task<Void, Never> {
        Task {
            for await config in await makeProvider().configurations(OldConfig.self) { show(config) }
        }
    }

    package func startDetached() -> Task<Void, Never> {
        Task.detached {
            for await config in await self.makeProvider().configurations(OldConfig.self) { self.show(config) }
        }
    }

    package func startOnMainActor() -> Task<Void, Never> {
        Task { @MainActor in
            for await config in await makeProvider().configurations(OldConfig.self) { show(config) }
        }
    }

    package func startInActor() -> Task<Void, Never> {
        Task { await OldActor().follow(makeProvider(), show) }
    }

    private func show(_ config: OldConfig?) {
        title = config?.title ?? "nil"
        onChange?(title)
    }
}

actor OldActor {
    func follow(_ provider: ManagedAppConfigurationProvider, _ show: (OldConfig?) -> Void) async {
        for await config in await provider.configurations(OldConfig.self) { show(config) }
    }
}

/// A `catch` without a cast is exhaustive here too.
package func oldPassword() async -> String {
    do {
        return try await ManagedAppPasswordsProvider().password(withIdentifier: "a")
    } catch ManagedAppError.invalidIdentifier {
        return "invalid"
    } catch {
        return "other"
    }
}
