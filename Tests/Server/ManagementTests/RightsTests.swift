import Foundation
import Management
import Testing

/// What each role may do, and who may have it.
struct RightsTests {
    private static let owner = Rights(role: .appOwner, apps: ["a.b"], groups: ["g"])

    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    /// Each role has these permissions, whatever is asked about, and no other.
    @Test(arguments: [
        (Role.reader, [Permission.own, .look, .lookInside]), (.helpDesk, [.own, .look, .help]),
        (.auditor, [.own, .look, .lookInside, .audit]), (.administrator, Permission.allCases),
        (.appOwner, [.own, .look]),
    ]) func eachRoleHasItsPermissionsAndNoOther(_ role: Role, _ allowed: [Permission]) {
        let rights = Rights(role: role)
        for permission in Permission.allCases {
            #expect(rights.allow(permission, app: "a.b", group: "g") == allowed.contains(permission), "\(permission)")
        }
    }

    /// An owner of apps configures and gives away theirs, to their groups.
    @Test func anOwnerOfAppsIsHeldToTheirAppsAndGroups() {
        for permission in [Permission.lookInside, .configure] {
            #expect(Self.owner.allow(permission, app: "a.b", group: nil))
            #expect(!Self.owner.allow(permission, app: "a.c", group: nil))
            #expect(!Self.owner.allow(permission, app: nil, group: nil), "what names no app is not theirs")
        }
        #expect(Self.owner.allow(.assign, app: "a.b", group: "g"))
        for (app, group) in [("a.b", "h"), ("a.c", "g"), ("a.b", nil), (nil, "g")] as [(String?, String?)] {
            #expect(!Self.owner.allow(.assign, app: app, group: group))
        }
        for permission in [Permission.help, .manage, .administer, .audit] {
            #expect(!Self.owner.allow(permission, app: "a.b", group: "g"))
        }
    }

    @Test func onlyAnOwnerOfAppsIsLimitedToSome() async throws {
        let management = try fixture.management
        for rights in [
            Rights(role: .reader, apps: ["a.b"]), Rights(role: .administrator, groups: ["g"]),
            Rights(role: .appOwner, apps: ["a.b", "a.b"]), Rights(role: .appOwner, groups: [""]),
            Rights(role: .appOwner, apps: (0...100).map { "a.b\($0)" }),
        ] {
            let refusal = try await management.addAdministrator(named: "x", rights: rights, author: "a").refusal
            #expect(refusal?.kind == .invalid, "\(rights)")
        }
    }

    @Test(arguments: ["", " ", "a b", "a/b", "ä", "a\n", String(repeating: "a", count: 129)])
    func aNameIsOneThatCanBeTyped(_ name: String) async throws {
        let refusal = try await fixture.management.addAdministrator(named: name, rights: .all, author: "a").refusal
        #expect(refusal?.kind == .invalid)
    }

    /// The one-time password opens a session in which nothing but another password is allowed.
    @Test func whoIsAddedBeginsWithAPasswordThatMustBeChanged() async throws {
        let management = try fixture.management
        let made = try #require(
            await management.addAdministrator(named: "anna@example.com", rights: Self.owner, author: "admin").value)
        let opened = try #require(
            await management.logIn(name: "anna@example.com", password: made.oneTimePassword).value)
        #expect(opened.session.mustChangePassword && opened.session.rights == Self.owner)
        let again = try #require(await management.resetPassword(of: "anna@example.com", author: "admin").value)
        #expect(try await management.session(token: opened.token) == nil)
        #expect(again.oneTimePassword != made.oneTimePassword)
        #expect(try await management.logIn(name: "anna@example.com", password: made.oneTimePassword).value == nil)
    }

    /// A password that lies unused in a mailbox opens nothing after a week; another one does.
    @Test func aOneTimePasswordThatNobodyUsesEnds() async throws {
        let management = try fixture.management
        let first = try #require(await management.createFirstAdministrator())
        let made = try #require(await management.addAdministrator(named: "ben", rights: .all, author: "admin").value)
        #expect(made.administrator.passwordEnds == Fixture.start + Administrator.oneTimePasswordSeconds)
        fixture.advance(Administrator.oneTimePasswordSeconds - 1)
        #expect(try await management.logIn(name: "ben", password: made.oneTimePassword).value != nil)
        fixture.advance(1)
        #expect(try await management.logIn(name: "ben", password: made.oneTimePassword).value == nil)
        #expect(try await management.logIn(name: first.name, password: first.oneTimePassword).value == nil)
        let waiting = try await management.administratorWithUnusedPassword()
        #expect(waiting?.passwordHasEnded(at: first.passwordEnds) == true)
        fixture.advance(60)
        let again = try #require(await management.resetPassword(of: "ben", author: "admin").value)
        let opened = try #require(await management.logIn(name: "ben", password: again.oneTimePassword).value)
        let refusal = try await management.changePassword(
            token: opened.token, session: opened.session, old: again.oneTimePassword, new: "a password of one's own")
        #expect(refusal == nil)
        fixture.advance(10 * Administrator.oneTimePasswordSeconds)
        #expect(try await management.logIn(name: "ben", password: "a password of one's own").value != nil)
    }

    /// An owner of apps has to do with the devices of their groups alone; for others devices are no bound.
    @Test func anOwnerOfAppsReachesTheDevicesOfTheirGroups() {
        let owner = Rights(role: .appOwner, apps: ["a.b"], groups: ["g", "h"])
        #expect(owner.reach(deviceIn: ["f", "h"]))
        #expect(!owner.reach(deviceIn: ["f"]) && !owner.reach(deviceIn: []))
        #expect(Rights.all.reach(deviceIn: []))
    }
}
