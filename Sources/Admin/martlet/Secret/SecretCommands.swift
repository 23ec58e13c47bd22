import ArgumentParser

/// The command `martlet secret …`.
struct SecretCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret", abstract: "Passwords, certificates and identities, and which app may use them.",
        discussion: """
            A secret is set once and given to an app under the identifier its developer chose:

              martlet secret set wifi --user-name guest --password-stdin < password.txt
              martlet secret assign teachers com.example.app --identifier wifi --secret wifi

            Setting it again makes a new version, which reaches every app that uses it. No command shows a value.
            """,
        subcommands: [
            SecretSet.self, SecretSetValues.self, SecretList.self, SecretShow.self, SecretHistory.self,
            SecretDelete.self,
            SecretAssign.self, SecretAssigned.self, SecretUnassign.self,
        ])
}
