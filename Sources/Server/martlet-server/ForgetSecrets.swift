import ArgumentParser
import Foundation
import Management
import StoreSQLite

/// `martlet-server forget-secrets`: goes on without the secrets whose master key is lost.
///
/// It works on the files, as `reset-admin-password` does, and only while no server runs.
struct ForgetSecrets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget-secrets",
        abstract: "Go on without the secrets whose master key is lost. The server must be stopped.",
        discussion: """
            It lists by name what the master keys that are here do not open: values of secrets, secrets of webhooks, the \
            credential that wakes Apple devices, tokens that devices left. With --confirm it forgets these, and the audit log says so. Names, \
            versions and assignments of secrets stay: devices keep what they have, and an administrator sets each \
            value anew. Webhooks are disabled until they have another secret.
            """)

    @OptionGroup var place: PlaceOptions

    @OptionGroup(visibility: .hidden) var options: SettingOptions

    @Flag(help: "Forget what is listed; without this option nothing is changed.")
    var confirm = false

    func run() async throws {
        let settings = try await Settings(place, options)
        let directory = try DataDirectory(existing: settings.dataDirectory)
        let keys = try MasterKeySource(directory).identifiers()
        let store = try directory.stoppedStore()
        defer { try? store.close() }
        guard try await !store.masterKeyIDsOnRecord().isSubset(of: keys) else {
            print("each master key on record is here: there is nothing to forget")
            return
        }
        let locked = try await DataDirectory.changing {
            try await confirm
                ? store.forgetLockedSecrets(keys: keys, now: Date()) : store.lockedSecrets(keys: keys)
        }
        for name in locked.secrets { print("secret \(name)") }
        for name in locked.webhooks { print("webhook \(name)") }
        if let topic = locked.pushTopic { print("push credential \(topic)") }
        if locked.escrowedTokens > 0 { print("tokens of devices: \(locked.escrowedTokens)") }
        if locked == LockedSecrets(secrets: [], webhooks: [], pushTopic: nil) {
            print("no value is under the master key that is not here")
        }
        print(
            confirm
                ? "forgotten: set these anew" : "nothing was changed: --confirm forgets these and the master key")
    }
}
