import ArgumentParser

/// The command `martlet enrollment-code revoke`.
struct EnrollmentCodeRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Make a code useless. Devices that enrolled with it stay enrolled.")

    @Argument(help: "The code's ID in the list.")
    var id: String

    @OptionGroup var output: Output

    func run() async throws {
        try await Server.inSession { try await $0.delete("enrollment-codes", id) }
        try output.done(["id": id]) { "Revoked the enrollment code \(Printable.line(id))." }
    }
}
