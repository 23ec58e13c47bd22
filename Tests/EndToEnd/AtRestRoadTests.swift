import AdminMessages
import Foundation
import RegexBuilder
import SoftwareTPM
import Testing
import Waiting

/// What becomes of a device's disk in other hands, told with the programs as people run them (D9, S4-DATA-03).
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct AtRestRoadTests {
    private static let value = "a planted password that is long enough"

    /// With a TPM a copy of the whole disk does not open: not with another chip, not without one; and the agent says what
    /// to do.
    @Test(.enabled(if: SoftwareTPM.isThere)) func withAChipACopyOfTheWholeDiskDoesNotOpen() async throws {
        let (chip, other) = (try SoftwareTPM(), try SoftwareTPM())
        try await Road.with { road in
            let app = try await Self.deviceWithPassword(on: road, chip)
            try await eventually("the administrator sees where the key is") {
                try await road.deviceShown().contains(Self.fact("at rest", "key in the TPM"))
            }
            let copy = try await Self.copyOfTheDisk(of: road)
            for (tpm, reason) in [
                (other.place, "is held by another TPM, or this one was cleared"),
                ("none", "is held by a TPM, and this agent was started without one"),
            ] {
                for command in ["run", "status"] {
                    let refused = try await road.run("martlet-agent", [command, "--directory", copy, "--tpm", tpm])
                    #expect(refused.status == 1 && refused.text.contains(reason), "\(command): \(refused.text)")
                    #expect(refused.text.contains("TPM with --tpm"), "\(refused.text)")
                }
            }
            try Self.expectNoPlantedValue(below: copy)
            // The device itself is none the worse for it.
            try await road.startAgent("--tpm", chip.place)
            #expect(try await app.ask("password", "account") == "account=\(sum(Self.value))")
        }
    }

    /// With a TPM its counter catches an older copy that is put back, before anybody is asked: what it held is not used.
    @Test(.enabled(if: SoftwareTPM.isThere)) func withAChipAnOlderCopyIsCaughtByItsCounter() async throws {
        let chip = try SoftwareTPM()
        try await Road.with { road in
            let app = try await Self.deviceWithPassword(on: road, chip)
            let copy = try await Self.copyOfTheDisk(of: road)
            try await road.startAgent("--tpm", chip.place)
            try await Self.withdraw(app)
            try await road.stop(road.agent)
            try await road.stop(road.server)
            try Self.put(copy, inPlaceOf: road.agentDirectory)

            let status = try await road.run(
                "martlet-agent", ["status", "--directory", road.agentDirectory, "--tpm", chip.place])
            #expect(status.status == 0 && status.text.contains("older copy   put back"), "\(status.text)")
            try await road.startAgent("--tpm", chip.place)
            _ = try await road.agent.line(containing: "an older copy of the state was put back")
            // The server is away, and yet the password that was withdrawn is not to be had again.
            #expect(try await !app.ask("password", "account").contains(sum(Self.value)))

            try await road.startServer()
            try await eventually("the administrator sees it") {
                try await road.deviceShown().contains(Self.fact("older copy", "put back; noticed"))
            }
            #expect(try await app.ask("password", "account") == "account: invalidIdentifier")
        }
    }

    /// Without a TPM a copy that lacks the key file does not open, and the agent says which file that is.
    @Test func withoutAChipACopyLackingTheKeyFileDoesNotOpen() async throws {
        try await Road.with { road in
            let app = try await Self.deviceWithPassword(on: road, nil)
            try await eventually("the administrator sees where the key is") {
                try await road.deviceShown().contains(Self.fact("at rest", "key in a file"))
            }
            let copy = try await Self.copyOfTheDisk(of: road)
            try FileManager.default.removeItem(atPath: copy + "/device.key")
            for command in ["run", "status"] {
                let refused = try await road.run("martlet-agent", [command, "--directory", copy])
                #expect(refused.status == 1 && refused.text.contains("key of the agent's directory is missing"))
                #expect(refused.text.contains("Put its device.key back"), "\(command): \(refused.text)")
            }
            #expect(!FileManager.default.fileExists(atPath: copy + "/device.key"), "nothing is begun anew")
            try Self.expectNoPlantedValue(below: copy)
            try await road.startAgent()
            #expect(try await app.ask("password", "account") == "account=\(sum(Self.value))")
        }
    }

    /// Without a TPM an older copy serves until the server is reached; then it is brought up to date, and the
    /// administrator sees that it was one.
    @Test func withoutAChipAnOlderCopyIsCaughtAtTheNextContactWithTheServer() async throws {
        try await Road.with { road in
            let app = try await Self.deviceWithPassword(on: road, nil)
            let copy = try await Self.copyOfTheDisk(of: road)
            try await road.startAgent()
            try await Self.withdraw(app)
            // A restart is no older copy.
            let former = try await Self.run(of: road)
            try await road.stop(road.agent)
            try await road.startAgent()
            try await eventually("the restarted agent reports") { try await Self.run(of: road) != former }
            #expect(try await !road.deviceShown().contains("older copy"))
            try await road.stop(road.agent)
            try await road.stop(road.server)
            try Self.put(copy, inPlaceOf: road.agentDirectory)
            try await road.startAgent()
            #expect(try await app.ask("password", "account") == "account=\(sum(Self.value))", "docs say so")

            try await road.startServer()
            try await eventually("it is taken away again") {
                try await app.ask("password", "account") == "account: invalidIdentifier"
            }
            try await eventually("the administrator sees it") {
                try await road.deviceShown().contains(Self.fact("older copy", "put back; noticed"))
            }
        }
    }

    /// With the chip stopped, an app's handle signs no more: it fails with its type, and no software key takes its place.
    @Test(.enabled(if: SoftwareTPM.isThere)) func withTheChipStoppedSigningFails() async throws {
        let chip = try SoftwareTPM()
        try await Road.with(options: ["--pin-endorsement-keys"]) { road in
            let app = try await SecretsAppOnRoad.installed(on: road)
            try await Self.enroll(road, chip)
            try await road.setSecret(
                "client", ["--acme", "--subject", "CN=${device.udid}", "--hardware-bound", "--attest"])
            try await app.give("client", as: "client")
            let words = Pipe()
            let running = try app.app.open("sign", "client", input: words.fileHandleForReading)
            func sign() async throws -> String {
                let mark = running.mark
                try words.fileHandleForWriting.write(contentsOf: Data("sign\n".utf8))
                return try await running.line(after: mark, "an answer") { _ in true }.text
            }
            _ = try await running.line(containing: "ready")
            #expect(try await sign() == "signed")
            chip.stop()
            for _ in 0..<2 {
                let answer = try await sign()
                #expect(answer == "refused NSOSStatusErrorDomain \(-2070): the device could not sign", "\(answer)")
            }
            try chip.start()
            try await eventually("the chip signs again") { try await sign() == "signed" }
        }
    }

    // MARK: help

    private static func enroll(_ road: Road, _ chip: SoftwareTPM?) async throws {
        let tpm = ["--tpm", chip?.place ?? "none"]
        let enrollment = road.enrollment(code: try await road.enrollmentCode(), directory: road.agentDirectory)
        let enrolled = try await road.run("martlet-agent", enrollment + tpm)
        guard enrolled.status == 0 else { throw Road.Broken(description: "enroll: \(enrolled.text)") }
        try await road.startAgent("--tpm", tpm[1])
    }

    /// A device whose app has a password.
    private static func deviceWithPassword(on road: Road, _ chip: SoftwareTPM?) async throws -> SecretsAppOnRoad {
        let app = try await SecretsAppOnRoad.installed(on: road)
        try await enroll(road, chip)
        try await road.setPassword("account", value)
        try await app.give("account", as: "account")
        try await road.synchronised()
        let found = try await app.ask("password", "account")
        #expect(found == "account=\(sum(value))")
        return app
    }

    private static func withdraw(_ app: SecretsAppOnRoad) async throws {
        try await app.withdraw("account")
        try await app.app.road.synchronised()
        let found = try await app.ask("password", "account")
        #expect(found == "account: invalidIdentifier")
    }

    /// What somebody has who had the disk for a while; the agent is stopped.
    private static func copyOfTheDisk(of road: Road) async throws -> String {
        try await road.stop(road.agent)
        let copy = road.home.appending(path: "copy").path
        try FileManager.default.copyItem(atPath: road.agentDirectory, toPath: copy)
        return copy
    }

    private static func put(_ copy: String, inPlaceOf directory: String) throws {
        try FileManager.default.removeItem(atPath: directory)
        try FileManager.default.copyItem(atPath: copy, toPath: directory)
    }

    /// The run of the agent of which the server heard last.
    private static func run(of road: Road) async throws -> JSON? {
        var run: JSON?
        try await Administrator.with(road) { administrator in
            let items = try await administrator.get("/devices/\(road.udid)/status", Page<StatusItem>.self).items
            run = items.first { $0.name == "dev.martlet.at-rest" }?.value["run"]
        }
        return run
    }

    private static func expectNoPlantedValue(below directory: String) throws {
        let names = try #require(FileManager.default.enumerator(atPath: directory)?.allObjects as? [String])
        let found = names.filter { name in
            FileManager.default.contents(atPath: directory + "/" + name)?.contains(bytesOf: Data(value.utf8)) == true
        }
        #expect(!names.isEmpty && found.isEmpty)
    }

    /// A line of `martlet device show`, whatever the width of its first column.
    private static func fact(_ name: String, _ value: String) -> some RegexComponent<Substring> {
        Regex {
            name; OneOrMore(" "); value
        }
    }
}
