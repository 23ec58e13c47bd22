import Foundation
import ManagedApp
import Testing

/// The library as an app developer meets it: no settings of ours, no agent.
@Suite(.timeLimit(.minutes(10)))
struct ClientTests {
    /// S4-API-01, S4-API-12: four providers, each usable alone; the element is an optional of the app's type.
    @Test func withoutAnAgentTheFirstElementIsNil() async {
        for await element in await ManagedAppConfigurationProvider().configurations(ClientConfig.self) {
            let config: ClientConfig? = element
            #expect(config == nil)
            break
        }
        for await names in await ManagedAppPasswordsProvider().identifiers {
            #expect(names == [])
            break
        }
        for await names in await ManagedAppCertificatesProvider().identifiers {
            #expect(names == [])
            break
        }
        for await names in await ManagedAppIdentitiesProvider().identifiers {
            #expect(names == [])
            break
        }
        #expect(await exhaustive() == "invalid")
    }

    /// S4-API-11, S4-API-20: started from the main actor, with its own or a stored provider.
    @Test @MainActor func aLoopOnTheMainActorGetsItsElement() async {
        let model = Model()
        let tasks = model.start()
        while model.title.isEmpty { await Task.yield() }
        #expect(model.title == "nil")
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    @Test func whyItIsNilCanBeAsked() async {
        let status = await ManagedAppStatus.current
        #expect(status.configuration == .notManaged && !status.hasSynchronised)
    }

    @Test func aCodeIsItsNumberOnTheWire() throws {
        let code = try #require(ManagedAppConfigurationDecodingErrorCode(rawValue: 100))
        #expect(String(decoding: try JSONEncoder().encode([code]), as: UTF8.self) == "[100]")
        #expect(code.rawValue < ManagedAppConfigurationDecodingErrorCode.firstReserved)
        let error = ClientError(code: code, message: "m")
        let back = try JSONDecoder().decode(ClientError.self, from: try JSONEncoder().encode(error))
        #expect(back.code == error.code && back.message == error.message)
    }

    @Test func reservedCodesDiffer() {
        typealias Code = ManagedAppConfigurationDecodingErrorCode
        let reserved = [
            Code.generic, Code.timeout, Code.keyNotFound, Code.typeMismatch, Code.valueNotFound, Code.dataCorrupted,
        ]
        #expect(Set(reserved).count == reserved.count)
        #expect(reserved.allSatisfy { $0 >= Code.firstReserved })
    }
}
