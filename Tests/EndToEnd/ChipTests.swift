import Foundation
import SoftwareTPM
import Testing

/// The agent as people run it on a device with a TPM (D9).
@Suite(.serialized, .inTurn, .enabled(if: SoftwareTPM.isThere), .timeLimit(.minutes(10)))
struct ChipTests {
    /// The directory opens with its chip alone, and the command says what is missing.
    @Test func theAgentsDirectoryOpensWithItsChipAlone() async throws {
        let (chip, other) = (try SoftwareTPM(), try SoftwareTPM())
        try await Road.with { road in
            let enrollment = road.enrollment(code: try await road.enrollmentCode(), directory: road.agentDirectory)
            let enrolled = try await road.run("martlet-agent", enrollment + ["--tpm", chip.place])
            #expect(enrolled.status == 0, "\(enrolled.text)")
            func status(_ directory: String, tpm: String) async throws -> (status: Int32, text: String) {
                try await road.run("martlet-agent", ["status", "--directory", directory, "--tpm", tpm])
            }
            let here = try await status(road.agentDirectory, tpm: chip.place)
            #expect(here.status == 0 && here.text.contains("key in the TPM"), "\(here.text)")
            #expect(here.text.contains("enrolled     yes"))

            let copy = road.home.appending(path: "copy").path
            try FileManager.default.copyItem(atPath: road.agentDirectory, toPath: copy)
            for (tpm, reason) in [
                ("none", "is held by a TPM, and this agent was started without one"),
                (other.place, "is held by another TPM, or this one was cleared"),
                ("swtpm:path=/nowhere", "the TPM cannot be reached"),
                ("cmd:true", "a TPM is auto, none, or begins with"),
            ] {
                let refused = try await status(copy, tpm: tpm)
                #expect(refused.status != 0 && refused.text.contains(reason), "\(tpm): \(refused.text)")
            }
            let run = try await road.run(
                "martlet-agent", ["run", "--directory", road.agentDirectory, "--tpm", "none"])
            #expect(run.status == 1 && run.text.contains("is held by a TPM"), "\(run.text)")
        }
    }

    /// A10, S4-DATA-07, S4-VPN-02: the server's own authority certifies a key because the device's chip vouches for it.
    @Test func aKeyInTheChipIsAttestedToTheServersOwnAuthority() async throws {
        let chip = try SoftwareTPM()
        try await Road.with(options: ["--pin-endorsement-keys"]) { road in
            try road.installLandmarks()
            let enrollment = road.enrollment(code: try await road.enrollmentCode(), directory: road.agentDirectory)
            let enrolled = try await road.run("martlet-agent", enrollment + ["--tpm", chip.place])
            #expect(enrolled.status == 0, "\(enrolled.text)")
            try await road.startAgent("--tpm", chip.place)
            try await Self.giveIdentity(on: road, "--hardware-bound", "--attest")
            try await Self.eventually("the identity is issued") {
                try await road.martlet("audit", "list", "--action", "identity.issue").contains("client")
            }
            #expect(try await road.martlet("audit", "list", "--action", "device.attest").contains("device.attest"))
        }
    }

    /// A09, S4-DATA-07: the same road without a chip: what demands one is not had, and the administrator reads why.
    @Test func withoutAChipTheServersOwnAuthorityCertifiesASoftwareKeyOnlyWhereThatIsEnough() async throws {
        try await Road.with(options: ["--pin-endorsement-keys"]) { road in
            try await road.enroll()
            try await Self.giveIdentity(on: road, "--hardware-bound", "--attest")
            try await Self.eventually("the reason is told") {
                try await road.martlet("device", "show", road.udid, "--json").contains("has no chip for that")
            }
            #expect(try await !road.martlet("audit", "list", "--action", "identity.issue").contains("client"))
            try await road.martlet("secret", "set", "client", "--acme", "--subject", "CN=${device.udid}")
            try await Self.eventually("the identity is issued") {
                try await road.martlet("audit", "list", "--action", "identity.issue").contains("client")
            }
        }
    }

    private static func giveIdentity(on road: Road, _ more: String...) async throws {
        let set = try await road.run(
            "martlet", ["secret", "set", "client", "--acme", "--subject", "CN=${device.udid}"] + more)
        #expect(set.status == 0, "\(set.text)")
        try await road.configure("Attested")
        try await road.assign()
        try await road.martlet(
            "secret", "assign", "teachers", Road.app, "--identifier", "client", "--secret", "client")
    }

    private static func eventually(_ what: String, _ holds: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try await !holds() {
            guard ContinuousClock.now < deadline else { throw Road.Broken(description: "\(what): not within a minute") }
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}
