import AdminMessages
import ArgumentParser

/// The command `martlet device uninvite`.
struct DeviceUninvite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninvite", abstract: "End an invitation, and the enrollments that came of it.",
        discussion: """
            Its codes are of no use any more. The devices that came are withdrawn: they remove what they were given at \
            their next contact.
            """)

    @Argument(help: "The invitation, as martlet device invitations lists it.")
    var invitation: String

    @OptionGroup var output: Output

    func run() async throws {
        guard ReviewInvitation.isName(invitation) else {
            throw Failure(
                .refused, "this is no invitation", advice: "martlet device invitations shows what there is.")
        }
        let devices = try await Server.inSession { try await InvitationEnd(name: invitation, server: $0).run() }
        try output.print(Ended(invitation: invitation, withdrawn: devices)) {
            "Ended \(invitation)" + (devices.isEmpty ? "." : ", and withdrew \(devices.count) of its devices.")
        }
    }

    /// What `--json` prints.
    private struct Ended: Encodable {
        let invitation: String
        let withdrawn: [String]
    }
}

/// Takes away all that an invitation is made of.
struct InvitationEnd {
    let name: String
    let server: Server

    /// Ends it, whatever of it is still there; answers which devices were withdrawn.
    @discardableResult
    func run() async throws -> [String] {
        let _: Group = try await server.get("groups", name)
        // First nobody else comes.
        let codes: [EnrollmentCodeSummary] = try await server.list("enrollment-codes")
        for code in codes where code.group == name && code.state == .open {
            try await server.delete("enrollment-codes", code.id)
        }
        let people: [InvitationSummary] = try await server.list("invitations")
        if people.contains(where: { $0.person == name }) { try await server.delete("people", name, "invitation") }
        let devices: [DeviceSummary] = try await server.list("devices")
        var withdrawn: [String] = []
        for device in devices where device.groups.contains(name) {
            // With its enrollment it loses its groups and its person.
            try await server.delete("devices", device.id)
            withdrawn.append(device.id)
        }
        let assignments: [Assignment] = try await server.list("assignments")
        for assignment in assignments where assignment.group == name {
            try await server.delete("assignments", name, assignment.app)
        }
        try await server.delete("groups", name)
        do {
            try await server.delete("people", name)
        } catch let failure as Failure where failure.status == .notFound {
            // The reviewer was no person here.
        }
        return withdrawn
    }
}
