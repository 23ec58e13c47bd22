import Foundation
import GRDB
import Testing

@testable import Management
@testable import StoreSQLite

/// Who signs in while the disk of the store is full: their session is in memory until the store takes it.
struct InterimSessionTests {
    private static let password = "a password of the tests"

    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func kept(_ name: String, until seconds: TimeInterval = 3_600) -> InterimSessions.Interim {
        InterimSessions.Interim(administrator: name, passwordHash: "h", expires: Fixture.start + seconds)
    }

    @Test func fewAreKeptAndTheOldestGo() {
        let sessions = InterimSessions()
        func open(_ number: UInt8, _ name: String) {
            sessions.open(kept(name), digest: Data([number]), now: Fixture.start, uptime: 0)
        }
        func are(_ numbers: Range<UInt8>) -> [UInt8] {
            numbers.filter { sessions.session(Data([$0]), now: Fixture.start) != nil }
        }
        for number: UInt8 in 0..<6 { open(number, "anna") }
        #expect(are(0..<6) == [2, 3, 4, 5], "four of one person")
        for number: UInt8 in 6..<40 { open(number, "name \(number)") }
        let newest: [UInt8] = Array(8..<40)
        #expect(are(0..<40) == newest, "32 in all")
    }

    @Test func theyEndByTheClockAndByTheirPerson() {
        let sessions = InterimSessions()
        for (number, name) in [(1, "anna"), (2, "anna"), (3, "bea")] as [(UInt8, String)] {
            sessions.open(kept(name), digest: Data([number]), now: Fixture.start, uptime: 0)
        }
        sessions.close(of: "anna", keeping: Data([2]))
        #expect(sessions.session(Data([1]), now: Fixture.start) == nil)
        #expect(sessions.session(Data([2]), now: Fixture.start + 3_599) == kept("anna"))
        #expect(sessions.session(Data([2]), now: Fixture.start + 3_600) == nil)
        #expect(sessions.close(Data([3])) && !sessions.close(Data([3])))
    }

    /// Red: a session from while the clock was two years ahead lived on for two years.
    @Test func oneFromWhileTheClockWasAheadIsOver() {
        let sessions = InterimSessions()
        sessions.open(kept("anna", until: 7_201), digest: Data([1]), now: Fixture.start + 3_601, uptime: 0)
        #expect(sessions.session(Data([1]), now: Fixture.start) == nil)
        #expect(sessions.session(Data([1]), now: Fixture.start + 1) != nil, "an hour ahead is allowed")
    }

    @Test func theStoreIsAskedOnceAMinute() {
        let sessions = InterimSessions()
        sessions.open(kept("anna"), digest: Data([1]), now: Fixture.start, uptime: 10)
        let times: [TimeInterval] = [69, 70, 71, 129, 130]
        let answers = times.map { sessions.isDue(Data([1]), uptime: $0) }
        #expect(answers == [false, true, false, false, true])
        #expect(!sessions.isDue(Data([2]), uptime: 1_000), "there is none")
    }

    /// Red: sign-in was refused because the disk is full, so an administrator without a session could not see the cause.
    @Test func onAFullDiskAPersonSignsInForAnHour() async throws {
        let management = try fixture.management
        try await prepare(management)
        let opened = try await signInOnAFullDisk(management)
        #expect(opened.session.expires == Fixture.start + 3_600)
        #expect(opened.session.rights == .all && !opened.session.mustChangePassword)
        #expect(try await management.session(token: opened.token) == opened.session)
        #expect(try await management.session(token: opened.token + "x") == nil)
        #expect(try await management.logIn(name: "admin", password: "wrong").refusal == .wrongNameOrPassword)
        let other = try await signInOnAFullDisk(management)
        try await management.logOut(token: other.token)
        #expect(try await management.session(token: other.token) == nil)
        fixture.advance(3_600)
        #expect(try await management.session(token: opened.token) == nil)
    }

    @Test func theStoreTakesTheSessionAsSoonAsThereIsRoom() async throws {
        let management = try fixture.management
        try await prepare(management)
        let opened = try await signInOnAFullDisk(management)
        fixture.advance(60)
        #expect(try await management.session(token: opened.token) == opened.session, "there is no room yet")
        try await setMostPages("1073741823")
        fixture.advance(60)
        #expect(try await management.session(token: opened.token) == opened.session)
        try fixture.restart()
        #expect(try await fixture.management.session(token: opened.token) == opened.session)
    }

    @Test func aServerThatEndsKeepsNone() async throws {
        let management = try fixture.management
        try await prepare(management)
        let opened = try await signInOnAFullDisk(management)
        try fixture.restart()
        #expect(try await fixture.management.session(token: opened.token) == nil)
    }

    @Test func anotherPasswordEndsIt() async throws {
        let management = try fixture.management
        try await prepare(management)
        let opened = try await signInOnAFullDisk(management)
        try await setMostPages("1073741823")
        let session = try #require(await management.logIn(name: "admin", password: Self.password).value)
        #expect(!session.isInterim)
        let refusal = try await management.changePassword(
            token: session.token, session: session.session, old: Self.password, new: "another long password")
        #expect(refusal == nil)
        #expect(try await management.session(token: opened.token) == nil)
    }

    // MARK: Steps

    /// An administrator with a password of their own, and a disk that takes no page more.
    private func prepare(_ management: Management) async throws {
        let first = try #require(await management.createFirstAdministrator())
        let opened = try #require(await management.logIn(name: first.name, password: first.oneTimePassword).value)
        let refusal = try await management.changePassword(
            token: opened.token, session: opened.session, old: first.oneTimePassword, new: Self.password)
        try #require(refusal == nil)
        try await fixture.store.pool.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE filler (bytes BLOB)")
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 1
            try db.execute(sql: "PRAGMA max_page_count = \(pages)")
            do {
                while true { try db.execute(sql: "INSERT INTO filler VALUES (zeroblob(3000))") }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {}
        }
    }

    /// Pages that are begun take some sessions more: signs in until they are full, too.
    private func signInOnAFullDisk(_ management: Management) async throws -> OpenedSession {
        for _ in 1...500 {
            let opened = try #require(await management.logIn(name: "admin", password: Self.password).value)
            if opened.isInterim { return opened }
        }
        throw StillRoom()
    }

    private struct StillRoom: Error {}

    private func setMostPages(_ count: String) async throws {
        try await fixture.store.pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA max_page_count = \(count)")
        }
    }
}
