import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// A change of an assignment names what it changes: the merge as a value, and two changes at once.
struct AssignmentAmendmentTests {
    private static let app = "com.example.app"
    private static let later = Date(timeIntervalSince1970: 1_800_000_000)
    private static let present = Assignment(
        group: "g", app: app, configuration: "main", extensions: ["\(app).x": "x", "\(app).y": "y"],
        lowestTrust: .verified, install: .optional, priority: 5, assigned: Date(timeIntervalSince1970: 1), order: 7)

    private static func amendment(
        configuration: Amendment<String> = .stays, extensions: Amendment<[String: Amendment<String>]> = .stays,
        lowestTrust: Amendment<AppTrust> = .stays, install: Amendment<AppSource.Install> = .stays,
        priority: Amendment<Int> = .stays
    ) -> AssignmentAmendment {
        AssignmentAmendment(
            group: "g", app: app, configuration: configuration, extensions: extensions, lowestTrust: lowestTrust,
            install: install, priority: priority)
    }

    /// Red: an assignment that was made again had nothing of what it had before, and came last in the order.
    @Test func whatIsNotMentionedStaysWithItsPlace() {
        #expect(Self.amendment().merged(with: Self.present, at: Self.later) == Self.present)
        let raised = Self.amendment(priority: .becomes(9)).merged(with: Self.present, at: Self.later)
        #expect(raised.priority == 9 && raised.configuration == "main" && raised.extensions == Self.present.extensions)
        #expect(raised.lowestTrust == .verified && raised.install == .optional)
        #expect(raised.order == 7 && raised.assigned == Self.present.assigned)
    }

    @Test func whatIsTakenAwayIsAsIfItHadNotBeenSaid() {
        let amendment = Self.amendment(
            configuration: .goes, extensions: .goes, lowestTrust: .goes, install: .goes, priority: .goes)
        let merged = amendment.merged(with: Self.present, at: Self.later)
        #expect(merged.configuration == nil && merged.extensions.isEmpty && merged.lowestTrust == .launched)
        #expect(merged.install == nil && merged.priority == 0)
    }

    @Test func anExtensionIsNamedByItself() {
        let amendment = Self.amendment(
            extensions: .becomes(["\(Self.app).x": .goes, "\(Self.app).y": .stays, "\(Self.app).z": .becomes("z")]))
        let merged = amendment.merged(with: Self.present, at: Self.later)
        #expect(merged.extensions == ["\(Self.app).y": "y", "\(Self.app).z": "z"])
    }

    @Test func whereNothingIsItIsMade() {
        let made = Self.amendment(configuration: .becomes("main")).merged(with: nil, at: Self.later)
        #expect(made.configuration == "main" && made.lowestTrust == .launched && made.priority == 0)
        #expect(made.assigned == Self.later && made.extensions.isEmpty && made.install == nil)
    }

    // MARK: On a store

    private static func on(_ body: (Management) async throws -> Void) async throws {
        let fixture = try Fixture()
        // Its directory goes with it.
        defer { withExtendedLifetime(fixture) {} }
        let management = try fixture.management
        _ = try #require(
            await management.putApp(App(bundleIdentifier: app, name: "A", teamIdentifier: nil), author: "admin").value)
        _ = try #require(await management.createGroup(named: "g", author: "admin").value)
        _ = try #require(
            await management.putConfiguration(
                app: app, name: "main", bytes: PropertyListValue.dictionary([:]).xml(), expected: .any, isForced: false,
                author: "admin"
            ).value)
        try await body(management)
    }

    /// Red: of changes at the same time one was kept, as the last to be written replaced the others.
    @Test func ofChangesAtTheSameTimeNoneIsLost() async throws {
        try await Self.on { management in
            let names = (1...8).map { "\(Self.app).x\($0)" }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for name in names {
                    let amendment = Self.amendment(extensions: .becomes([name: .becomes("main")]))
                    group.addTask { _ = try #require(await management.amend(amendment, author: "admin").value) }
                }
                try await group.waitForAll()
            }
            let kept = try await management.assignment(app: Self.app, group: "g")
            #expect(kept?.extensions.keys.sorted() == names)
        }
    }

    @Test func aConditionIsHeldToWhatWasSeen() async throws {
        try await Self.on { management in
            let change = Self.amendment(priority: .becomes(1))
            let made = try #require(try await management.amend(change, expected: .absent, author: "admin").value)
            #expect(made.changed == nil)
            let again = try await management.amend(change, expected: .absent, author: "admin")
            #expect(again.refusal?.kind == .precondition)
            let raise = Self.amendment(priority: .becomes(2))
            let raised = try await management.amend(raise, expected: .present(made.assignment), author: "admin")
            #expect(raised.value?.changed == [.priority])
            let late = try await management.amend(
                Self.amendment(priority: .becomes(3)), expected: .present(made.assignment), author: "admin")
            #expect(late.refusal?.kind == .precondition)
        }
    }

    /// What is said already is no change: nothing is written, and nobody is woken.
    @Test func whatIsSaidAlreadyChangesNothing() async throws {
        try await Self.on { management in
            let change = Self.amendment(configuration: .becomes("main"), priority: .becomes(4))
            let first = try #require(try await management.amend(change, author: "admin").value)
            let entries = try await management.auditEntries(AuditFilter(), PageRequest()).items.count
            let second = try #require(try await management.amend(change, author: "admin").value)
            #expect(second.changed == [] && second.assignment == first.assignment)
            #expect(try await management.auditEntries(AuditFilter(), PageRequest()).items.count == entries)
        }
    }

    @Test func theRulesOfAnAssignmentHoldForWhatComesOfTheMerge() async throws {
        try await Self.on { management in
            let high = try await management.amend(Self.amendment(priority: .becomes(1_001)), author: "admin")
            #expect(high.refusal?.kind == .invalid)
            let named = Dictionary((0..<20).map { ("\(Self.app).x\($0)", Amendment.becomes("main")) }) { $1 }
            _ = try #require(
                try await management.amend(Self.amendment(extensions: .becomes(named)), author: "admin").value)
            let more = Dictionary((20..<40).map { ("\(Self.app).x\($0)", Amendment.becomes("main")) }) { $1 }
            let many = try await management.amend(Self.amendment(extensions: .becomes(more)), author: "admin")
            #expect(many.refusal?.kind == .invalid)
            let unknown = try await management.amend(
                AssignmentAmendment(group: "none", app: Self.app), author: "admin")
            #expect(unknown.refusal == .unknownGroup)
        }
    }
}
