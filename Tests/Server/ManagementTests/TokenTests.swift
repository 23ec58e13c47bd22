import Foundation
import Management
import Testing

/// API tokens: what they may do, and how they end.
struct TokenTests {
    private static let owner = Rights(role: .appOwner, apps: ["a.b", "c.d"], groups: ["g", "h"])
    private static let some: [Rights] =
        Role.allCases.map { Rights(role: $0) } + [
            owner, Rights(role: .appOwner, apps: ["a.b"], groups: ["g"]),
            Rights(role: .appOwner, apps: ["a.b", "e.f"], groups: ["g"]),
        ]
    private static let places: [(String?, String?)] = [
        (nil, nil), ("a.b", "g"), ("a.b", "h"), ("c.d", "g"), ("e.f", "g"), ("a.b", nil), (nil, "g"),
    ]

    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    /// What may be asked for is never more than one has oneself.
    @Test(arguments: some, some)
    func noOneMakesATokenThatMayMoreThanThey(_ maker: Rights, _ wish: Rights) {
        guard maker.include(wish) else { return }
        for permission in Permission.allCases {
            for (app, group) in Self.places where wish.allow(permission, app: app, group: group) {
                #expect(maker.allow(permission, app: app, group: group), "\(permission) \(app ?? "") \(group ?? "")")
            }
        }
        for groups in [[], ["g"], ["h"]] where wish.reach(deviceIn: groups) { #expect(maker.reach(deviceIn: groups)) }
    }

    /// Whatever it was made for: at each use it may do what both may, it and its administrator as they are now.
    @Test(arguments: some, some)
    func aTokenMayDoWhatBothMay(_ maker: Rights, _ scope: Rights) {
        for (isReadOnly, administers) in [(false, false), (true, false), (false, true)] {
            let rights = scope.forToken(isReadOnly: isReadOnly, administers: administers, of: maker)
            for permission in Permission.allCases {
                let isOpen =
                    permission != .own && (permission != .administer || administers)
                    && (!isReadOnly || [.look, .lookInside, .audit].contains(permission))
                for (app, group) in Self.places {
                    let both =
                        maker.allow(permission, app: app, group: group)
                        && scope.allow(permission, app: app, group: group)
                    #expect(
                        rights.allow(permission, app: app, group: group) == (isOpen && both),
                        "\(permission) \(app ?? "") \(group ?? "")")
                }
            }
            for groups in [[], ["g"], ["h"]] {
                #expect(
                    rights.reach(deviceIn: groups)
                        == (maker.reach(deviceIn: groups) && scope.reach(deviceIn: groups)))
            }
        }
    }

    @Test func aTextHasAPrefixAndAChecksum() async throws {
        let made = try await make()
        #expect(made.text.wholeMatch(of: /martlet_[a-z2-7]{40}/) != nil && TokenText.isWhole(made.text))
        for index in made.text.indices {
            var other = made.text
            other.replaceSubrange(index...index, with: made.text[index] == "a" ? "b" : "a")
            #expect(!TokenText.isWhole(other))
        }
        #expect(!TokenText.isWhole(String(made.text.dropLast())) && !TokenText.isWhole(made.text + "a"))
        let another = try await make("another")
        #expect(another.text != made.text && another.token.id != made.token.id)
    }

    /// Nothing of the text is kept.
    @Test func onlyADigestIsKept() async throws {
        let made = try await make()
        try fixture.closeStore()
        for file in try fixture.files() { #expect(file.range(of: Data(made.text.utf8)) == nil) }
    }

    @Test func aTokenStandsForItsAdministratorUntilItsTime() async throws {
        let management = try fixture.management
        let made = try await make(Rights(role: .reader), seconds: 60)
        let session = try #require(await management.session(token: made.text))
        #expect(session.administrator == "admin/builds" && session.expires == Fixture.start + 60)
        #expect(session.rights.areOfToken)
        #expect(session.rights.allow(.look, app: nil, group: nil))
        #expect(!session.rights.allow(.manage, app: nil, group: nil))
        fixture.advance(59)
        #expect(try await management.session(token: made.text) != nil)
        fixture.advance(1)
        #expect(try await management.session(token: made.text) == nil)
    }

    @Test func aTokenShrinksAndEndsWithItsAdministrator() async throws {
        let management = try fixture.management
        _ = try await admin()
        let clara = try await person("clara", .all)
        let made = try #require(
            await management.createToken(
                named: "x", scope: TokenScope(rights: .all), validSeconds: 600, of: clara
            ).value)
        let before = try #require(await management.session(token: made.text))
        #expect(before.rights.allow(.manage, app: nil, group: nil))
        _ = try await management.setRights(of: "clara", to: Rights(role: .reader), author: "admin")
        let after = try #require(await management.session(token: made.text))
        #expect(!after.rights.allow(.manage, app: nil, group: nil) && after.rights.allow(.look, app: nil, group: nil))
        #expect(try await management.removeAdministrator(named: "clara", author: "admin") == nil)
        #expect(try await management.session(token: made.text) == nil)
    }

    /// Whoever had an administrator's session may have made tokens: a password that was reset ends those, too.
    @Test func aResetPasswordEndsTheTokens() async throws {
        let management = try fixture.management
        let made = try await make()
        _ = try await management.resetPassword(of: "admin", author: "admin")
        #expect(try await management.session(token: made.text) == nil)
    }

    @Test func aTokenIsRevokedByItsAdministratorOrByWhoManagesThem() async throws {
        let management = try fixture.management
        let session = try await admin()
        let clara = try await person("clara", Rights(role: .reader))
        let otto = try await person("otto", Rights(role: .auditor))
        let (first, second) = (try await token("one", clara), try await token("two", clara))
        #expect(try await management.revokeToken(id: first.token.id, by: otto) == .unknownToken)
        #expect(try await management.tokens(for: otto, PageRequest()).items.count == 2)
        #expect(try await management.revokeToken(id: first.token.id, by: clara) == nil)
        #expect(try await management.revokeToken(id: second.token.id, by: session) == nil)
        #expect(try await management.revokeToken(id: second.token.id, by: session) == nil, "again changes nothing")
        #expect(try await management.session(token: first.text) == nil)
        #expect(try await management.session(token: second.text) == nil)
        let log = try await management.auditEntries(AuditFilter(subject: "clara/two"), PageRequest()).items
        #expect(log.map(\.action) == ["token.revoke", "token.create"])
        #expect(log.map(\.actor) == ["administrator:admin", "administrator:clara"])
        let others = try await person("ruth", Rights(role: .reader))
        #expect(try await management.tokens(for: others, PageRequest()).items.isEmpty)
    }

    @Test func whatIsAskedForIsBounded() async throws {
        let management = try fixture.management
        let session = try await admin()
        func refusal(
            _ name: String = "n", _ scope: TokenScope = TokenScope(rights: .all), _ seconds: Int = 600
        ) async throws -> AdminRefusal? {
            try await management.createToken(named: name, scope: scope, validSeconds: seconds, of: session).refusal
        }
        for name in ["", "a/b", "a b", "ä", "a\n", String(repeating: "a", count: 65)] {
            #expect(try await refusal(name)?.kind == .invalid)
        }
        for seconds in [-1, 0, 59, APIToken.longestValidity + 1, Int.max] {
            #expect(try await refusal("n", TokenScope(rights: .all), seconds)?.kind == .invalid)
        }
        let raised = TokenScope(rights: Rights(role: .reader), administers: true)
        #expect(try await refusal("n", raised)?.kind == .invalid)
        #expect(try await refusal("n", TokenScope(rights: Rights(role: .reader, apps: ["a"])))?.kind == .invalid)
        #expect(try await refusal() == nil)
        #expect(try await refusal() == .nameTaken)
        fixture.advance(600)
        #expect(try await refusal() == nil, "the name of one that has ended is free")
        for number in 1..<APIToken.most { #expect(try await refusal("n\(number)") == nil) }
        #expect(try await refusal("one-too-many")?.kind == .invalid)
    }

    /// Its last use is seen at once, and written when the server looks after its store or stops.
    @Test func itsLastUseIsKept() async throws {
        let management = try fixture.management
        let made = try await make()
        let session = try await admin()
        #expect(try await management.tokens(for: session, PageRequest()).items.map(\.lastUsed) == [nil])
        fixture.advance(7)
        _ = try await management.session(token: made.text)
        #expect(try await management.tokens(for: session, PageRequest()).items.map(\.lastUsed) == [Fixture.start + 7])
        try await management.flush()
        try fixture.restart()
        let restarted = try fixture.management
        #expect(try await restarted.tokens(for: session, PageRequest()).items.map(\.lastUsed) == [Fixture.start + 7])
    }

    /// One that has ended stays in the list for a while.
    @Test func oneThatHasEndedIsForgottenAfterAWhile() async throws {
        let management = try fixture.management
        let made = try await make(seconds: 60)
        let session = try await admin()
        fixture.advance(60 + 90 * 86_400 - 1)
        try await management.maintain()
        #expect(try await management.tokens(for: session, PageRequest()).items.map(\.id) == [made.token.id])
        fixture.advance(3_600)
        try await management.maintain()
        #expect(try await management.tokens(for: session, PageRequest()).items.isEmpty)
    }

    // MARK: help

    /// The first administrator, whose password is theirs.
    private func admin() async throws -> Session {
        let management = try fixture.management
        _ = try await management.createFirstAdministrator()
        return Session(administrator: "admin", expires: .distantFuture, mustChangePassword: false)
    }

    private func person(_ name: String, _ rights: Rights) async throws -> Session {
        _ = try #require(await fixture.management.addAdministrator(named: name, rights: rights, author: "admin").value)
        return Session(administrator: name, expires: .distantFuture, mustChangePassword: false, rights: rights)
    }

    private func token(_ name: String, _ session: Session) async throws -> IssuedToken {
        try #require(
            await fixture.management.createToken(
                named: name, scope: TokenScope(rights: Rights(role: .reader)), validSeconds: 600, of: session
            ).value)
    }

    private func make(
        _ name: String = "builds", _ rights: Rights = .all, seconds: Int = 600
    ) async throws -> IssuedToken {
        let session = try await admin()
        return try #require(
            await fixture.management.createToken(
                named: name, scope: TokenScope(rights: rights), validSeconds: seconds, of: session
            ).value)
    }

    private func make(_ rights: Rights, seconds: Int) async throws -> IssuedToken {
        try await make("builds", rights, seconds: seconds)
    }
}
