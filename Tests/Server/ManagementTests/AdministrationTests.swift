import Foundation
import InputBounds
import Management
import Testing

struct AdministrationTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    @Test func theFirstPasswordMustBeChanged() async throws {
        let management = try fixture.management
        let first = try #require(await management.createFirstAdministrator())
        #expect(try await management.createFirstAdministrator() == nil)
        let opened = try #require(await management.logIn(name: first.name, password: first.oneTimePassword).value)
        #expect(opened.session.mustChangePassword)
        #expect(try await management.session(token: opened.token) == opened.session)
        #expect(
            try await management.changePassword(
                token: opened.token, session: opened.session, old: first.oneTimePassword, new: "short") != nil)
        #expect(
            try await management.changePassword(
                token: opened.token, session: opened.session, old: "wrong", new: "a long new password")
                == .wrongOldPassword)
        #expect(
            try await management.changePassword(
                token: opened.token, session: opened.session, old: first.oneTimePassword, new: "a long new password")
                == nil)
        #expect(try await management.session(token: opened.token)?.mustChangePassword == false)
        #expect(try await management.logIn(name: first.name, password: first.oneTimePassword).value == nil)
        #expect(try await management.logIn(name: first.name, password: "a long new password").value != nil)
    }

    @Test func sessionsEnd() async throws {
        let management = try fixture.management
        let first = try #require(await management.createFirstAdministrator())
        let opened = try #require(await management.logIn(name: "admin", password: first.oneTimePassword).value)
        #expect(try await management.session(token: opened.token + "x") == nil)
        fixture.advance(12 * 3_600 - 1)
        #expect(try await management.session(token: opened.token) != nil)
        fixture.advance(1)
        #expect(try await management.session(token: opened.token) == nil)
        let again = try #require(await management.logIn(name: "admin", password: first.oneTimePassword).value)
        try await management.logOut(token: again.token)
        #expect(try await management.session(token: again.token) == nil)
    }

    @Test func guessingBecomesSlow() async throws {
        let management = try fixture.management
        let first = try #require(await management.createFirstAdministrator())
        for _ in 0..<5 {
            #expect(try await management.logIn(name: "admin", password: "guess").refusal == .wrongNameOrPassword)
        }
        #expect(
            try await management.logIn(name: "admin", password: first.oneTimePassword).refusal == .throttled(seconds: 1)
        )
        fixture.advance(1)
        #expect(try await management.logIn(name: "admin", password: "guess").refusal == .wrongNameOrPassword)
        #expect(
            try await management.logIn(name: "admin", password: first.oneTimePassword).refusal == .throttled(seconds: 2)
        )
        #expect(try await management.logIn(name: "other", password: "guess").refusal == .wrongNameOrPassword)
        fixture.advance(2)
        #expect(try await management.logIn(name: "admin", password: first.oneTimePassword).value != nil)
        #expect(try await management.logIn(name: "admin", password: "guess").refusal == .wrongNameOrPassword)
    }

    /// Guesses from one place at many names become slow as well; who logs in properly from there is not counted.
    @Test func guessingAtManyNamesFromOneAddressBecomesSlow() async throws {
        let management = try fixture.management
        let first = try #require(await management.createFirstAdministrator())
        for number in 0..<20 {
            let guess = try await management.logIn(name: "name\(number)", password: "guess", from: "192.0.2.1")
            #expect(guess.refusal == .wrongNameOrPassword)
            fixture.advance(1)
            if number < 10 {
                let right = try await management.logIn(
                    name: first.name, password: first.oneTimePassword, from: "192.0.2.1")
                #expect(right.value != nil)
            }
        }
        #expect(
            try await management.logIn(name: "another", password: "guess", from: "192.0.2.1").refusal
                == .wrongNameOrPassword)
        #expect(
            try await management.logIn(name: "yet-another", password: "guess", from: "192.0.2.1").refusal
                == .throttled(seconds: 2))
        #expect(
            try await management.logIn(name: first.name, password: first.oneTimePassword, from: "192.0.2.2").value
                != nil)
    }

    /// Each check takes a core and much memory: whoever comes in crowds is told to come again.
    @Test func onlyAFewPasswordsAreCheckedAtOnce() async throws {
        let management = try fixture.management
        _ = try await management.createFirstAdministrator()
        let refusals = try await withThrowingTaskGroup(of: LogInRefusal?.self) { group in
            for number in 0..<64 {
                group.addTask { try await management.logIn(name: "name\(number)", password: "guess").refusal }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(refusals.contains(.throttled(seconds: 1)))
        #expect(refusals.contains(.wrongNameOrPassword))
        #expect(try await management.logIn(name: "later", password: "guess").refusal == .wrongNameOrPassword)
    }

    /// S4-BP-01, and S4-FLOW-12: the bytes stay as they came.
    @Test func boundsAConfigurationAndKeepsItsBytes() async throws {
        let management = try fixture.management
        _ = try await management.putApp(
            App(bundleIdentifier: "com.example.app", name: "n", teamIdentifier: nil), author: "admin")
        func put(_ bytes: Data) async throws -> Outcome<StoredConfiguration, AdminRefusal> {
            try await management.putConfiguration(
                app: "com.example.app", name: "main", bytes: bytes, expected: .any, author: "admin")
        }
        func padded(to size: Int) -> Data {
            var text = String(decoding: Fixture.configuration("1"), as: UTF8.self)
            text += String(repeating: "\n", count: size - text.utf8.count)
            return Data(text.utf8)
        }
        let small = try #require(await put(padded(to: ConfigurationLimits.warningBytes)).value)
        #expect(small.warnings.isEmpty)
        let large = try #require(await put(padded(to: ConfigurationLimits.warningBytes + 1)).value)
        #expect(large.warnings.count == 1)
        let largest = padded(to: ConfigurationLimits.bytes)
        #expect(try await put(largest).value?.version.version == 3)
        #expect(try await management.configuration(app: "com.example.app", name: "main")?.bytes == largest)
        #expect(try await put(padded(to: ConfigurationLimits.bytes + 1)).refusal == .tooLarge(limit: 1_048_576))
    }

    @Test(arguments: ["", "secret", "{ old = style; }", "<plist><array/></plist>", "<plist><dict>"])
    func refusesWhatIsNoConfigurationWithoutRepeatingIt(text: String) async throws {
        let management = try fixture.management
        _ = try await management.putApp(
            App(bundleIdentifier: "com.example.app", name: "n", teamIdentifier: nil), author: "admin")
        let refusal = try #require(
            await management.putConfiguration(
                app: "com.example.app", name: "main", bytes: Data(text.utf8), expected: .any, author: "a"
            ).refusal)
        #expect(refusal.kind == .invalid)
        #expect(text.isEmpty || !refusal.reason.contains(text))
    }

    @Test(
        arguments: [
            "app", "com..app", ".com.app", "com.app.", "com.ex ample", "com.ex/ample", "com.exämple",
            "com." + String(repeating: "a", count: 152),
        ])
    func refusesABundleIdentifierThatIsNotReverseDNS(identifier: String) async throws {
        let app = App(bundleIdentifier: identifier, name: "n", teamIdentifier: nil)
        #expect(try await fixture.management.putApp(app, author: "admin").refusal?.kind == .invalid)
    }

    @Test(arguments: ["com.example", "com.example.App-1", "com." + String(repeating: "a", count: 151)])
    func acceptsReverseDNS(identifier: String) async throws {
        let app = App(bundleIdentifier: identifier, name: "n", teamIdentifier: "ABCDE12345")
        #expect(try await fixture.management.putApp(app, author: "admin").value == app)
    }

    @Test func aCodeIsExaminedWithoutBeingUsed() async throws {
        let management = try fixture.management
        _ = try await management.createGroup(named: "g", author: "admin")
        let issued = try #require(
            await management.createEnrollmentCode(EnrollmentCodeRequest(group: "g"), author: "admin").value)
        #expect(issued.text.utf8.count == 32)
        #expect(try await management.examine(code: issued.text).value?.state == .unused)
        #expect(try await management.examine(code: "none").refusal == .unknown)
        fixture.advance(3_600)
        #expect(try await management.examine(code: issued.text).refusal == .expired)
        #expect(
            try await management.redeem(code: issued.text, transactionID: "t", publicKeyDigest: Data()).refusal
                == .expired)
    }

    @Test func aCodeForNothingIsRefused() async throws {
        let management = try fixture.management
        #expect(
            try await management.createEnrollmentCode(EnrollmentCodeRequest(group: "none"), author: "a").refusal
                == .unknownGroup)
        _ = try await management.createGroup(named: "g", author: "admin")
        #expect(
            try await management.createEnrollmentCode(
                EnrollmentCodeRequest(group: "g", validSeconds: 0), author: "a"
            ).refusal?.kind == .invalid)
    }
}
