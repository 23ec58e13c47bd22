import Foundation
import InputBounds
import Management
import TestInputs
import Testing

/// What becomes of a device in the hour after a backup that is put back later.
enum Fate: Sendable, CaseIterable {
    /// Nothing of its own; it may come for what changed for all.
    case stays
    case renewsOnce
    case renewsTwice
    /// Its new certificate was issued before the backup, and is used after it.
    case usesItsRenewal
    /// By an older version of the server, which gave each certificate a name of its own.
    case renewsUnderAnotherName
    /// By a code that lets it replace its enrollment.
    case enrollsAnew
    case isMoved
    /// And does not hear of it.
    case isWithdrawn
    case checksOut
    case enrollsSince

    /// What the rules of a restore make of it.
    enum End: Equatable {
        case converges
        /// The server does not know who it is: an administrator gives it a new code.
        case refused(UInt)
        /// It does not come back, and the server goes on waiting for it.
        case gone
    }

    var end: End {
        switch self {
        case .stays, .renewsOnce, .renewsTwice, .usesItsRenewal, .isMoved, .isWithdrawn: .converges
        case .renewsUnderAnotherName, .enrollsAnew: .refused(400)
        case .enrollsSince: .refused(503)
        case .checksOut: .gone
        }
    }
}

/// A fleet, the hour after its backup that a restore loses, and what is true of both: the same for the same seed.
struct LostHour: Sendable {
    struct Sent: Sendable {
        let uuid: String
        let device: String
    }

    private enum Event {
        case meet(Int)
        case configure(Int)
        case setPassword(Int)
        case toggleNext(Int)
        case synchronize(Int)
        case enroll
    }

    /// Of so many devices in a row one has each fate, and the others stay.
    private static let row = 16

    private(set) var devices: [KeepingDevice]
    private(set) var fates: [Fate]
    private(set) var values = FleetValues()
    private var copiedValues = FleetValues()
    private(set) var copied = Date.distantPast
    /// Commands that wait in the backup: those that act, and those that ask.
    private(set) var acting: [Sent] = []
    private(set) var asking: [Sent] = []
    private var renewals: [Int: PlayedDevice.Identity] = [:]
    private var away: Set<Int> = []
    private var changes = 0
    private var random: SplitMix64

    init(_ count: Int, seed: UInt64) {
        let all = Fate.allCases.filter { $0 != .enrollsSince }
        fates = (0..<count).map { number in
            let place = number % Self.row
            return place < all.count ? all[place] : .stays
        }
        devices = (0..<count).map { number in
            KeepingDevice(UUID().uuidString, in: FleetValues.group(number / Self.row + number))
        }
        random = SplitMix64(seed: seed)
        for device in devices { values.place(device) }
    }

    // MARK: Before

    /// Enrolls the fleet, which takes everything that it is given; then commands wait, and renewals are under way.
    mutating func begin(on server: TestServer, _ clock: TestClock) async throws {
        try await values.furnish(server)
        let yesterday = clock.second - 86_400
        devices = try await KeepingDevice.each(devices) { (device) async throws in
            try await device.enroll(on: server, at: yesterday)
            try await device.synchronize(with: server)
        }
        for index in devices.indices {
            if fates[index] == .usesItsRenewal {
                renewals[index] = try await devices[index].renewal(on: server, at: clock.second - 600)
            }
            switch index % 5 {
            case 0: acting.append(try await send("RestartDevice", to: devices[index].id, server))
            case 1: asking.append(try await send("ProfileList", to: devices[index].id, server))
            default: break
            }
        }
    }

    private func send(_ type: String, to device: String, _ server: TestServer) async throws -> Sent {
        let request = PropertyListValue.dictionary(["RequestType": .string(type)])
        let queued = try #require(await server.management.enqueue(request, for: device, author: "admin").value)
        return Sent(uuid: queued.uuid, device: device)
    }

    /// Has the store copied while the server serves: what administrators have given by now is in the copy.
    mutating func backUp(at clock: TestClock, _ copy: () async throws -> Void) async throws {
        (copied, copiedValues) = (clock.second, values)
        try await copy()
    }

    // MARK: The hour

    mutating func pass(on server: TestServer, _ clock: TestClock) async throws {
        var events = devices.indices.map(Event.meet)
        for number in 0..<FleetValues.groups {
            events += [.configure(number), .configure(number), .setPassword(number), .setPassword(number)]
            events.append(.toggleNext(number))
        }
        for _ in 0..<(devices.count / 2) {
            events.append(.synchronize(Int.random(in: devices.indices, using: &random)))
        }
        for _ in 0..<(devices.count / Self.row) { events.append(.enroll) }
        events.shuffle(using: &random)
        let pause = 3_600 / Double(events.count)
        for event in events {
            clock.advance(by: pause)
            try await happen(event, server, clock)
        }
    }

    private mutating func happen(_ event: Event, _ server: TestServer, _ clock: TestClock) async throws {
        changes += 1
        switch event {
        case .meet(let index): try await meetFate(index, server, clock)
        case .configure(let app): try await values.configure(app, "lost configuration \(changes)", on: server)
        case .setPassword(let number):
            _ = try await values.setPassword(number, "lost password \(changes)", on: server)
        case .toggleNext(let group): try await values.toggleNext(of: group, on: server)
        case .synchronize(let index):
            guard !away.contains(index) else { return }
            try await devices[index].synchronize(with: server)
            let (held, due) = (try devices[index].holding(), values.holding(of: devices[index].id))
            let fate = fates[index]
            #expect(held == due, "\(fate)")
        case .enroll:
            var device = KeepingDevice(UUID().uuidString, in: FleetValues.group(changes))
            try await device.enroll(on: server, at: clock.second)
            try await device.synchronize(with: server)
            devices.append(device)
            fates.append(.enrollsSince)
        }
    }

    private mutating func meetFate(_ index: Int, _ server: TestServer, _ clock: TestClock) async throws {
        let device = devices[index].id
        switch fates[index] {
        case .stays, .enrollsSince: break
        case .renewsOnce: try await renew(index, server, clock)
        case .renewsTwice:
            try await renew(index, server, clock)
            clock.advance(by: 2)
            try await renew(index, server, clock)
        case .usesItsRenewal:
            let issued = renewals[index]
            let next = try #require(issued)
            try await devices[index].goOver(to: next, on: server)
        case .renewsUnderAnotherName: try await renew(index, named: "device of an older server", server, clock)
        case .enrollsAnew: try await devices[index].enroll(on: server, replacing: true, at: clock.second)
        case .isMoved: try await values.move(device, on: server)
        case .isWithdrawn:
            let refusal = try await server.management.withdraw(device, author: "admin")
            #expect(refusal == nil)
            away.insert(index)
        case .checksOut:
            try await devices[index].checkOut(on: server)
            away.insert(index)
        }
    }

    private mutating func renew(
        _ index: Int, named name: String? = nil, _ server: TestServer, _ clock: TestClock
    ) async throws {
        let next = try await devices[index].renewal(on: server, named: name, at: clock.second)
        try await devices[index].goOver(to: next, on: server)
    }

    // MARK: After

    /// Administrators go on where the backup was, and every device that can comes to the restored server.
    mutating func goOn(on server: TestServer, _ clock: TestClock) async throws {
        values = copiedValues
        for number in 0..<(FleetValues.groups / 2) {
            let version = try await values.setPassword(number, "password after the restore \(number)", on: server)
            #expect(version == 2, "the number of a lost value comes again")
            try await values.configure(number, "configuration after the restore \(number)", on: server)
        }
        let coming = devices.indices.filter { fates[$0].end != .gone }
        let came = try await KeepingDevice.each(coming.map { devices[$0] }) { (device) async throws in
            try await device.come(to: server)
        }
        for (index, device) in zip(coming, came) { devices[index] = device }
    }

    /// Gives a device that was refused a new code, by which it begins anew.
    mutating func letIn(_ index: Int, on server: TestServer, _ clock: TestClock) async throws {
        let isKnown = try await server.management.device(devices[index].id) != nil
        try await devices[index].enroll(on: server, replacing: isKnown, at: clock.second)
        values.place(devices[index])
        try await devices[index].come(to: server)
    }
}
