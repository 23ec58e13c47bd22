import Foundation
import ManagedApp
import Observation

// A client as new app projects are set up: everything belongs to the main actor unless it says otherwise.

/// A configuration that has its initializer from the compiler.
struct PlainConfig: Decodable {
    var title: String?
    var numbers: [Int]?
}

/// A configuration whose initializer uses closures, other types and shared values of the module.
struct CheckedConfig: Decodable {
    static let most = 3

    let title: String
    let places: [Place]

    private enum CodingKeys: String, CodingKey {
        case title
        case places = "com.example.places"
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        title = try values.decodeIfPresent(String.self, forKey: .title) ?? CheckedConfig.untitled()
        let numbers = try values.decodeIfPresent([Int].self, forKey: .places) ?? []
        guard numbers.count <= CheckedConfig.most else { throw ClientError(101, "tooMany") }
        places = try numbers.map { number in
            guard let place = Place.all.first(where: { $0.number == number }) else { throw ClientError.unknownPlace }
            return place
        }
    }

    static func untitled() -> String { "Untitled" }
}

/// A configuration whose initializer takes its time.
struct SlowConfig: Decodable {
    let title: String

    private enum CodingKeys: String, CodingKey {
        case title
    }

    init(from decoder: any Decoder) throws {
        title = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .title)
        MainActor.assertIsolated()
        SlowDecoding.wait()
    }
}

/// What takes its time.
package enum SlowDecoding {
    package static var wait: () -> Void = {}
}

/// A value of the module that a decoder looks up.
struct Place {
    let number: Int
    let name: String

    static let all = [Place(number: 1, name: "one"), Place(number: 2, name: "two")]
}

/// The app's own error.
struct ClientError: ManagedAppConfigurationDecodingError {
    var code: ManagedAppConfigurationDecodingErrorCode
    var message: String

    static let unknownPlace = ClientError(100, "unknownPlace")

    init(_ number: Int, _ message: String) {
        guard let code = ManagedAppConfigurationDecodingErrorCode(rawValue: number) else {
            preconditionFailure("the app's codes are below the reserved ones")
        }
        self.code = code
        self.message = message
    }
}

/// A model that views observe, with its load step.
@Observable
package final class MainActorModel {
    package private(set) var title = "-"
    private let provider: ManagedAppConfigurationProvider
    private let changed: AsyncStream<String>.Continuation

    /// Every title the model has had.
    package let titles: AsyncStream<String>

    package init(provider: ManagedAppConfigurationProvider) {
        self.provider = provider
        (titles, changed) = AsyncStream.makeStream()
    }

    package func load() -> Task<Void, Never> {
        Task {
            for await config in await provider.configurations(PlainConfig.self) {
                show(config.map { "\($0.title ?? "Untitled") \($0.numbers ?? [])" })
            }
        }
    }

    package func loadChecked() async {
        for await config in await provider.configurations(CheckedConfig.self) {
            show(config.map { "\($0.title) \($0.places.map(\.name))" })
        }
    }

    package func loadSlow() async {
        for await config in await provider.configurations(SlowConfig.self) { show(config?.title) }
    }

    private func show(_ title: String?) {
        self.title = title ?? "nil"
        changed.yield(self.title)
    }

    /// Away from the main actor.
    @concurrent package nonisolated static func password() async -> String {
        do {
            return try await ManagedAppPasswordsProvider().password(withIdentifier: "a")
        } catch {
            switch error {
            case .invalidIdentifier: return "invalid"
            case .serverError: return "server"
            case .internalError: return "internal"
            }
        }
    }
}
