import ArgumentParser

/// The command `martlet audit …`.
struct AuditCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Who changed and who was given what, in a log that shows tampering.",
        subcommands: [AuditList.self, AuditVerify.self, AuditExportCommand.self])
}
