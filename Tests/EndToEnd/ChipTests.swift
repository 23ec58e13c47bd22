import Foundation
import SoftwareTPM
import Testing
import Waiting

/// The agent as people run it on a device with a TPM (D9).
@Suite(.serialized, .inTurn, .enabled(if: SoftwareTPM.isThere), .timeLimit(.minutes(20)))
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
                ("cmd:true", "--tpm must be auto, none, or a place that begins with"),
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
            try await eventually("the identity is issued") {
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
            try await eventually("the reason is told") {
                try await road.martlet("device", "show", road.udid, "--json").contains("has no chip for that")
            }
            #expect(try await !road.martlet("audit", "list", "--action", "identity.issue").contains("client"))
            // Red: a key outside of the chip took the place of one in it, and nobody had said so.
            let plain = ["secret", "set", "client", "--acme", "--subject", "CN=${device.udid}"]
            let refused = try await road.run("martlet", plain)
            #expect(refused.status == 4 && refused.text.contains("--hardware-bound, --attest"), "\(refused.text)")
            #expect(try await road.run("martlet", plain + ["--replace"]).status == 0)
            try await eventually("the identity is issued") {
                try await road.martlet("audit", "list", "--action", "identity.issue").contains("client")
            }
        }
    }

    /// A24, D6: the device's own identity by ACME, its key made and attested in the chip: it enrolls, speaks and is renewed
    /// by it, and without the chip nothing speaks for the device.
    @Test func theDevicesIdentityIsAttestedByItsChipAndNothingElseSpeaksForIt() async throws {
        let chip = try SoftwareTPM()
        let options = [
            "--enrollment-identity", "acme-attested", "--pin-endorsement-keys", "--enrollment-lifetime", "30s",
        ]
        try await Road.with(options: options) { road in
            try await road.configure("Before")
            try await road.assign()
            try road.installLandmarks()
            let code = try await road.enrollmentCode()
            let enrollment = road.enrollment(code: code, directory: road.agentDirectory)
            let elsewhere = road.enrollment(code: code, directory: road.home.appending(path: "other").path)
            let refused = try await road.run("martlet-agent", elsewhere + ["--tpm", "none"])
            #expect(refused.status != 0 && refused.text.contains("demands that a chip vouches"), "\(refused.text)")

            let enrolled = try await road.run("martlet-agent", enrollment + ["--tpm", chip.place])
            #expect(enrolled.status == 0, "\(enrolled.text)")
            try await road.startAgent("--tpm", chip.place)
            #expect(try await road.martlet("audit", "list", "--action", "device.attest").contains(road.udid))
            let app = try road.openLandmarks()
            _ = try await app.line(containing: "Managed Collection: Before")
            _ = try await road.agent.line(containing: "this device has a new identity")
            var mark = app.mark
            try await road.configure("After")
            _ = try await app.line(containing: "Managed Collection: After", after: mark)

            chip.stop()
            mark = app.mark
            let silence = try road.agent.mark
            try await road.configure("Without the chip")
            _ = try await road.agent.line(
                after: silence, "the agent says that its chip is gone"
            ) { $0.contains("TPM") || $0.contains("cannot be reached") || $0.contains("did not answer in time") }
            #expect(!app.output.dropFirst(mark).contains { $0.text.contains("Without the chip") })
            #expect(try await !road.martlet("device", "show", road.udid).contains("declarations   synchronized"))
            try chip.start()
            _ = try await app.line(containing: "Without the chip", after: mark)
        }
    }

    /// By ACME without attestation: the chip is used where there is one, and a software key serves where there is none.
    @Test func byACMEADeviceWithoutChipHasItsIdentityToo() async throws {
        try await Road.with(options: ["--enrollment-identity", "acme", "--enrollment-lifetime", "20s"]) { road in
            try await road.enrollConfigured("By ACME")
            _ = try await road.agent.line(containing: "this device has a new identity")
            try await road.configure("Renewed by ACME")
            try await road.synchronised()
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
}
