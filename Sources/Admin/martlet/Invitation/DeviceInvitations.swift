import AdminMessages
import ArgumentParser
import Foundation

/// The command `martlet device invitations`.
struct DeviceInvitations: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invitations", abstract: "List the invitations of reviewers, and the devices that came.")

    @OptionGroup var output: Output

    func run() async throws {
        let shown = try await Server.inSession { try await Self.all($0) }
        try output.print(shown, nothing: "Nobody is invited: martlet device invite <app>") {
            var table = Table("INVITATION", "APP", "OPEN", "UNTIL", "DEVICES")
            for one in shown {
                table.add(
                    one.invitation, one.app, "\(one.open)", one.expires?.shown, one.devices.joined(separator: ", "))
            }
            return table
        }
    }

    private static func all(_ server: Server) async throws -> [Shown] {
        let assignments: [Assignment] = try await server.list("assignments")
        let invitations = assignments.filter { ReviewInvitation.isName($0.group) }
        guard !invitations.isEmpty else { return [] }
        let codes: [EnrollmentCodeSummary] = try await server.list("enrollment-codes")
        let people: [InvitationSummary] = try await server.list("invitations")
        let devices: [DeviceSummary] = try await server.list("devices")
        return invitations.map { one in
            let open =
                codes.filter { $0.group == one.group && $0.state == .open }.map(\.expires)
                + people.filter { $0.group == one.group && $0.expires > Date() }.map(\.expires)
            return Shown(
                invitation: one.group, app: one.app, open: open.count, expires: open.max(),
                devices: devices.filter { $0.groups.contains(one.group) }.map(\.id))
        }
    }

    /// What `--json` prints.
    private struct Shown: Encodable {
        let invitation: String
        let app: String
        /// How many devices may still come.
        let open: Int
        /// Until when.
        let expires: Date?
        let devices: [String]
    }
}
