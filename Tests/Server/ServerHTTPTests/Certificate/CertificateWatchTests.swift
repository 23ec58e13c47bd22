import CertificateAuthority
import Foundation
import ServerHTTP
import Synchronization
import TestLog
import Testing

/// The server's certificate while the server runs: renewed, replaced, and said when it ends.
struct CertificateWatchTests {
    private static let day: TimeInterval = 86_400

    /// Red where only a start or a SIGHUP looked: a server that ran for a year showed a certificate that had ended.
    @Test func whatTheServerIssuedItIssuesAnewBeforeItsEnd() async throws {
        let authority = try SharedAuthority.authority()
        let kept = Kept(try OwnCertificate.text(for: ["localhost"], of: authority, now: Date()))
        let first = try #require(OwnCertificate(parsing: kept.text.withLock { $0 })).loaded
        let played = try Played(first) { now in
            if let own = OwnCertificate(parsing: kept.text.withLock { $0 }),
                own.serves(["localhost"], of: authority, now: now)
            {
                return own.loaded
            }
            let text = try OwnCertificate.text(for: ["localhost"], of: authority, now: now)
            kept.text.withLock { $0 = text }
            guard let issued = OwnCertificate(parsing: text) else { throw UnusableCertificate(rule: "not its own") }
            return issued.loaded
        }
        await played.look(at: first.end - 31 * Self.day)
        #expect(played.shown.end == first.end)
        #expect(played.log.all == [], "nothing is said while nothing happens")
        await played.look(at: first.end - 29 * Self.day)
        let end = try #require(played.shown.end)
        #expect(end > first.end + 300 * Self.day)
        #expect(played.log.say("notice", "was replaced"))
        #expect(!played.log.say("ends soon"), "one that was renewed in time is no news")
    }

    /// Red where nothing but the health page knew the end.
    @Test func theEndIsSaid30And7And1DaysBeforeAndWhenItHasPassedEachOnce() async throws {
        let first = try Self.certificate()
        let played = try Played(first)
        let looks: [(days: Double, level: String, said: Int)] = [
            (29, "notice", 30), (6, "warning", 7), (0.5, "warning", 1), (-1, "warning", 0),
        ]
        await played.look(at: first.end - 31 * Self.day)
        #expect(played.log.all == [])
        for (index, look) in looks.enumerated() {
            for _ in 0..<3 { await played.look(at: first.end - look.days * Self.day) }
            #expect(played.log.all.count == index + 1, "\(played.log.all)")
            let line = try #require(played.log.all.last)
            #expect(line.hasPrefix(look.level) && line.contains("days=\(look.said) "), "\(line)")
            #expect(line.contains("remedy=what to do"), "\(line)")
        }
    }

    /// Red where a pair that is replaced file by file was said at each look, or not looked at again.
    @Test func aHalfWrittenPairIsSaidOnceAndTakenOverWhenItIsWhole() async throws {
        let first = try Self.certificate()
        let next = try Self.certificate(Date() + 10 * Self.day)
        let played = try Played(first)
        let refusal = UnusableCertificate(rule: "the key does not belong")
        played.state.next.withLock { $0 = .failure(refusal) }
        for _ in 0..<3 { await played.look(at: Date()) }
        #expect(
            played.log.all.count == 1 && played.log.say("error", "the one of before stays", "the key does not belong"))
        #expect(played.shown.end == first.end)
        played.state.next.withLock { $0 = .success(next) }
        await played.look(at: Date() + 11 * Self.day)
        #expect(played.shown.end == next.end)
        #expect(played.log.say("notice", "was replaced"))
        played.state.next.withLock { $0 = .failure(refusal) }
        await played.look(at: Date() + 11 * Self.day)
        #expect(played.log.all.count == 3, "what goes wrong later is said again: \(played.log.all)")
    }

    /// Red where it was taken over without a word, and each client refused it.
    @Test func aCertificateThatIsNotValidYetIsSaidOnceWithItsDate() async throws {
        let next = try Self.certificate(Date() + 10 * Self.day)
        let played = try Played(next)
        for _ in 0..<3 { await played.look(at: Date()) }
        #expect(played.log.all.count == 1, "\(played.log.all)")
        let date = next.begin.formatted(.iso8601)
        #expect(played.log.say("warning", "is not valid yet", "from=\(date)", "remedy=what to do"))
        await played.look(at: Date() + 11 * Self.day)
        #expect(played.log.all.count == 1, "by then it is valid")
    }

    /// Red where a reload that was refused went back to the source of before.
    @Test func aSourceThatHasNothingYetIsLookedAtUntilItHas() async throws {
        let first = try Self.certificate()
        let played = try Played(first)
        let other = State(first)
        other.next.withLock { $0 = .failure(UnusableCertificate(rule: "not there")) }
        await #expect(throws: UnusableCertificate(rule: "not there")) { try await played.watch.use(other.source) }
        await played.look(at: Date())
        #expect(played.log.all == [], "whoever asked for it has heard it")
        let next = try Self.certificate(Date() + 10 * Self.day)
        other.next.withLock { $0 = .success(next) }
        await played.look(at: Date())
        #expect(played.shown.end == next.end)
    }

    // MARK: help

    private static func certificate(_ now: Date = Date()) throws -> LoadedCertificate {
        let text = try OwnCertificate.text(for: ["localhost"], of: SharedAuthority.authority(), now: now)
        return try #require(OwnCertificate(parsing: text)).loaded
    }

    private final class Kept: Sendable {
        let text: Mutex<String>

        init(_ text: String) { self.text = Mutex(text) }
    }

    /// What the source has, and what time it is.
    private final class State: Sendable {
        let now = Mutex(Date())
        let next: Mutex<Result<LoadedCertificate, UnusableCertificate>>

        init(_ first: LoadedCertificate) { next = Mutex(.success(first)) }

        var source: CertificateSource {
            CertificateSource(remedy: "what to do") { [self] _ in try next.withLock { $0 }.get() }
        }
    }

    private struct Played {
        let state: State
        let log = LogLines()
        let shown: ShownCertificate
        let watch: CertificateWatch

        init(_ first: LoadedCertificate, load: (@Sendable (Date) throws -> LoadedCertificate)? = nil) throws {
            let state = State(first)
            self.state = state
            shown = try ShownCertificate(chain: first.chain, key: first.key, limits: ServerLimits())
            let source = load.map { CertificateSource(remedy: "what to do", load: $0) } ?? state.source
            watch = CertificateWatch(
                source, shown: shown, first: first, logger: log.logger(), now: { state.now.withLock { $0 } })
        }

        func look(at moment: Date) async {
            state.now.withLock { $0 = moment }
            await watch.look()
        }
    }
}
