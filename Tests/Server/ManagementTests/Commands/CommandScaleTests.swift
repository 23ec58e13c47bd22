import DeviceMessages
import Foundation
import GRDB
import InputBounds
import Management
import Testing

/// Many commands for one device, and one for each of many devices: none is lost and none comes twice, also after another
/// start.
///
/// The scale is 200 in the quick suite and 10,000 in `make soak`.
@Suite(.timeLimit(.minutes(60)))
struct CommandScaleTests {
    private static let count = ProcessInfo.processInfo.environment["MARTLET_QUEUED_COMMANDS"].flatMap(Int.init) ?? 200
    private static let writers = 8
    private static let request = PropertyListValue.dictionary(["RequestType": .string("ProfileList")])

    /// What many queue at once arrives in the order of each, through two other starts for each thousand: no more may wait.
    @Test func whatEightQueueForOneDeviceAtOnceArrivesOnceAndInTheOrderOfEach() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        var queued: [[String]] = Array(repeating: [], count: Self.writers)
        var delivered: [String] = []
        while delivered.count < Self.count {
            let wave = min(Self.count - delivered.count, CommandLimits.open)
            let management = try fixture.management
            let parts = try await Self.inParts(wave) { _ in try await Self.queue(for: "D1", at: management) }
            for (writer, uuids) in parts.enumerated() { queued[writer] += uuids }
            if wave == CommandLimits.open {
                let refusal = try await management.enqueue(Self.request, for: "D1", author: "admin").refusal
                #expect(refusal == .queueFull(limit: CommandLimits.open))
            }
            let before = delivered.count
            try fixture.restart()
            delivered += try await Self.take(atMost: wave / 2, from: fixture)
            // The one that was sent and not answered is sent again.
            try fixture.restart()
            delivered += try await Self.take(atMost: wave, from: fixture)
            try #require(delivered.count == before + wave, "what was queued arrives, and nothing else")
        }
        let places = Dictionary(zip(delivered, 0...), uniquingKeysWith: { first, _ in first })
        #expect(places.count == Self.count, "none comes twice")
        for uuids in queued {
            let own = uuids.compactMap { places[$0] }
            #expect(own.count == uuids.count && own == own.sorted(), "\(own.count) of \(uuids.count), in order")
        }
        let listed = try await Self.listed(fixture)
        let isSame = listed.map(\.uuid) == delivered
        let areAnswered = listed.allSatisfy { $0.state == .acknowledged && $0.result != nil }
        #expect(isSame && areAnswered, "the record says the same, with each answer")
    }

    @Test func oneForEachOfManyDevicesArrivesOnceAlsoAfterAnotherStart() async throws {
        let fixture = try Fixture()
        _ = try #require(await fixture.management.createGroup(named: "all", author: "admin").value)
        let count = Self.count
        try await fixture.betweenServers { db in
            for number in 0..<count { try Self.insertDevice(number, db) }
        }
        let management = try fixture.management
        let queued = try await Self.inParts(count) { number in
            try await Self.queue(for: "d\(number)", at: management)
        }
        try fixture.restart()
        let taken = try await Self.inParts(count) { (number) async throws -> [String] in
            let (device, signer) = ("d\(number)", Self.fingerprint(number))
            var uuids: [String] = []
            var next = try await fixture.command(.idle, device: device, signer: signer)
            while let command = next, command.requestType == "ProfileList", uuids.count < 3 {
                uuids.append(command.uuid)
                next = try await fixture.command(.acknowledged, command.uuid, device: device, signer: signer)
            }
            return uuids
        }
        let due = queued.map { part in part.map { [$0] } }
        let isSame = taken == due
        #expect(isSame, "each device is sent its own, once")
        try fixture.restart()
        let again = try await Self.inParts(count) { (number) async throws -> Bool in
            let (device, signer) = ("d\(number)", Self.fingerprint(number))
            return try await fixture.command(.idle, device: device, signer: signer)?.requestType == "ProfileList"
        }
        #expect(again.joined().count { $0 } == 0, "what was answered is not sent again")
    }

    /// Does something for each number, eight at a time; what came of it by the eight, in the order of each.
    private static func inParts<Value: Sendable>(
        _ count: Int, _ step: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> [[Value]] {
        try await withThrowingTaskGroup(of: (Int, [Value]).self) { group in
            for writer in 0..<writers {
                group.addTask {
                    var values: [Value] = []
                    for number in stride(from: writer, to: count, by: writers) { values.append(try await step(number)) }
                    return (writer, values)
                }
            }
            var parts: [[Value]] = Array(repeating: [], count: writers)
            for try await (writer, values) in group { parts[writer] = values }
            return parts
        }
    }

    /// Queues a command and answers with its UUID.
    private static func queue(for device: String, at management: Management) async throws -> String {
        let outcome = try await management.enqueue(request, for: device, author: "admin")
        guard let command = outcome.value else { throw CommandFault(description: "a command was refused: \(outcome)") }
        return command.uuid
    }

    /// Carries out what the device is sent, until nothing more comes or so many are done.
    private static func take(atMost limit: Int, from fixture: Fixture) async throws -> [String] {
        var taken: [String] = []
        var next = try await fixture.command(.idle)
        while let command = next, taken.count < limit {
            if command.requestType == "ProfileList" { taken.append(command.uuid) }
            next = try await fixture.command(.acknowledged, command.uuid)
        }
        return taken
    }

    private static func listed(_ fixture: Fixture) async throws -> [QueuedCommand] {
        var commands: [QueuedCommand] = []
        var page: PageRequest? = PageRequest(limit: PageRequest.largest)
        while let request = page {
            let found = try #require(await fixture.management.commands(of: "D1", request).value)
            commands += found.items
            page = found.next.map { PageRequest(after: $0, limit: PageRequest.largest) }
        }
        return commands
    }

    private static func insertDevice(_ number: Int, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO enrollment (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
                    VALUES (:key, 'device', 'enrolled', 'organization', 1, :fingerprint, 1, '{}', 1);
                INSERT INTO enrollment_group VALUES (:key, 'all');
                """, arguments: ["key": "d\(number)", "fingerprint": fingerprint(number)])
    }

    /// Thirty-two bytes that differ by number.
    private static func fingerprint(_ number: Int) -> Data {
        var digits = Data(String(number).utf8)
        digits.append(Data(repeating: 0xFF, count: max(0, 32 - digits.count)))
        return digits
    }
}
