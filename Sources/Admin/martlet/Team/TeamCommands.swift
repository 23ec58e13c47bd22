import AdminMessages
import ArgumentParser
import Foundation

/// The command `martlet team …`.
struct TeamCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "team", abstract: "Developers' teams whose packages the fleet trusts.",
        subcommands: [TeamAdd.self, TeamList.self, TeamRemove.self])
}

/// The command `martlet team add`.
struct TeamAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Have the fleet trust a team's packages.",
        discussion: """
            The certificate is a team's own, or that of an authority which certifies teams. An authority whose subject \
            names a team vouches for that team alone; one that names none vouches for every team.
            """)

    @Argument(help: "The certificate, as PEM or DER; all of a file with several.", completion: .file())
    var file: String

    @OptionGroup var output: Output

    func run() async throws {
        let certificates = try CertificateFile.certificates(at: file)
        let teams: [Team] = try await Server.inSession { server in
            var teams: [Team] = []
            for der in certificates {
                let wish = TeamRequest(certificate: der.base64EncodedString())
                teams.append(try await server.send(.post, ["teams"], body: .init(json: wish)).decoded())
            }
            return teams
        }
        try output.print(teams) {
            teams.map { "The fleet trusts \(TeamText.whose($0))." }.joined(separator: "\n")
        }
    }
}

/// The command `martlet team list`.
struct TeamList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the certificates by which the fleet trusts packages.")

    @OptionGroup var output: Output

    func run() async throws {
        let teams: [Team] = try await Server.inSession { try await $0.list("teams") }
        try output.print(teams, nothing: "No team is trusted yet: martlet team add <certificate>") {
            var table = Table("TEAM", "NAME", "CERTIFICATE OF", "EXPIRES", "ADDED BY", "FINGERPRINT")
            for team in teams {
                table.add(
                    team.team ?? (team.authority ? "every" : nil), team.name,
                    team.authority ? "an authority" : "the team", team.expires.shown, team.author, team.fingerprint)
            }
            return table
        }
    }
}

/// The command `martlet team remove`.
struct TeamRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Have the fleet trust a certificate no longer.",
        discussion: "What is installed stays; nothing more is installed by it.")

    @Argument(help: "The certificate's fingerprint, as martlet team list shows it.")
    var fingerprint: String

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { try await $0.delete("teams", fingerprint) }
        try output.done(["fingerprint": fingerprint]) { "The fleet trusts this certificate no longer." }
    }
}

/// Teams as people read them.
enum TeamText {
    static func whose(_ team: Team) -> String {
        let name = team.name.map { " by “\(Printable.line($0))”" } ?? ""
        guard let identifier = team.team else { return "packages of every team that is certified" + name }
        return "packages of the team \(identifier)" + (team.authority ? " that are certified\(name)" : "")
    }
}
