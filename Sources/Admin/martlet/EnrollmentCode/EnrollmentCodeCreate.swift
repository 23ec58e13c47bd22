import AdminMessages
import ArgumentParser

/// The command `martlet enrollment-code create`.
struct EnrollmentCodeCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create a code with which one device enrolls into a group.",
        discussion: """
            The code is shown only once. Until it expires, one device can enroll with it, whichever that is.

              martlet enrollment-code create --group teachers --valid 8h
            """)

    @Option(help: "The group the device joins.")
    var group: String

    @Option(
        help: ArgumentHelp(
            "How long the code is valid, such as 30m, 1h or 7d; 30d at most, 1h if left out.", valueName: "span"))
    var valid: TimeSpan?

    @Flag(help: "The device belongs to its user.")
    var personal = false

    @Flag(help: "Enroll the device as supervised. An Apple device keeps what its own setup decided.")
    var supervised = false

    @Flag(
        help: """
            Let this one enrollment use DES, Triple DES and SHA-1, in its certificate request and in the signatures of the \
            device's messages. Only for clients that know nothing else.
            """)
    var allowLegacyCryptography = false

    @Option(
        help: ArgumentHelp(
            "An enrolled device. Only it can use the code, and its present enrollment ends then.", valueName: "device"))
    var replaces: String?

    @OptionGroup var output: Output

    func validate() throws {
        guard valid.map({ $0.seconds > 0 }) ?? true else { throw ValidationError("--valid is at least one second") }
    }

    func run() async throws {
        let request = EnrollmentCodeRequest(
            group: group, validSeconds: valid?.seconds, ownership: personal ? .personal : .organization,
            supervised: supervised, allowLegacyCryptography: allowLegacyCryptography, replaces: replaces)
        let (answer, address, fingerprint): (EnrollmentCodeAnswer, String, String) = try await Server.inSession {
            server in
            let answer: EnrollmentCodeAnswer = try await server.post(request, "enrollment-codes")
            return (answer, server.address, server.authority.fingerprint)
        }
        try output.print(answer) {
            var facts = Facts()
            facts.add("code", answer.code)
            facts.add("group", answer.group)
            facts.add("expires", answer.expires.shown)
            facts.add("profile", answer.enrollmentURL)
            facts.add("authority", "SHA-256 \(fingerprint)")
            return """
                \(facts.text)

                On the device this asks for the code:
                  martlet-agent enroll --url \(address) --ca-fingerprint \(fingerprint)
                """
        }
    }
}
