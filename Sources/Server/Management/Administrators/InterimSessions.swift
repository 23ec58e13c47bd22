import Foundation
import Synchronization

/// Sessions of people who signed in while the disk of the store was full: who is to make room can look and sign in.
///
/// They are in memory alone, few, and end after an hour or with the process. The store takes each as soon as it takes
/// anything: then its beginning stands in the audit log, and it is a session like all others.
final class InterimSessions: Sendable {
    /// One of them; `passwordHash` is what the person signed in by: with another password it is over.
    struct Interim: Sendable, Equatable {
        let administrator: String
        let passwordHash: String
        let expires: Date
    }

    /// In seconds.
    static let longest: TimeInterval = 3_600
    static let mostOfOne = 4
    static let most = 32
    /// How long after one attempt the store is asked again to take a session, in seconds of the process's clock.
    private static let pause: TimeInterval = 60

    private struct Kept {
        let session: Interim
        let order: Int
        var tried: TimeInterval
    }

    private struct State {
        var kept: [Data: Kept] = [:]
        var opened = 0
    }

    private let state = Mutex(State())

    /// Keeps one; what is over goes, and so do the oldest beyond what is kept of one person and in all.
    func open(_ session: Interim, digest: Data, now: Date, uptime: TimeInterval) {
        state.withLock { state in
            state.opened += 1
            state.kept = state.kept.filter { $0.value.session.expires > now }
            state.kept[digest] = Kept(session: session, order: state.opened, tried: uptime)
            Self.drop(from: &state, beyond: Self.mostOfOne) { $0.session.administrator == session.administrator }
            Self.drop(from: &state, beyond: Self.most) { _ in true }
        }
    }

    private static func drop(from state: inout State, beyond most: Int, where isMeant: (Kept) -> Bool) {
        let oldest = state.kept.filter { isMeant($0.value) }.sorted { $0.value.order < $1.value.order }
        for one in oldest.dropLast(most) { state.kept[one.key] = nil }
    }

    func session(_ digest: Data, now: Date) -> Interim? {
        state.withLock { state in
            guard let session = state.kept[digest]?.session, session.expires > now,
                // The clock was ahead when it was opened.
                session.expires <= now + Self.longest + Session.clockTolerance
            else { return nil }
            return session
        }
    }

    /// Whether it is time to ask the store to take the session; true for one of several concurrent callers.
    func isDue(_ digest: Data, uptime: TimeInterval) -> Bool {
        state.withLock { state in
            guard let tried = state.kept[digest]?.tried, uptime - tried >= Self.pause else { return false }
            state.kept[digest]?.tried = uptime
            return true
        }
    }

    /// Ends one; answers whether there was one.
    @discardableResult
    func close(_ digest: Data) -> Bool { state.withLock { $0.kept.removeValue(forKey: digest) != nil } }

    /// Ends every one of a person but one.
    func close(of administrator: String, keeping digest: Data) {
        state.withLock { state in
            state.kept = state.kept.filter { $0.value.session.administrator != administrator || $0.key == digest }
        }
    }
}

extension Management {
    /// Opens a session of somebody who has shown their password; where the disk of the store is full it is kept in
    /// memory, for an hour at most.
    ///
    /// Administrators who sign in at a provider get none: only the store knows when their rights there ended.
    func openSession(ofKnown administrator: Administrator) async throws -> OpenedSession {
        do {
            return try await openSession(of: administrator)
        } catch let refusal as StoreDiskRefusal where refusal.cause == .full {
            let token = Base32.text(random(32))
            let seconds = min(settings.sessionSeconds, InterimSessions.longest)
            let kept = InterimSessions.Interim(
                administrator: administrator.name, passwordHash: administrator.passwordHash,
                expires: moment.addingTimeInterval(seconds))
            interimSessions.open(kept, digest: Self.digest(token), now: now(), uptime: uptime())
            return OpenedSession(token: token, session: Session(kept, of: administrator), isInterim: true)
        }
    }

    /// A session that is kept in memory, with what its administrator may do now; it has ended where they are gone, or
    /// have another password.
    func interimSession(tokenDigest digest: Data) async throws -> Session? {
        guard let kept = interimSessions.session(digest, now: now()) else { return nil }
        guard let administrator = try await store.administrator(named: kept.administrator),
            administrator.passwordHash == kept.passwordHash
        else {
            interimSessions.close(digest)
            return nil
        }
        let session = Session(kept, of: administrator)
        if interimSessions.isDue(digest, uptime: uptime()) { try await handOver(session, tokenDigest: digest) }
        return session
    }

    /// Has the store take a session that it did not take before, if it takes anything by now.
    private func handOver(_ session: Session, tokenDigest digest: Data) async throws {
        do {
            try await store.openSession(session, tokenDigest: digest, limit: Self.sessionLimit, now: moment)
        } catch is StoreDiskRefusal {
            return
        }
        if !interimSessions.close(digest) {
            // The administrator signed out meanwhile: close the session in the store, too.
            try await store.closeSession(tokenDigest: digest, now: moment)
        }
    }
}

extension Session {
    fileprivate init(_ kept: InterimSessions.Interim, of administrator: Administrator) {
        self.init(
            administrator: administrator.name, expires: kept.expires,
            mustChangePassword: administrator.mustChangePassword, rights: administrator.rights)
    }
}
