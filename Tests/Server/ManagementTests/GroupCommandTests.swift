import DeviceMessages
import Foundation
import InputBounds
import Testing

@testable import Management

/// A command for every device of a group, as values: who gets it, how fast, and what is told of it.
struct GroupCommandTests {
    private static let request = PropertyListValue.dictionary(["RequestType": .string("ProfileList")])

    private static func wish(
        _ type: String = "ProfileList", perSecond: Int? = nil, warnings: [String] = []
    ) throws -> GroupCommand {
        try GroupCommand(
            group: "pilots", requestType: type, request: .dictionary(["RequestType": .string(type)]),
            perSecond: perSecond, warnings: warnings)
    }

    private static func job(_ wish: GroupCommand, id: String = "J") -> Job {
        Job(id: id, kind: .groupCommand, author: "ann", created: Fixture.start, request: wish.json)
    }

    private static func device(
        _ id: String, _ state: EnrollmentState = .enrolled, _ ownership: Ownership = .organization
    ) -> Device {
        Device(
            id: id, kind: .device, state: state, ownership: ownership, supervised: true, groups: ["pilots"],
            facts: DeviceFacts(), enrolled: Fixture.start, lastSeen: nil, certificateSerial: nil,
            certificateNotAfter: nil, toldToken: nil, openCommands: 0)
    }

    /// The same job finds the same command again, whenever it comes to the device; no other has its UUID.
    @Test func aCommandsUUIDFollowsFromTheJobAndTheDevice() {
        let uuid = GroupCommand.uuid(of: "J", for: "D1")
        #expect(uuid == GroupCommand.uuid(of: "J", for: "D1"))
        #expect(Set([uuid, GroupCommand.uuid(of: "J", for: "D2"), GroupCommand.uuid(of: "K", for: "D1")]).count == 3)
        let form = /[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/
        #expect(uuid.wholeMatch(of: form) != nil, "\(uuid)")
    }

    @Test func aDeviceGetsTheWholeCommandOfWhoAskedForIt() throws {
        let wish = try Self.wish()
        let outcome = wish.command(for: Self.device("D1"), of: Self.job(wish), at: Fixture.start + 9)
        let command = try #require(outcome?.value)
        #expect(command.author == "ann" && command.state == .queued && command.created == Fixture.start + 9)
        let sent = try Command(parsing: command.document)
        #expect(sent.uuid == command.uuid && sent.uuid == GroupCommand.uuid(of: "J", for: "D1"))
        #expect(sent.request == Self.request && command.requestType == "ProfileList")
    }

    /// Who left is no member any more, and no refusal; who is still enrolling gets it.
    @Test func whoLeftIsPassedOver() throws {
        let wish = try Self.wish()
        let job = Self.job(wish)
        for state in [EnrollmentState.checkedOut, .withdrawn] {
            #expect(wish.command(for: Self.device("D1", state), of: job, at: Fixture.start) == nil)
        }
        #expect(wish.command(for: Self.device("D1", .pending), of: job, at: Fixture.start)?.value != nil)
    }

    /// As for one device: what concerns the whole device is not sent to one that belongs to a person.
    @Test func aDeviceOfAPersonIsRefusedWhatConcernsTheWholeDevice() throws {
        let wish = try Self.wish("RestartDevice")
        let outcome = wish.command(for: Self.device("D1", .enrolled, .personal), of: Self.job(wish), at: Fixture.start)
        #expect(outcome?.refusal == CommandRule.of("RestartDevice").refusal(of: "RestartDevice", on: .personal))
        #expect(outcome?.refusal != nil)
    }

    /// A property list has types that JSON has not: the job gives back what was asked for.
    @Test func theJobKeepsTheRequestAsItWas() throws {
        let request = PropertyListValue.dictionary([
            "RequestType": .string("InstallProfile"), "Payload": .data(Data([0, 255])), "When": .date(Fixture.start),
        ])
        let wish = try GroupCommand(
            group: "g", requestType: "InstallProfile", request: request, perSecond: 7, warnings: ["w"])
        #expect(GroupCommand(wish.json) == wish)
        #expect(GroupCommand(.object([:])) == nil)
    }

    @Test func itHasBounds() throws {
        #expect(try Self.wish().perSecond == 50)
        for number in [1, 1_000] { #expect(try Self.wish(perSecond: number).perSecond == number) }
        for number in [-1, 0, 1_001] {
            #expect(throws: AdminRefusal.self) { try Self.wish(perSecond: number) }
        }
        let large = PropertyListValue.dictionary([
            "RequestType": .string("Other"), "Key": .string(String(repeating: "a", count: GroupCommand.requestBytes)),
        ])
        #expect(throws: AdminRefusal.tooLarge(limit: GroupCommand.requestBytes)) {
            try GroupCommand(group: "g", requestType: "Other", request: large, perSecond: nil, warnings: [])
        }
        var deep = PropertyListValue.string("")
        for _ in 0..<InputLimits.message.depth { deep = .array([deep]) }
        let unreadable = PropertyListValue.dictionary(["RequestType": .string("Other"), "Key": deep])
        #expect(throws: AdminRefusal.self, "no device could read it") {
            try GroupCommand(group: "g", requestType: "Other", request: unreadable, perSecond: nil, warnings: [])
        }
    }

    /// What it asks of an administrator is what the command asks, as long as it goes on.
    @Test(arguments: [("ProfileList", Permission.help), ("EraseDevice", .manage), ("Unheard", .manage)])
    func itAsksOfAnAdministratorWhatItsCommandAsks(type: String, permission: Permission) throws {
        #expect(Self.job(try Self.wish(type)).permission == permission)
    }

    /// A part has as many devices as a second allows, or fewer, and the next one begins when their time is over.
    @Test(arguments: [
        (1, 1, 1.0), (20, 20, 1.0), (50, 50, 1.0), (100, 50, 0.5), (1_000, 50, 0.05),
    ])
    func noSecondHasMoreDevicesThanItMay(perSecond: Int, part: Int, pause: TimeInterval) throws {
        let wish = try Self.wish(perSecond: perSecond)
        var job = Self.job(wish)
        #expect(wish.part == part)
        #expect(job.pause(after: .part(JobProgress(done: part, total: 900), place: Data())) == pause)
        job.progress = JobProgress(done: 100, total: 900)
        #expect(job.pause(after: .part(JobProgress(done: 100 + part, total: 900), place: Data())) == pause)
        #expect(job.pause(after: .part(JobProgress(done: 100, total: 900), place: Data())) == 0, "nobody was there")
        #expect(job.pause(after: .done(JobProgress(done: 120, total: 120), result: .null)) == 0)
    }

    @Test func aJobThatHasToWaitWaitsUntilItsMoment() {
        let pace = JobPace()
        #expect(pace.wait(for: "J", at: 5) == nil)
        pace.delay("J", until: 6)
        #expect(pace.wait(for: "J", at: 5) == 1 && pace.wait(for: "K", at: 5) == nil)
        #expect(pace.wait(for: "J", at: 6) == nil)
        pace.keep(only: ["K"])
        #expect(pace.wait(for: "J", at: 5) == nil, "it has ended")
    }

    @Test func everyDeviceIsCountedAndTheFirstTenRefusalsAreTold() throws {
        var place = GroupCommand.Place()
        place.add("D0", nil)
        for number in 1...12 { place.add("D\(number)", .queueFull(limit: 1_000)) }
        #expect(place.done == 13)
        let result = place.result(["w"])
        #expect(result["queued"] == .integer(1) && result["refused"] == .integer(12))
        let told = result["refusals"]?.array ?? []
        #expect(told.compactMap { $0["device"]?.string } == (1...10).map { "D\($0)" })
        #expect(told.first?["reason"]?.string == AdminRefusal.queueFull(limit: 1_000).reason)
        #expect(result["warnings"] == .array([.string("w")]) && GroupCommand.Place().result([])["warnings"] == nil)
        #expect(try JSONDecoder().decode(GroupCommand.Place.self, from: JSONEncoder().encode(place)) == place)
    }
}
