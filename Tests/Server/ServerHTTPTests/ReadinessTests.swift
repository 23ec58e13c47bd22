import Management
import Synchronization
import TestLog
import Testing

@testable import ServerHTTP

/// Whether a server says that it can work.
@Suite struct ReadinessTests {
    private static let fine = StoreFacts(
        waitingWrites: 0, mostWaitingWrites: 100, databaseBytes: 1, logBytes: 1, freeBytes: 1 << 40)

    @Test func aStoreThatAnswersAndHasRoomIsReady() async {
        #expect(await Readiness { Self.fine }.fault() == nil)
    }

    @Test func aStoreWithoutRoomForChangesIsNotReady() async {
        let facts = StoreFacts(
            waitingWrites: 90, mostWaitingWrites: 100, databaseBytes: 1, logBytes: 1, freeBytes: nil)
        #expect(await Readiness { facts }.fault() == .overload)
    }

    @Test func aFullDiskIsNotReady() async {
        let facts = StoreFacts(
            waitingWrites: 0, mostWaitingWrites: 100, databaseBytes: 1, logBytes: 1, freeBytes: 4_096)
        #expect(await Readiness(patience: .seconds(3_600)) { facts }.fault() == .noSpace)
    }

    /// Red while a server whose disk took no change said that it was ready.
    @Test(
        arguments: [
            (.readOnly, .readOnly), (.denied, .denied), (.failing, .failing), (.unreachable, .unreachable),
            (.moved, .moved),
        ] as [(StoreDiskRefusal.Cause, Readiness.Fault)])
    func aDiskThatCannotBeWrittenToIsNotReady(_ cause: StoreDiskRefusal.Cause, _ fault: Readiness.Fault) async {
        let facts = StoreFacts(
            waitingWrites: 0, mostWaitingWrites: 100, databaseBytes: 1, logBytes: 1, freeBytes: nil, refusing: cause)
        #expect(await Readiness(patience: .seconds(3_600)) { facts }.fault() == fault)
        #expect(fault.rawValue == cause.description, "health and answers have the same words")
    }

    @Test func aDiskThatIsStuckIsNotReady() async {
        let facts = StoreFacts(
            waitingWrites: 1, mostWaitingWrites: 100, databaseBytes: 1, logBytes: 1, freeBytes: nil, isStuck: true)
        #expect(await Readiness(patience: .seconds(3_600)) { facts }.fault() == .silent)
    }

    /// Red while a store whose reads failed was as ready as any other.
    @Test(arguments: [(.damaged, .damaged), (.unreadable, .unreadable)] as [(StoreFacts.Standing, Readiness.Fault)])
    func aStoreThatCannotBeReadIsNotReady(_ standing: StoreFacts.Standing, _ fault: Readiness.Fault) async {
        let facts = StoreFacts(
            waitingWrites: 0, mostWaitingWrites: 100, databaseBytes: 1, logBytes: 1, freeBytes: nil, standing: standing)
        #expect(await Readiness(patience: .seconds(3_600)) { facts }.fault() == fault)
    }

    /// Red while nothing but the disk's end said that the log was never emptied.
    @Test func aLogThatIsTooLongIsSaidOnce() {
        let log = LogLines()
        let length = LogLength(log.logger())
        func look(_ logBytes: Int, _ databaseBytes: Int = 1) {
            length.look(
                at: StoreFacts(
                    waitingWrites: 0, mostWaitingWrites: 100, databaseBytes: databaseBytes, logBytes: logBytes,
                    freeBytes: nil))
        }
        look(StoreFacts.leastLogBound)
        look(StoreFacts.leastLogBound + 1, 1 << 40)
        #expect(log.all.isEmpty)
        for _ in 0..<3 { look(StoreFacts.leastLogBound + 1) }
        #expect(log.all.count == 1 && log.say("warning", "log is too long", "bytes=268435457"))
        for _ in 0..<3 { look(1) }
        #expect(log.all.count == 2 && log.say("notice", "no longer too long"))
    }

    @Test func aStoreThatFailsOrHangsIsNotReadyAndNotWaitedFor() async {
        struct Broken: Error {}
        #expect(await Readiness { throw Broken() }.fault() == .silent)
        let (never, end) = AsyncStream.makeStream(of: Void.self)
        let hanging = Readiness(patience: .milliseconds(20)) {
            for await _ in never {}
            return Self.fine
        }
        #expect(await hanging.fault() == .silent)
        end.finish()
    }

    /// Anybody may ask as often as they like.
    @Test func theStoreIsAskedAtMostOnceASecond() async {
        let (asked, time) = (Tally(), Moment())
        let readiness = Readiness(now: { time.instant.withLock { $0 } }) {
            asked.count.withLock { $0 += 1 }
            return Self.fine
        }
        for _ in 0..<100 { _ = await readiness.fault() }
        #expect(asked.count.withLock { $0 } == 1)
        time.instant.withLock { $0 = $0.advanced(by: .seconds(1)) }
        _ = await readiness.fault()
        #expect(asked.count.withLock { $0 } == 2)
    }

    /// Red where a request that was refused was followed by a second in which the server said that it was ready.
    @Test func aRefusalIsKnownWithoutDelay() async {
        let (disk, time) = (Disk(), ContinuousClock.now)
        let readiness = Readiness(now: { time }, refusal: { disk.refusal.withLock { $0 } }) {
            StoreFacts(
                waitingWrites: 0, mostWaitingWrites: 100, databaseBytes: 1, logBytes: 1, freeBytes: nil,
                refusing: disk.refusal.withLock { $0 })
        }
        #expect(await readiness.fault() == nil)
        disk.refusal.withLock { $0 = .full }
        #expect(await readiness.fault() == .noSpace)
        disk.refusal.withLock { $0 = nil }
        #expect(await readiness.fault() == nil)
    }

    /// What is read of files that were moved may be of others: that comes first.
    @Test func filesThatWereMovedAreTheReason() async {
        let facts = StoreFacts(
            waitingWrites: 0, mostWaitingWrites: 100, databaseBytes: 1, logBytes: 1, freeBytes: nil,
            standing: .unreadable, refusing: .moved)
        #expect(await Readiness(patience: .seconds(3_600)) { facts }.fault() == .moved)
    }

    private final class Tally: Sendable { let count = Mutex(0) }
    private final class Disk: Sendable { let refusal = Mutex<StoreDiskRefusal.Cause?>(nil) }
    private final class Moment: Sendable { let instant = Mutex(ContinuousClock.now) }
}

/// What is counted of requests.
@Suite struct TrafficTests {
    @Test(
        arguments: [
            ("/api/v1/groups/{group}", Area.administrators), ("/mdm/wake", .wake), ("/mdm/checkin", .devices),
            ("/acme/devices/new-order", .enrollment), ("/acme/new-order", .identities), ("/scep", .enrollment),
            ("/scep/identities", .identities), ("/packages/{sha256}", .packages), ("/healthz", .other), (nil, .other),
            ("/sign-in/oidc", .administrators),
        ] as [(String?, Area)]) func eachRouteIsCountedInItsArea(_ route: String?, _ area: Area)
    {
        #expect(Area(route: route) == area)
    }

    @Test func durationsAreCountedByTheirUpperBounds() {
        let histogram = Histogram()
        for seconds in [0.0005, 0.001, 0.02, 30] { histogram.record(.seconds(seconds)) }
        let cumulative = histogram.cumulative
        #expect(cumulative.first == 2 && cumulative.dropLast().last == 3 && cumulative.last == 4)
        #expect(abs(histogram.seconds - 30.0215) < 0.001)
    }

    @Test func anIdentifierOfARequestIsNeverTheOneBefore() {
        let identifiers = (0..<1_000).map { _ in RequestIdentifier.next() }
        #expect(Set(identifiers).count == 1_000 && identifiers.allSatisfy { $0.count == 16 })
    }

    /// A17: identifiers are counted, which asks the system for nothing: two of them are a few steps apart.
    @Test func identifiersOfRequestsAreCounted() throws {
        // SplitMix64, backwards.
        func count(of identifier: String) throws -> UInt64 {
            var mixed = try #require(UInt64(identifier, radix: 16))
            mixed = (mixed ^ mixed >> 31 ^ mixed >> 62) &* 0x3196_42b2_d24d_8ec3
            mixed = (mixed ^ mixed >> 27 ^ mixed >> 54) &* 0x96de_1b17_3f11_9089
            return (mixed ^ mixed >> 30 ^ mixed >> 60) &* 0xf1de_83e1_9937_733d
        }
        let first = try count(of: RequestIdentifier.next())
        let second = try count(of: RequestIdentifier.next())
        // Other tests make requests meanwhile.
        #expect((1...1_000_000_000).contains(second &- first))
    }
}
