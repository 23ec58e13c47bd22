import ArgumentParser

/// The command `martlet enrollment-code …`.
struct EnrollmentCodeCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrollment-code", abstract: "One-time codes with which devices enroll.",
        subcommands: [EnrollmentCodeCreate.self, EnrollmentCodeList.self, EnrollmentCodeRevoke.self])
}
