import Foundation
import Testing

/// `martlet dev` beside a managed device: it refuses on an enrolled one, and each app hears the agent that launched it.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct DevelopmentBesideDeviceTests {
    /// There, what apps are told is the server's to say.
    ///
    /// Where the agent of another user does not run, nobody else can find out whether the device is enrolled.
    @Test func anEnrolledDeviceRefuses() async throws {
        try await Road.with { road in
            try await road.enroll()
            try await Workshop.with { workshop in
                try workshop.configure("Parks")
                let device = ["MARTLET_AGENT_DIRECTORY": road.agentDirectory]
                func refusal(asDeveloper: Bool = true) async throws -> String {
                    let command = [
                        Road.binary("martlet").path, "dev", Road.app, "--directory", workshop.path("dev"), "--",
                        try workshop.program("Landmarks"),
                    ]
                    let dev = try workshop.run("martlet dev", command, device, asDeveloper: asDeveloper)
                    #expect(try await dev.exit() == 1)
                    try await dev.drained()
                    return dev.output.map(\.text).joined(separator: "\n")
                }
                let refused = try await refusal()
                #expect(refused.contains("this device is enrolled"))
                // The remedy is the command that is typed further down.
                #expect(refused.contains("martlet-agent unenroll --directory \(road.agentDirectory)"), "\(refused)")
                #expect(try await refusal(asDeveloper: false).contains("this device is enrolled"))
                try await road.stop(road.agent)
                #expect(try await refusal(asDeveloper: false).contains("this device is enrolled"))
                if Road.appsHaveUsers {
                    #expect(try await refusal().contains("it cannot be found out whether this device is enrolled"))
                }
                try await road.startAgent()
                #expect(
                    try await road.run("martlet-agent", ["unenroll", "--directory", road.agentDirectory]).status == 0)
                let dev = try workshop.dev(launching: [try workshop.program("Landmarks")], environment: device)
                _ = try await dev.line(containing: "== Managed Collection: Parks ==")
            }
        }
    }

    /// Whoever opens a managed app, and whatever is in their environment: it hears its device's agent and no other.
    @Test func aManagedAppNeverHearsADevelopersAgent() async throws {
        try await Road.with { road in
            try await road.enrollConfigured("Managed")
            try await Workshop.with { workshop in
                try workshop.configure("Developed")
                let dev = try workshop.dev()
                _ = try await dev.line(containing: "start it with")
                let app = try workshop.run(
                    "managed",
                    [Road.binary("martlet-agent").path, "open", Road.app, "--directory", road.agentDirectory],
                    ["MARTLET_AGENT_SOCKET": workshop.socket, "MARTLET_AGENT_FD": "0"],
                    asDeveloper: Road.appsHaveUsers)
                _ = try await app.line(containing: "== Managed Collection: Managed ==")
                let mark = app.mark
                try workshop.configure("Developed again")
                _ = try await dev.line(containing: "deployed", after: 0)
                try await road.configure("Managed again")
                _ = try await app.line(containing: "== Managed Collection: Managed again ==", after: mark)
                #expect(!app.output.contains { $0.text.contains("Developed") })
                #expect(!dev.output.contains { $0.text.contains("accepted") })
            }
        }
    }

    /// Beside the agent of another directory: what the developer's agent launches hears that one alone, also if the
    /// environment names the socket of the other one.
    @Test func aDevelopedAppHearsItsDevelopersAgentBesideAnother() async throws {
        try await Road.with { road in
            try await road.enrollConfigured("Managed")
            try await Workshop.with { workshop in
                try workshop.configure("Developed")
                let dev = try workshop.dev(
                    launching: [try workshop.program("Landmarks")],
                    environment: ["MARTLET_AGENT_SOCKET": road.agentDirectory + "/app.socket"])
                _ = try await dev.line(containing: "== Managed Collection: Developed ==")
                let mark = dev.mark
                try await road.configure("Managed again")
                try await road.synchronised()
                try workshop.configure("Developed again")
                _ = try await dev.line(containing: "== Managed Collection: Developed again ==", after: mark)
                #expect(!dev.output.contains { $0.text.contains("== Managed Collection: Managed") })
            }
        }
    }
}
