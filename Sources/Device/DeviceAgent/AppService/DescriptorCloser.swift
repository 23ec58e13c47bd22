import CLinux
import Foundation
import Synchronization

/// Closes what other processes made, away from the thread that serves the apps.
///
/// `close` can wait: for a socket that lingers, for one that lies unread in a connection, for a file of a file system whose
/// server is a program. The first two end after a millisecond. The third ends when that program likes, so that descriptors
/// that a user's processes have sent wait for one another alone, and only so many of them wait.
final class DescriptorCloser: Sendable {
    /// How many connections wait to be closed before no new ones are taken.
    static let mostConnections = 4_096
    /// How many descriptors of one user wait to be closed before no new connection of that user is taken.
    static let mostOfUser = 512
    /// How many users' descriptors are closed on threads of their own; further users' wait for one another.
    static let mostUsers = 32

    private struct Lane {
        let queue: DispatchQueue
        var count = 0
    }

    private struct State {
        var connections = 0
        var users: [UInt32: Lane] = [:]
    }

    private let state = Mutex(State())
    private let connections = DispatchQueue(label: "closed connections")
    private let furtherUsers = DispatchQueue(label: "further users' descriptors")

    /// Whether another connection may be taken: it has to be closed as well.
    var hasRoom: Bool { state.withLock { $0.connections < Self.mostConnections } }

    /// Whether what a user's processes have sent is closed as fast as it comes.
    func keepsUp(with user: UInt32) -> Bool {
        state.withLock { $0.users[user].map { $0.count < Self.mostOfUser } ?? true }
    }

    /// Closes a connection, with all that was left unread in it.
    func close(_ connection: Int32) {
        state.withLock { $0.connections += 1 }
        connections.async { [self] in
            Self.close([connection])
            state.withLock { $0.connections -= 1 }
        }
    }

    /// Closes descriptors that a user's process has sent.
    func close(_ descriptors: [Int32], from user: UInt32) {
        guard !descriptors.isEmpty else { return }
        let queue = state.withLock { state in
            var lane =
                state.users[user]
                ?? Lane(
                    queue: state.users.count < Self.mostUsers
                        ? DispatchQueue(label: "a user's descriptors") : furtherUsers)
            lane.count += descriptors.count
            state.users[user] = lane
            return lane.queue
        }
        queue.async { [self] in
            Self.close(descriptors)
            state.withLock { state in
                state.users[user]?.count -= descriptors.count
                if state.users[user]?.count == 0 { state.users[user] = nil }
            }
        }
    }

    private static func close(_ descriptors: [Int32]) {
        unsafe descriptors.withUnsafeBufferPointer { buffer in
            if let start = buffer.baseAddress { unsafe clinux_close_at_once(start, Int32(buffer.count)) }
        }
    }
}
