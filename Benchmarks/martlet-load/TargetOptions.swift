import AdminMessages
import ArgumentParser
import CryptographicMessages
import Foundation
import NIOSSL

/// Which server, and which devices to play.
struct TargetOptions: ParsableArguments {
    @Option(help: "The session file of `martlet login`; MARTLET_SESSION if left out.")
    var session: String?

    @Option(help: "A file of enrollment profile URLs, one a line, instead of a session.")
    var profiles: String?

    @Option(help: "The authority (PEM) of the server of --profiles.")
    var caFile: String?

    @Option(help: "How many devices to play.")
    var devices = 100

    @Option(help: "The group the devices join; one of the tool's own, with apps, if left out.")
    var group: String?

    @Option(help: "How many configured apps the tool's own group has.")
    var apps = 48

    @Option(help: "How many RSA-2048 keys the devices share; 0 gives each its own.")
    var keys = 16

    func validate() throws {
        guard (1...100_000).contains(devices) else { throw ValidationError("--devices is 1 to 100,000") }
        guard profiles == nil || caFile != nil else { throw ValidationError("--profiles needs --ca-file") }
    }

    /// Enrolls the devices and answers them, and the trust they have in the server.
    func play(connections: Int, shown: Bool) async throws -> (devices: [PlayedDevice], trust: ServerTrust) {
        let source: any ProfileSource
        let trust: ServerTrust
        if let profiles {
            trust = try ServerTrust(pem: String(contentsOfFile: caFile ?? "", encoding: .utf8))
            source = ListedProfiles(
                urls: try String(contentsOfFile: profiles, encoding: .utf8).split(whereSeparator: \.isNewline)
                    .map(String.init))
        } else {
            let admin = try AdminSession(path: session)
            trust = try ServerTrust(pem: admin.authority)
            source = try await MartletProfiles(
                admin: admin, trust: trust, group: group, apps: apps, shown: shown)
        }
        let enrollment = try Enrollment(trust: trust, keys: keys == 0 ? devices : min(keys, devices))
        let played = try await enrollment.enroll(devices, from: source, connections: connections, shown: shown)
        return (played, trust)
    }
}

/// The authority that vouches for the server.
struct ServerTrust: Sendable {
    let certificates: [NIOSSLCertificate]

    init(pem: String) throws {
        certificates = try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8))
    }

    /// The settings of a connection, with an identity or without.
    func configuration(identity: PlayedDevice.Identity? = nil) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .fullVerification
        configuration.trustRoots = .certificates(certificates)
        if let identity {
            let certificate = try NIOSSLCertificate(bytes: Array(identity.certificateDER), format: .der)
            configuration.certificateChain = [.certificate(certificate)]
            configuration.privateKey = .privateKey(
                try NIOSSLPrivateKey(bytes: Array(identity.key.pem.utf8), format: .pem))
        }
        return configuration
    }
}

/// Writes what the run is doing, beside its result.
func tell(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data("martlet-load: \(text)\n".utf8))
}
