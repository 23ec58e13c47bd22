import Foundation
import Synchronization
import Testing

/// Machines that have one identifier, because one is a copy of the other: the one that is enrolled stays.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct ClonedMachineTests {
    /// A clone is told that it is one, and so is the administrator, while the device that it copies goes on.
    ///
    /// A machine-id of its own helps the clone, and a code for that device helps a machine that was set up again.
    @Test(.enabled(if: geteuid() == 0)) func aCloneIsRefusedUntilItHasAnIdentityOfItsOwn() async throws {
        try await Road.with { road in
            try await road.configure("Of the first")
            try await road.assign()
            let identity = String(repeating: "0c", count: 16)
            let first = try Machine("first", identity: identity, on: road)
            let enrolled = try await first.enroll(road.enrollmentCode())
            #expect(enrolled.status == 0, "\(enrolled.text)")
            let udid = String(enrolled.text.split(separator: " ").last ?? "")
            let agent = try first.agent(["run", "--desktop-entries", "none", "--apps", first.home.path])
            _ = try await agent.line(containing: "martlet-agent ready \(udid)")

            let clone = try Machine("clone", identity: identity, on: road)
            let code = try await road.enrollmentCode()
            for _ in 0..<2 {
                let refused = try await clone.enroll(code)
                #expect(refused.status == 1 && !refused.text.contains(code), "\(refused.text)")
                for words in ["/etc/machine-id", "martlet device withdraw \(udid)", "--replaces \(udid)"] {
                    #expect(refused.text.contains(words), "\(refused.text)")
                }
            }
            let history = try await road.martlet("device", "history", udid)
            #expect(history.components(separatedBy: "another machine").count == 2, "\(history)")
            #expect(try await road.martlet("audit", "list", "--subject", udid).contains("device.enroll-refuse"))
            try await road.synchronised(udid)

            try clone.take(identity: String(repeating: "0d", count: 16))
            let own = try await clone.enroll(code)
            #expect(own.status == 0 && !own.text.contains(udid), "\(own.text)")

            let rebuilt = try Machine("rebuilt", identity: identity, on: road)
            let another = try await rebuilt.enroll(road.enrollmentCode())
            #expect(another.status == 1, "\(another.text)")
            let replacing = try await rebuilt.enroll(road.enrollmentCode("--replaces", udid))
            #expect(replacing.status == 0 && replacing.text.contains(udid), "\(replacing.text)")
            #expect(try await road.martlet("audit", "list", "--subject", udid).contains("device.replace"))
        }
    }

    /// A machine as its agent sees it: a machine-id, and directories of the system, of its own.
    private struct Machine {
        let road: Road
        let home: URL

        init(_ name: String, identity: String, on road: Road) throws {
            self.road = road
            home = road.home.appending(path: name)
            for part in ["lib", "run"] {
                try FileManager.default.createDirectory(
                    at: home.appending(path: part), withIntermediateDirectories: true)
            }
            try take(identity: identity)
        }

        func take(identity: String) throws {
            try Data("\(identity)\n".utf8).write(to: home.appending(path: "machine-id"))
        }

        /// An agent of the whole machine, as root runs it.
        func agent(_ arguments: [String]) throws -> RunningProcess {
            let script =
                "mount --bind \"$1/lib\" /var/lib && mount --bind \"$1/run\" /run && "
                + "mount --bind \"$1/machine-id\" /etc/machine-id && shift && exec \"$@\""
            let process = try RunningProcess(
                "martlet-agent \(home.lastPathComponent)", URL(filePath: "/usr/bin/unshare"),
                ["-m", "sh", "-c", script, "sh", home.path, Road.binary("martlet-agent").path] + arguments,
                environment: Road.environment(road.home))
            road.processes.withLock { $0.append(process) }
            return process
        }

        func enroll(_ code: String) async throws -> (status: Int32, text: String) {
            let process = try agent([
                "enroll", "--url", road.url, "--code-file", road.codeFile(code), "--ca-file", road.authority,
            ])
            let status = try await process.exit()
            if status == nil { process.killNow() }
            try await process.drained()
            return (status ?? -1, process.output.map(\.text).joined(separator: "\n"))
        }
    }
}
