import CLinux
import Foundation
import Logging

/// Turns: what one app asks for without end costs that app time, and the others none.
///
/// In each round of the loop an app has a few calls answered, over all of its connections on both sockets; what more it
/// asks waits for the next round, in which everybody else comes first. An app that goes on for very long is slowed down.
extension AppServiceLoop {
    static let callsPerTurn = 8
    static let acceptedPerTurn = 16

    /// How often a user's processes may connect; after a restart of the agent all apps of a user do at once.
    static var pace: Allowance { Allowance(most: 1_024, perSecond: 256) }
    static var strangersPace: Allowance { Allowance(most: 64, perSecond: 16) }
    // More users than this do not connect in the time in which all they may do has come back.
    private static let mostUsers = 1_024

    var now: UInt64 { context.uptime() }

    /// Whether a connection's next call is answered now; if not it is come back to.
    func hasTurn(_ connection: AppConnection, _ token: UInt64) -> Bool {
        let process = connection.process
        if process.answered.turn != turn { process.answered = (turn, 0) }
        guard process.answered.calls < Self.callsPerTurn else {
            connection.isDeferred = true
            deferred.append(token)
            return false
        }
        guard process.calls.take(at: now) else {
            connection.isDeferred = true
            alarms[token] = process.calls.next(after: now)
            watch(&connection.socket, for: [], token)
            return false
        }
        process.answered.calls += 1
        return true
    }

    /// How long the loop may wait.
    func patience() -> Int32 {
        guard deferred.isEmpty else { return 0 }
        guard let next = (Array(alarms.values) + trials.map(\.deadline) + [doorsOpen].compactMap { $0 }).min() else {
            return -1
        }
        let now = now
        return next <= now ? 0 : Int32(clamping: (next - now) / 1_000_000 + 1)
    }

    /// Goes on with those who had no turn, and with what has become due.
    func takeTurns() {
        openDoors()
        if !deferred.isEmpty {
            let waiting = deferred
            deferred = []
            turn += 1
            for token in waiting { goOn(token) }
        }
        if !trials.isEmpty { endLateTrials() }
        guard !alarms.isEmpty else { return }
        let now = now
        for (token, time) in alarms where time <= now {
            alarms[token] = nil
            guard case .app(let connection)? = endpoints[token] else { continue }
            if case .requests(let request?) = connection.use {
                endWait(request, connection, token)
            } else if connection.challenge != nil {
                refuse(.challenge, "an app not launched here did not answer", connection.process)
                drop(token)
            } else {
                goOn(token)
            }
        }
    }

    private func goOn(_ token: UInt64) {
        guard case .app(let connection)? = endpoints[token] else { return }
        connection.isDeferred = false
        guard connection.isAlive else { return changed(connection, token) }
        guard connection.isFree, answer(connection, token), !connection.isDeferred, connection.isFree else { return }
        watch(&connection.socket, for: .readable, token)
    }

    /// Whether a user's process may try once more.
    func mayTry(_ user: UInt32, _ tries: inout [UInt32: Allowance], _ all: Allowance) -> Bool {
        let now = now
        if tries.count >= Self.mostUsers {
            tries = tries.filter { _, allowance in
                var allowance = allowance
                return !allowance.isWhole(at: now)
            }
        }
        return tries[user, default: all].take(at: now)
    }
}
