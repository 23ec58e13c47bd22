import Foundation
import Management
import StoreSQLite
import Testing

/// Passwords at rest.
struct PasswordHashTests {
    private static let cheap = Argon2id.Cost(memoryKiB: 8, passes: 1, lanes: 1)
    /// "an old long password" as it was kept before Argon2id.
    private static let scrypt =
        "scrypt$16$1$1$MDEyMzQ1Njc4OWFiY2RlZg==$6q56mQdjRZumo8489vIg3sseFx6OnhT9KZcSezhBNWs="

    /// RFC 9106 §5.3, with its secret and its associated data.
    @Test func computesTheTagOfTheStandard() throws {
        let tag = try Argon2id.tag(
            of: Data(repeating: 1, count: 32), salt: Data(repeating: 2, count: 16),
            secret: Data(repeating: 3, count: 8), associated: Data(repeating: 4, count: 12),
            cost: Argon2id.Cost(memoryKiB: 32, passes: 3, lanes: 4))
        #expect(
            tag.map { String(format: "%02x", $0) }.joined()
                == "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659")
    }

    /// Texts that the reference implementation made.
    @Test(arguments: [
        "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc",
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
    ]) func readsWhatOthersMade(_ text: String) throws {
        #expect(try PasswordHash.matches("password", text: text))
        #expect(try !PasswordHash.matches("Password", text: text))
    }

    @Test func writesTheTextOfTheFormatAndItsCost() throws {
        let hash = try PasswordHash(of: "p", salt: Data("somesalt".utf8), cost: Self.cheap)
        #expect(hash.text.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$"))
        #expect(try PasswordHash.matches("p", text: hash.text))
        #expect(!PasswordHash.isOutdated(hash.text, cost: Self.cheap))
        #expect(PasswordHash.isOutdated(hash.text, cost: .standard))
        #expect(PasswordHash.isOutdated(Self.scrypt, cost: Self.cheap))
    }

    /// What a store was made to say must not take a gigabyte, an hour, or the process.
    @Test(arguments: [
        "", "$", "argon2id", "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ", "$argon2i$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAA",
        "$argon2id$v=16$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=4294967295,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=256,t=99999,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=7,t=1,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=256,t=2,p=-1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$t=2,m=256,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=256,t=2,p=1$c2FsdA$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$AAAA", "scrypt$16$1$1$x",
    ]) func aDamagedTextIsAnErrorAndNoWork(_ text: String) {
        #expect(throws: (any Error).self) { try PasswordHash.matches("password", text: text) }
    }

    @Test func whoHasNoPasswordCannotLogInByOne() throws {
        for password in ["", "none", PasswordHash.none] {
            #expect(try !PasswordHash.matches(password, text: PasswordHash.none))
        }
    }

    /// A password from before goes on working and is kept as Argon2id from the next time on; a wrong one changes nothing.
    @Test func anOldHashIsReplacedAtTheNextLogIn() async throws {
        let fixture = try Fixture()
        let management = try fixture.management
        _ = try await management.createFirstAdministrator()
        let made = try #require(await management.administrator(named: "admin"))
        try fixture.closeStore()
        let store = try SQLiteStore(path: fixture.databasePath)
        try await store.replacePasswordHash(of: "admin", from: "another", to: Self.scrypt)
        #expect(try await store.administrator(named: "admin")?.passwordHash == made.passwordHash)
        try await store.replacePasswordHash(of: "admin", from: made.passwordHash, to: Self.scrypt)
        try store.close()
        try fixture.reopen()
        let reopened = try fixture.management
        #expect(try await reopened.logIn(name: "admin", password: "wrong").value == nil)
        #expect(try await reopened.administrator(named: "admin")?.passwordHash == Self.scrypt)
        #expect(try await reopened.logIn(name: "admin", password: "an old long password").value != nil)
        let kept = try #require(await reopened.administrator(named: "admin")?.passwordHash)
        #expect(kept.hasPrefix("$argon2id$"))
        #expect(try await reopened.logIn(name: "admin", password: "an old long password").value != nil)
        #expect(try await reopened.administrator(named: "admin")?.passwordHash == kept)
    }
}
