import AdminMessages
import ArgumentParser

/// The command `martlet enrollment-code list`.
struct EnrollmentCodeList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the enrollment codes, without the codes themselves.")

    @OptionGroup var output: Output

    func run() async throws {
        let codes: [EnrollmentCodeSummary] = try await Server.inSession { try await $0.list("enrollment-codes") }
        try output.print(codes, nothing: "No enrollment codes.") {
            var table = Table("ID", "GROUP", "STATE", "EXPIRES", "OWNERSHIP", "NOTE")
            for code in codes {
                let notes = [
                    code.supervised ? "supervised" : nil,
                    code.allowLegacyCryptography ? "legacy cryptography" : nil,
                    code.replaces.map { "replaces \($0)" },
                ]
                table.add(
                    code.id, code.group, code.state.rawValue, code.expires.shown, code.ownership.rawValue,
                    notes.compactMap { $0 }.joined(separator: ", "))
            }
            return table
        }
    }
}
