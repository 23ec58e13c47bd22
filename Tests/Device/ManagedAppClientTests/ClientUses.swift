import Foundation
import ManagedApp

// Everything an app developer may write, compiled without any of our settings. That it compiles is the test.

struct ClientConfig: Decodable, Sendable {
    struct Collection: Decodable, Sendable {
        var title: String
    }
    var collection: Collection?
}

struct NonSendableConfig: Decodable {
    var x: Int?
    var box: NonSendableBox?
}

final class NonSendableBox: Decodable {
    var value: Int = 0
}

@MainActor final class Model {
    var title = ""
    let provider = ManagedAppConfigurationProvider()

    func watch() async {
        for await config in await ManagedAppConfigurationProvider().configurations(ClientConfig.self) {
            title = config?.collection?.title ?? "nil"
        }
    }

    func watchStored() async {
        for await config in await provider.configurations(ClientConfig.self) {
            title = config?.collection?.title ?? "nil"
        }
    }

    func watchNonSendable() async {
        for await config in await ManagedAppConfigurationProvider().configurations(NonSendableConfig.self) {
            _ = config?.box
        }
    }

    func start() -> [Task<Void, Never>] {
        [
            Task { await watch() },
            Task {
                for await config in await self.provider.configurations(ClientConfig.self) {
                    self.title = "\(config as Any)"
                }
            },
        ]
    }

    func password() async throws -> String {
        try await ManagedAppPasswordsProvider().password(withIdentifier: "x")
    }
}

actor Background {
    let passwords = ManagedAppPasswordsProvider()
    let configurations = ManagedAppConfigurationProvider()

    func password() async throws(ManagedAppError) -> String {
        try await passwords.password(withIdentifier: "y")
    }

    func loop() async {
        for await value in await configurations.configurations(NonSendableConfig.self) { _ = value }
    }
}

/// Without `self`, without an actor.
func detached() -> Task<Void, Never> {
    Task.detached {
        for await config in await ManagedAppConfigurationProvider().configurations(ClientConfig.self) { _ = config }
    }
}

func viaExistential() async {
    let sequence: any AsyncSequence<ClientConfig?, Never> =
        await ManagedAppConfigurationProvider().configurations(ClientConfig.self)
    for await config in sequence { _ = config }
}

func inATaskGroup() async {
    await withTaskGroup(of: Void.self) { group in
        group.addTask {
            for await config in await ManagedAppConfigurationProvider().configurations(ClientConfig.self) { _ = config }
        }
        group.cancelAll()
    }
}

/// A `catch` without a cast is exhaustive.
func exhaustive() async -> String {
    do {
        return try await ManagedAppPasswordsProvider().password(withIdentifier: "z")
    } catch {
        switch error {
        case .invalidIdentifier: return "invalid"
        case .serverError: return "server"
        case .internalError: return "internal"
        }
    }
}

func certificate() async throws(ManagedAppError) -> SecCertificate {
    try await ManagedAppCertificatesProvider().certificate(withIdentifier: "c")
}

func identity() async throws(ManagedAppError) -> SecIdentity {
    try await ManagedAppIdentitiesProvider().identity(withIdentifier: "i")
}

func everyIdentifierSequence() async {
    for await names in await ManagedAppPasswordsProvider().identifiers { let _: [String] = names }
    for await names in await ManagedAppCertificatesProvider().identifiers { let _: [String] = names }
    for await names in await ManagedAppIdentitiesProvider().identifiers { let _: [String] = names }
}

struct ClientError: ManagedAppConfigurationDecodingError {
    var code: ManagedAppConfigurationDecodingErrorCode
    var message: String
}

/// Every conformance that the documentation lists.
func conformances(_ error: ManagedAppError, _ code: ManagedAppConfigurationDecodingErrorCode) -> [Any] {
    let localized: any LocalizedError = error
    let hashable: any Hashable & Sendable = error
    let codable: any Codable & Hashable & Sendable = code
    let raw: Int = code.rawValue
    let constants: [Int] = [
        ManagedAppConfigurationDecodingErrorCode.firstReserved, ManagedAppConfigurationDecodingErrorCode.generic,
        ManagedAppConfigurationDecodingErrorCode.timeout, ManagedAppConfigurationDecodingErrorCode.keyNotFound,
        ManagedAppConfigurationDecodingErrorCode.typeMismatch, ManagedAppConfigurationDecodingErrorCode.valueNotFound,
        ManagedAppConfigurationDecodingErrorCode.dataCorrupted,
    ]
    return [localized, hashable, codable, raw, constants]
}
