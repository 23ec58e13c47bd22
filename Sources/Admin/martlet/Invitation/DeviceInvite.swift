import AdminMessages
import ArgumentParser
import Foundation

/// The command `martlet device invite`.
struct DeviceInvite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Invite a reviewer to see an app on a device of theirs.",
        discussion: """
            Makes what a reviewer of an app, a customer or a colleague needs to see it configured, and nothing else: \
            a group of its own that is given this app, as another group has it, and for each device a code. What \
            is printed, or written with --output, are the instructions with the code, which are shown only once.

              martlet device invite com.example.notes --for "App Review" --days 14 --output invitation.md

            The app's secrets are the organization's: a reviewer's app gets them only with --with-secrets. With an \
            account the reviewer signs in as a person, whom the app's variables then describe.

            martlet device uninvite ends it, with the enrollments that came of it.
            """)

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Option(name: .customLong("for"), help: "For whom it is.")
    var recipient = "App Review"

    @Option(help: "How many days it is good for, at most 30.")
    var days = 14

    @Option(help: "How many devices may come, at most 10.")
    var devices = 1

    @Option(help: ArgumentHelp("As this group has the app; left out if only one has it.", valueName: "group"))
    var like: String?

    @Flag(help: "Give the app the secrets that it has in that group.")
    var withSecrets = false

    @Option(help: "The reviewer signs in by this account, such as reviewer@example.org, and may enroll one device.")
    var account: String?

    @Option(name: .shortAndLong, help: "The file for the instructions, for nobody else to read.", completion: .file())
    var output: String?

    @OptionGroup var target: WrittenFile

    @OptionGroup var form: Output

    func validate() throws {
        guard (1...30).contains(days) else { throw ValidationError("--days is 1 to 30") }
        guard (1...10).contains(devices) else { throw ValidationError("--devices is 1 to 10") }
        guard account == nil || devices == 1 else { throw ValidationError("with an account one device may come") }
    }

    func run() async throws {
        let path = WrittenFile.path(output)
        try target.requireFree(path, mayBeDevice: true)
        let invitation = try await Server.inSession { server in
            let model = try await assignment(server)
            var random = SystemRandomNumberGenerator()
            let name = ReviewInvitation.newName(using: &random)
            do {
                return try await make(name, like: model, server)
            } catch {
                // Half an invitation is none.
                _ = try? await InvitationEnd(name: name, server: server).run()
                throw error
            }
        }
        if let path {
            try write(Data(invitation.text.utf8), to: path)
            try form.done(["invitation": invitation.invitation, "file": path]) {
                "Wrote the invitation \(invitation.invitation), good until \(invitation.expires.shown)."
            }
        } else {
            try form.print(invitation) { invitation.text }
        }
    }

    /// How the app is given where it is to be given alike.
    private func assignment(_ server: Server) async throws -> Assignment {
        let all: [Assignment] = try await server.list("assignments")
        let found = all.filter { $0.app == app && !ReviewInvitation.isName($0.group) }
        if let like {
            guard let one = found.first(where: { $0.group == like }) else {
                throw Failure(
                    .notFound, "this group does not have the app", advice: "martlet assignment list shows which have.")
            }
            return one
        }
        guard let one = found.first else {
            throw Failure(
                .notFound, "no group has the app",
                advice: "Give it to one first: martlet assign <group> \(Printable.line(app)) --configuration <name>")
        }
        guard found.count == 1 else {
            throw Failure(.refused, "several groups have the app", advice: "Say as which one has it: --like <group>")
        }
        return one
    }

    private func make(_ name: String, like model: Assignment, _ server: Server) async throws -> ReviewInvitation {
        let known: App = try await server.get("apps", app)
        let sources: [AppSource] = try await server.list("apps", app, "sources")
        let _: Group = try await server.post(Group(name: name), "groups")
        let wish = AssignmentRequest(
            configuration: model.configuration, extensions: model.extensions, lowestTrust: model.lowestTrust,
            delivery: model.delivery)
        _ = try await server.send(
            .put, ["assignments", name, app],
            // The server judged the same assignment when the other group got it.
            query: [("force", "true")], body: .init(json: wish))
        let secrets = try await secrets(for: name, like: model, server)
        let seconds = days * 86_400
        var codes: [String] = []
        var password: String?
        var expires = Date.distantFuture
        if let account {
            let details = PersonDetails(fullName: recipient, email: account)
            let _: Person = try await server.send(.put, ["people", name], body: .init(json: details)).decoded()
            let request = InvitationRequest(group: name, account: account, validSeconds: seconds)
            let answer: InvitationAnswer = try await server.send(
                .put, ["people", name, "invitation"], body: .init(json: request)
            ).decoded()
            (password, expires) = (answer.password, answer.expires)
        } else {
            for _ in 0..<devices {
                let answer: EnrollmentCodeAnswer = try await server.post(
                    EnrollmentCodeRequest(group: name, validSeconds: seconds), "enrollment-codes")
                codes.append(answer.code)
                expires = min(expires, answer.expires)
            }
        }
        var invitation = ReviewInvitation(
            invitation: name, app: app, name: known.name, recipient: recipient, expires: expires, url: server.address,
            authorityFingerprint: server.authority.fingerprint, configuration: model.configuration,
            isInstalled: sources.contains { $0.platform == "linux" && $0.origin != "installed" })
        (invitation.codes, invitation.account, invitation.password) = (codes, account, password)
        invitation.secrets = secrets.map { .init(kind: $0.kind, identifier: $0.identifier) }
        return invitation
    }

    private func secrets(
        for name: String, like model: Assignment, _ server: Server
    ) async throws -> [SecretAssignment] {
        let all: [SecretAssignment] = try await server.list("secret-assignments", query: [("app", app)])
        let found = all.filter { $0.group == model.group }
        guard withSecrets else {
            if !found.isEmpty {
                let secrets = found.count == 1 ? "its secret" : "any of its \(found.count) secrets"
                Terminal.complain("The app does not get \(secrets) on these devices; --with-secrets gives them.")
            }
            return []
        }
        for secret in found {
            _ = try await server.send(
                .put, ["secret-assignments", name, app, secret.kind.rawValue, secret.identifier],
                // What the other group gets already was judged when it was given.
                query: [("force", "true")] + (secret.extension.map { [("extension", $0)] } ?? []),
                body: .init(json: SecretAssignmentRequest(secret: secret.secret)))
        }
        return found
    }

    /// The code is in it: from its first moment on it is for nobody else.
    private func write(_ bytes: Data, to path: String) throws(Failure) {
        do throws(Failure) {
            try LocalFile.write(bytes, to: path, mode: 0o600)
        } catch {
            throw Failure(
                error.status, "the invitation was made, but \(error.reason)",
                advice: "martlet device invitations shows it; end it with martlet device uninvite, and make another.")
        }
    }
}
