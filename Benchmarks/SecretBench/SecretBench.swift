import Foundation
import ManagedApp

/// An app that measures what its secrets cost it, as the agent's other callers would find it.
///
/// `SecretBench measure LOOKUPS SIGNATURES` looks up the password `password` one time after the other, has the identities
/// `p256` and `rsa` sign, prints one line of JSON with microseconds and rates, and ends. `SecretBench look LOOKUPS` only
/// looks up, `SecretBench ask RATE` does so that often a second until it is ended, `SecretBench sign NAME SIGNATURES` has
/// one identity sign. `SecretBench first` says when it began and when it had its first configuration, in nanoseconds of
/// the monotonic clock. `SecretBench follow` prints a line whenever the identifiers of its passwords come.
@main
struct SecretBench {
    private static let signers = 8

    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 2, arguments[1] == "first" { return await first() }
        if arguments.count == 3, arguments[1] == "look", let lookups = Int(arguments[2]), lookups > 99 {
            return say(String(decoding: try JSONEncoder().encode(try await lookUps(lookups)), as: UTF8.self))
        }
        if arguments.count == 3, arguments[1] == "ask", let rate = Double(arguments[2]), rate > 0 {
            return try await ask(rate)
        }
        if arguments.count == 4, arguments[1] == "measure", let lookups = Int(arguments[2]), lookups > 99,
            let signatures = Int(arguments[3])
        {
            var result = try await lookUps(lookups)
            for name in ["p256", "rsa"] { result[name] = try await signaturesPerSecond(name, signatures) }
            say(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
        } else if arguments.count == 4, arguments[1] == "sign", let signatures = Int(arguments[3]) {
            let rate = [arguments[2]: try await signaturesPerSecond(arguments[2], signatures)]
            say(String(decoding: try JSONEncoder().encode(rate), as: UTF8.self))
        } else {
            var count = 0
            for await _ in await ManagedAppPasswordsProvider().identifiers {
                count += 1
                say("identifiers came, \(count)")
            }
        }
    }

    private static func first() async {
        struct Whatever: Decodable, Sendable {}
        let begun = DispatchTime.now().uptimeNanoseconds
        for await configuration in await ManagedAppConfigurationProvider().configurations(Whatever.self) {
            let isThere = configuration != nil
            say(#"{"begun": \#(begun), "first": \#(DispatchTime.now().uptimeNanoseconds), "isThere": \#(isThere)}"#)
            return
        }
    }

    private static func lookUps(_ count: Int) async throws -> [String: Double] {
        let provider = ManagedAppPasswordsProvider()
        var taken: [Double] = []
        for round in -200..<count {
            let begun = DispatchTime.now().uptimeNanoseconds
            let password = try await provider.password(withIdentifier: "password")
            let ended = DispatchTime.now().uptimeNanoseconds
            guard password.utf8.count == 4_096 else { throw ManagedAppError.internalError }
            if round >= 0 { taken.append(Double(ended - begun) / 1_000) }
        }
        taken.sort()
        return ["p50": taken[count / 2], "p99": taken[count * 99 / 100]]
    }

    private static func ask(_ rate: Double) async throws {
        let provider = ManagedAppPasswordsProvider()
        _ = try await provider.password(withIdentifier: "password")
        say("asking")
        while true {
            // At any moment, so that many do not ask together.
            try await Task.sleep(for: .seconds(Double.random(in: 0...2 / rate)))
            _ = try await provider.password(withIdentifier: "password")
        }
    }

    /// As many at once as an app with some connections asks for.
    private static func signaturesPerSecond(_ name: String, _ count: Int) async throws -> Double {
        let key = try await ManagedAppIdentitiesProvider().identity(withIdentifier: name).privateKey
        let algorithm: SecKeyAlgorithm =
            SecKeyIsAlgorithmSupported(key, .sign, .ecdsaSignatureMessageX962SHA256)
            ? .ecdsaSignatureMessageX962SHA256 : .rsaSignatureMessagePSSSHA256
        let message = Data(repeating: 7, count: 130)
        let begun = DispatchTime.now().uptimeNanoseconds
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<signers {
                group.addTask {
                    for _ in 0..<count / signers { _ = try await key.signature(for: message, algorithm: algorithm) }
                }
            }
            try await group.waitForAll()
        }
        return Double(count / signers * signers) / (Double(DispatchTime.now().uptimeNanoseconds - begun) / 1e9)
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
