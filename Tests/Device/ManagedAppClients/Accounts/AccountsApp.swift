import Foundation
import ManagedApp

/// An app for tests that opens each account an administrator gave it, on the main actor, and says so.
@main
struct AccountsApp {
    @MainActor
    static func main() {
        Task { await follow() }
        RunLoop.main.run()
    }

    @MainActor
    private static func follow() async {
        let provider = ManagedAppPasswordsProvider()
        for await identifiers in await provider.identifiers {
            var opened: [String] = []
            for identifier in identifiers where identifier.hasPrefix("account-") {
                do {
                    let password = try await provider.password(withIdentifier: identifier)
                    MainActor.assertIsolated()
                    opened.append("\(identifier): \(password.count) characters")
                } catch .invalidIdentifier {
                    // Withdrawn since the list was made: the next list is without it.
                    continue
                } catch {
                    opened.append("\(identifier): \(error)")
                }
            }
            FileHandle.standardOutput.write(Data("[\(opened.joined(separator: ", "))]\n".utf8))
        }
    }
}
