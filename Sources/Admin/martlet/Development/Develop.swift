import ArgumentParser
import Foundation

/// The command `martlet dev`.
///
/// The administrator's program never holds a device's side: this one becomes `martlet-agent develop`, which takes the
/// same arguments.
struct Develop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev", abstract: "Try an app without a server: a directory of files is its administrator.",
        discussion: """
            The app is configured by a file of the directory, default.plist or default.json, and an edit is a \
            deployment: the running app has it a moment later, and what its decoder refuses is printed with key path, \
            code and message. Deleting the file withdraws the configuration. A file named as the bundle identifier of an \
            extension is that extension's configuration.

              martlet dev com.example.notes --directory dev -- .build/debug/Notes

            With a program, that is started as the app, and its output and end are this command's; what happens is then \
            printed on standard error. Without one, the command says how to start the app elsewhere, such as by a build tool.

            If there is a specification (--specification, or specification.json in the directory or where you are), \
            what it finds in a configuration is printed before the app sees that, and what it says about the app's error.

            Secrets come from a JSON file that no other user may read (chmod 600):

              {
                "passwords": {"account": "…"},
                "certificates": {"authority": "authority.pem"},
                "identities": {"client": {"file": "client.p12", "password": "…"}}
              }

            The command needs martlet-agent beside itself, no root, and a device that is not enrolled.
            """)

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Option(help: "The directory of configurations, which exists already.", completion: .directory)
    var directory: String

    @Option(help: "The name of the configuration that the app gets.")
    var configuration = "default"

    @Option(help: "The JSON file with the app's secrets, as above; none if left out.", completion: .file())
    var secrets: String?

    @Option(
        help: "The app's specification; specification.json in the directory or here if left out.", completion: .file())
    var specification: String?

    @Option(help: ArgumentHelp("What runs is this extension of the app.", valueName: "identifier"))
    var `extension`: String?

    @Flag(help: "Print a JSON object for each thing that happens.")
    var json = false

    @Argument(parsing: .postTerminator, help: "The app's program and what it is given, after --.")
    var program: [String] = []

    func run() throws {
        let here = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let agent = ((here ?? "/usr/bin/martlet") as NSString).deletingLastPathComponent + "/martlet-agent"
        // What was understood here is understood there: both declare the same.
        let arguments = ["martlet-agent", "develop"] + CommandLine.arguments.dropFirst(2)
        let strings = unsafe arguments.map { unsafe strdup($0) } + [nil]
        unsafe execv(agent, strings)
        let reason = unsafe String(cString: strerror(errno))
        throw Failure(
            .failed, "\(agent) cannot be started: \(reason)",
            advice: "martlet dev needs the program martlet-agent beside martlet: install or build it there.")
    }
}
