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
}
