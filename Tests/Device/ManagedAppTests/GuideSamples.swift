import Foundation
import ManagedApp

// Samples of the guide to designing a configuration: it quotes them, and tests show what is said of them.

// MARK: Secrets are looked up each time

actor KeepsThePassword {
    private let passwords: ManagedAppPasswordsProvider
    private var kept: String?

    init(_ passwords: ManagedAppPasswordsProvider) { self.passwords = passwords }

    func password() async throws -> String {
        if let kept { return kept }
        let found = try await passwords.password(withIdentifier: "account")
        kept = found
        return found
    }
}

struct LooksItUp {
    let passwords: ManagedAppPasswordsProvider

    func password() async throws -> String { try await passwords.password(withIdentifier: "account") }
}

// MARK: The older way beside this one

struct NewsConfig: Codable, Equatable, Sendable {
    let topic: String
}

func olderGoesBefore(_ older: NewsConfig?, _ managed: NewsConfig?) -> NewsConfig? { older ?? managed }

func followBoth(
    _ provider: ManagedAppConfigurationProvider, _ legacy: LegacyConfiguration, show: (NewsConfig?) -> Void
) async {
    for await config in await provider.configurations(NewsConfig.self, fallback: legacy.configurations) {
        show(config)
    }
}

func followThisAlone(_ provider: ManagedAppConfigurationProvider, show: (NewsConfig?) -> Void) async {
    for await config in await provider.configurations(NewsConfig.self) { show(config) }
}

// MARK: A demo

struct DemoByConfiguration: Decodable, Equatable {
    let topic: String?
    let demo: Bool?
}

func followDemo(
    _ provider: ManagedAppConfigurationProvider, _ demo: ManagedAppDemo, show: (NewsConfig?) -> Void
) async {
    for await config in await provider.configurations(NewsConfig.self, fallback: demo.configurations) {
        show(config)
    }
}
