import ArgumentParser
import DeviceAgent
import Foundation

/// `martlet-agent enroll`: puts this device under the management of a server.
struct EnrollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enroll",
        abstract: "Enrol this device. The same command again continues where it was cut off.",
        discussion: """
            An agent that runs already enrols and serves at once; otherwise start it afterwards with martlet-agent run.
            """)

    @Option(help: "The server, such as https://host:8443.")
    var url: String

    @Option(help: "The one-time enrollment code.")
    var code: String

    @Option(name: .customLong("ca-file"), help: "PEM file with the certificate by which the server is trusted.")
    var authorityFile: String?

    @Option(name: .customLong("ca-fingerprint"), help: "SHA-256 of that certificate, in hexadecimal digits.")
    var authorityFingerprint: String?

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        guard (authorityFile == nil) != (authorityFingerprint == nil) else {
            throw ValidationError("say by what the server is trusted: --ca-file or --ca-fingerprint")
        }
    }

    func run() async throws {
        let settings = try await Settings(options)
        let trust: ServerTrust
        do {
            if let authorityFile {
                trust = try ServerTrust(pem: try Data(contentsOf: URL(fileURLWithPath: authorityFile)))
            } else {
                trust = try ServerTrust(fingerprint: authorityFingerprint ?? "")
            }
        } catch let refusal as EnrollmentRefusal {
            throw AgentFailure("\(refusal)")
        } catch {
            throw AgentFailure("the CA file cannot be read", advice: "Its path is \(authorityFile ?? "").")
        }
        let udid: String
        if let (device, lock) = try settings.openUnlessInUse() {
            defer { withExtendedLifetime(lock) {} }
            do {
                try await Enroll(device: device, log: settings.log).run(url: url, code: code, trust: trust)
            } catch {
                throw AgentFailure(Enroll.explanation(of: error))
            }
            udid = device.known.udid
        } else if options.serialNumber != nil {
            throw AgentFailure(
                "the agent that runs in \(settings.directory) says the serial number",
                advice: "Give it --serial-number when it starts, or set it in the settings file.")
        } else if case .enrolled(let name) = try settings.ask(.enroll(url: url, code: code, trust: trust)) {
            udid = name
        } else {
            throw AgentFailure("the running agent is of another version", advice: "Restart it.")
        }
        print("enrolled as \(udid)")
    }
}
