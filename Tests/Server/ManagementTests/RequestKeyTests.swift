import Crypto
import Foundation
import Synchronization
import Testing

@testable import Management

/// What is kept of a request that may be sent again opens nothing to who finds it.
struct RequestKeyTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    @Test func aKeptAnswerIsInNoFileAndOpensWithItsKeyAlone() async throws {
        let management = try fixture.management
        let key = try #require(RequestKey("2f1b5a7e-key-of-the-request", of: "anna"))
        let answer = Data("the one-time password in an answer".utf8)
        guard case .first = try await management.begin(key, fingerprint: Data([1])) else {
            Issue.record("it is not begun")
            return
        }
        try await management.keep(answer, to: key)
        #expect(try await management.begin(key, fingerprint: Data([1])) == .repeated(answer))
        for file in try fixture.files() {
            #expect(file.range(of: answer) == nil)
            #expect(file.range(of: Data("key-of-the-request".utf8)) == nil)
        }
        try fixture.restart()
        #expect(try await fixture.management.begin(key, fingerprint: Data([1])) == .repeated(answer))
    }

    /// With another master key what was kept is as good as lost, and what was done is not done again.
    @Test func withoutItsMasterKeyAnAnswerIsLost() async throws {
        let key = try #require(RequestKey("k", of: "anna"))
        _ = try await fixture.management.begin(key, fingerprint: Data([1]))
        try await fixture.management.keep(Data("answer".utf8), to: key)
        fixture.surroundings.keys.withLock { $0 = MasterKeys.newKeyText() }
        try fixture.restart()
        #expect(try await fixture.management.begin(key, fingerprint: Data([1])) == .unanswered)
    }

    /// The master key and all that is kept open nothing: the key that the program made is kept nowhere.
    @Test func whoHasTheStoreAndTheMasterKeyHasNoAnswer() throws {
        let keys = try MasterKeys(parsing: MasterKeys.newKeyText())
        let key = try #require(RequestKey("2f1b5a7e", of: "anna"))
        let answer = Data("answer".utf8)
        let sealed = try keys.seal(answer, to: key)
        #expect(keys.open(sealed, to: key) == answer)
        #expect(keys.open(sealed, to: try #require(RequestKey("2f1b5a7e", of: "ben"))) == nil)
        #expect(keys.open(sealed, to: try #require(RequestKey("2f1b5a7f", of: "anna"))) == nil)
        let master = keys.current.key
        let kept = [Data(), key.digest, key.fingerprint(of: []), Data("anna".utf8)]
        let tried =
            [master]
            + kept.map {
                HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: master, salt: $0, info: Data("martlet answer".utf8), outputByteCount: 32)
            }
        let box = try AES.GCM.SealedBox(combined: sealed.sealed)
        for one in tried {
            #expect(throws: (any Error).self) { try AES.GCM.open(box, using: one, authenticating: key.digest) }
        }
    }

    @Test func eachPartAndEachPrincipalMakesAnother() throws {
        let (one, other) = (try #require(RequestKey("k", of: "a")), try #require(RequestKey("k", of: "ab")))
        #expect(one.digest != other.digest)
        #expect(RequestKey("bk", of: "a")?.digest != other.digest)
        let parts = [Data("a".utf8), Data("bc".utf8)]
        #expect(one.fingerprint(of: parts) == one.fingerprint(of: parts))
        #expect(one.fingerprint(of: parts) != one.fingerprint(of: [Data("ab".utf8), Data("c".utf8)]))
        #expect(one.fingerprint(of: parts) != RequestKey("l", of: "a")?.fingerprint(of: parts))
    }
}
