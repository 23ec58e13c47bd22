import AdminMessages
import ArgumentParser
import Foundation

/// The command `martlet token list`.
struct TokenList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List your API tokens, or everybody's if you may see them.")

    @OptionGroup var output: Output

    func run() async throws {
        let tokens: [TokenSummary] = try await Server.inSession { try await $0.list("tokens") }
        try output.print(tokens, nothing: "No API tokens.") {
            var table = Table("ID", "NAME", "OF", "MAY", "STATE", "EXPIRES", "LAST USED")
            for token in tokens {
                table.add(
                    token.id, token.name, token.administrator, TokenText.scope(token), TokenText.state(token),
                    token.expires.shown, token.lastUsed?.shown ?? "never")
            }
            return table
        }
    }
}

/// API tokens as people read them.
enum TokenText {
    static func scope(_ token: TokenSummary) -> String {
        var words = [token.role.rawValue]
        if let apps = token.apps { words.append("of " + apps.joined(separator: ", ")) }
        if let groups = token.groups, !groups.isEmpty { words.append("for " + groups.joined(separator: ", ")) }
        if token.readOnly { words.append("(read only)") }
        if token.administers { words.append("(and administrators)") }
        return words.joined(separator: " ")
    }

    static func state(_ token: TokenSummary) -> String {
        if token.revoked != nil { return "revoked" }
        return token.expires > Date() ? "valid" : "expired"
    }
}
