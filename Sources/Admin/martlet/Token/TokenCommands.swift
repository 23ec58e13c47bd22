import ArgumentParser

/// The command `martlet token …`.
struct TokenCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "API tokens, which programs use in your place.",
        discussion: """
            A token may do some of what you may, and at each use no more than you may then; it ends with its time, when \
            it is revoked, and with you. It makes no tokens and changes no password. Programs send it as \
            Authorization: Bearer martlet_…
            """,
        subcommands: [TokenCreate.self, TokenList.self, TokenRevoke.self])
}
