import AdminMessages
import ArgumentParser
import Foundation

/// The command `martlet person invite`.
struct PersonInvite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Let a person enroll one device of their own.",
        discussion: """
            The person signs in with the account and the password that are shown only once. The server manages the person's \
            part of the device: it learns neither serial number nor UDID, and takes over no app that is there already.

            An invitation that is not used yet ends only with --replace: its password may have been passed on.
            """)

    @Argument(help: "The user name.")
    var userName: String

    @Option(help: "The group the device joins.")
    var group: String

    @Option(
        help: """
            By which the person signs in, such as anna@example.org; else the principal name, the email or the user name.
            """)
    var account: String?

    @Option(help: ArgumentHelp("How long the invitation is valid, such as 1h or 7d.", valueName: "span"))
    var valid: TimeSpan?

    @Flag(help: "End an earlier invitation of the person that is not used yet.")
    var replace = false

    @OptionGroup var output: Output

    func validate() throws {
        guard valid.map({ $0.seconds > 0 }) ?? true else { throw ValidationError("--valid is at least one second") }
    }

    func run() async throws {
        let request = InvitationRequest(group: group, account: account, validSeconds: valid?.seconds)
        let (answer, address, fingerprint): (InvitationAnswer, String, String) = try await Server.inSession { server in
            let place = ["people", userName, "invitation"]
            let answer: InvitationAnswer = try await server.send(
                .put, place, body: .init(json: request), headers: headers(server, place)
            ).decoded()
            return (answer, server.address, server.authority.fingerprint)
        }
        try output.print(answer) {
            var facts = Facts()
            facts.add("account", answer.account)
            facts.add("password", answer.password)
            facts.add("group", answer.group)
            facts.add("expires", answer.expires.shown)
            return """
                \(facts.text)

                On the person's device:
                  martlet-agent enroll --account \(Printable.line(answer.account)) --url \(address) --ca-fingerprint \(fingerprint)
                """
        }
    }

    /// What must be there for the invitation to take its place; one that still counts ends only if somebody says so.
    private func headers(_ server: Server, _ place: [String]) async throws -> [(String, String)] {
        guard !replace else { return [] }
        let present = try await server.present(at: place)
        if let there = try present?.decoded(InvitationSummary.self), there.expires > Date() {
            throw Failure(
                .refused,
                "the person is invited already, as \(Printable.line(there.account)) until \(there.expires.shown); "
                    + "nothing was changed",
                advice: "martlet person invitations shows it; --replace ends it for a new one.")
        }
        return server.headers(onTopOf: present)
    }
}

/// The command `martlet person uninvite`.
struct PersonUninvite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninvite", abstract: "End a person's invitation. A device that was enrolled stays enrolled.")

    @Argument(help: "The user name.")
    var userName: String

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { try await $0.delete("people", userName, "invitation") }
        try output.done(["person": userName]) { "\(Printable.line(userName)) is not invited any more." }
    }
}

/// The command `martlet person invitations`.
struct PersonInvitations: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invitations", abstract: "List the people who are invited to enroll a device.")

    @OptionGroup var output: Output

    func run() async throws {
        let invitations: [InvitationSummary] = try await Server.inSession { try await $0.list("invitations") }
        try output.print(invitations, nothing: "Nobody is invited.") {
            var table = Table("ACCOUNT", "PERSON", "GROUP", "EXPIRES")
            for invitation in invitations {
                table.add(invitation.account, invitation.person, invitation.group, invitation.expires.shown)
            }
            return table
        }
    }
}
