import AsyncHTTPClient
import Foundation
import NIOHTTP1
import TestInputs
import Testing

/// The memory of the server's process after hostile input at its entrances.
///
/// `make soak` sends 10,000 of them; the quick suite fewer.
@Suite(.inTurn, .timeLimit(.minutes(20)))
struct HostileInputTests {
    private static let count =
        ProcessInfo.processInfo.environment["MARTLET_HOSTILE_INPUTS"].flatMap(Int.init) ?? 1_000

    private struct Entrance {
        let method: String
        let path: String
        let type: String
        let bodies: [Data]
    }

    @Test func theServersMemoryReturnsAfterHostileInput() async throws {
        let lists = Array(Attacks.propertyLists.values)
        let entrances = [
            Entrance(
                method: "PUT", path: "/api/v1/apps/\(Road.app)/configurations/default",
                type: "application/x-plist", bodies: lists),
            Entrance(
                method: "POST", path: "/api/v1/groups", type: "application/json",
                bodies: Array(Attacks.jsonDocuments.values)),
            Entrance(
                method: "PUT", path: "/mdm/checkin", type: "application/x-apple-aspen-mdm-checkin", bodies: lists),
            Entrance(
                method: "POST", path: "/scep?operation=PKIOperation", type: "application/x-pki-message", bodies: lists),
        ]
        try await Road.with { road in
            try await Administrator.with(road) { administrator in
                func refuse(_ count: Int) async throws {
                    for turn in 0..<count {
                        let entrance = entrances[turn % entrances.count]
                        let body = entrance.bodies[turn / entrances.count % entrance.bodies.count]
                        let answer = try await administrator.ask(
                            entrance.method, entrance.path, body, type: entrance.type)
                        _ = try await answer.body.collect(upTo: 1 << 20)
                        let refused = (400..<500).contains(answer.status.code)
                        #expect(refused, "\(entrance.path): \(answer.status)")
                    }
                }
                // What is allocated once is allocated by then.
                try await refuse(1_000)
                let before = try Self.residentPages(of: try road.server.identifier)
                try await refuse(Self.count)
                let growth = Double(try Self.residentPages(of: try road.server.identifier)) / Double(before) - 1
                #expect(growth <= 0.1, "resident memory grew by \(growth)")
            }
        }
    }

    private static func residentPages(of process: Int32) throws -> Int {
        let fields = try String(contentsOfFile: "/proc/\(process)/statm", encoding: .ascii).split(separator: " ")
        return try #require(Int(fields[1]))
    }
}
