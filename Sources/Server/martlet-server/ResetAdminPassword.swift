import ArgumentParser
import Foundation
import Management
import StoreSQLite

/// `martlet-server reset-admin-password`: lets an operator in who lost the administrator's password.
///
/// It works on the files, so only who may read the data directory can do it, and only while no server runs.
struct ResetAdminPassword: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-admin-password",
        abstract: "Give an administrator a new password; every session of theirs ends. The server must be stopped.")

    @OptionGroup var place: PlaceOptions

    @OptionGroup(visibility: .hidden) var options: SettingOptions

    @Option(help: "The administrator's name.")
    var name = "admin"

    func run() async throws {
        let settings = try await Settings(place, options)
        let store = try DataDirectory(existing: settings.dataDirectory).stoppedStore()
        defer { try? store.close() }
        guard let administrator = try await store.administrator(named: name) else {
            throw Refusal(rule: "there is no administrator of that name")
        }
        // 120 random bits, in an alphabet without look-alikes.
        let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789")
        let password = String((0..<24).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] })
        let hash = try PasswordHash(of: password, salt: Management.systemRandom(16), cost: .standard).text
        let isChanged = try await DataDirectory.changing {
            try await store.changePassword(
                of: name, from: administrator.passwordHash, to: hash, keeping: Data(), by: .operator, now: Date())
        }
        guard isChanged else { throw Refusal(rule: "the password was changed by somebody else at the same time") }
        print("new password of \(name): \(password)")
    }
}
