import ArgumentParser
import DeviceAgent
import Foundation

/// `martlet-agent enroll`: puts this device under the management of a server.
struct EnrollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enroll",
        abstract: "Enrol this device. The same command again continues where it was cut off.")

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
            throw ValidationError("\(refusal)")
        } catch {
            throw ValidationError("the CA file cannot be read")
        }
        let (device, lock) = try settings.open()
        defer { withExtendedLifetime(lock) {} }
        do {
            try await Enroll(device: device, log: settings.log).run(url: url, code: code, trust: trust)
        } catch let refusal as EnrollmentRefusal {
            FileHandle.standardError.write(Data("martlet-agent: \(refusal)\n".utf8))
            throw ExitCode.failure
        } catch let silence as ServerSilence {
            FileHandle.standardError.write(Data("martlet-agent: \(silence.explanation)\n".utf8))
            throw ExitCode.failure
        }
        print("enrolled as \(device.known.udid)")
    }
}
