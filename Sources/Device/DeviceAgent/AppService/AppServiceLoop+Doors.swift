import CLinux
import Foundation
import Logging

/// The three sockets at which the service is reached: what connects there is bounded by the same rules.
extension AppServiceLoop {
    /// What is spoken at a socket.
    enum Door {
        case calls, requests, commands

        var use: AppConnection.Use? {
            switch self {
            case .calls: .calls
            case .requests: .requests(waiting: nil)
            case .commands: nil
            }
        }
    }

    /// How long nobody is taken in while connections wait to be closed.
    private static let closingTime: UInt64 = 10_000_000

    /// Takes in a few of those who connect: who connects without end does not keep the others waiting.
    func accept(at door: Door) {
        let listener =
            switch door {
            case .calls: appListener.descriptor
            case .requests: requestListener.descriptor
            case .commands: controlListener.descriptor
            }
        for _ in 0..<Self.acceptedPerTurn {
            guard context.closer.hasRoom else { return shutDoors() }
            let descriptor = clinux_accept(listener)
            guard descriptor >= 0 else { return }
            // Commands have bounds of their own, so that root's are heard also while apps hold all connections.
            guard door == .commands || endpoints.count + judging < room else {
                turnAway(descriptor, nil, .crowded, "all apps together have too many connections", speaking: nil)
                continue
            }
            var peer = clinux_peer()
            guard unsafe clinux_peer(descriptor, &peer) == 0 else {
                turnAway(
                    descriptor, nil, .stranger, "a process that the agent cannot identify was refused",
                    speaking: door.use)
                continue
            }
            guard context.closer.keepsUp(with: peer.uid) else {
                turnAway(descriptor, peer, .crowded, "a user's processes have sent too many descriptors", speaking: nil)
                continue
            }
            if let use = door.use { greetApp(descriptor, peer, speaking: use) } else { greetPerson(descriptor, peer) }
        }
    }

    private func greetApp(_ descriptor: Int32, _ peer: clinux_peer, speaking use: AppConnection.Use) {
        guard let (process, isMember) = recognize(peer) else {
            return greet(descriptor, peer, speaking: use)
        }
        guard mayTry(peer.uid, &knocks, Self.pace) else {
            return turnAway(descriptor, peer, .hasty, "an app connects too often", speaking: nil)
        }
        if !isMember { close(peer.pidfd) }
        connect(
            descriptor, of: process, member: isMember ? (peer.pid, peer.pidfd) : nil,
            isByNumber: peer.by_number != 0, speaking: use)
    }

    private func greetPerson(_ descriptor: Int32, _ peer: clinux_peer) {
        let user = peer.uid
        let pace = ControlConnection.isTrusted(user) ? Self.pace : Self.peoplesPace
        guard mayTry(user, &commandKnocks, pace) else {
            return turnAway(descriptor, peer, .hasty, "a user's commands come too often", speaking: nil)
        }
        guard isPerson(user) else {
            return turnAway(
                descriptor, peer, .stranger, "a command was refused: its user is not a person", speaking: nil)
        }
        guard commands.hasRoom(for: user) else {
            return turnAway(descriptor, peer, .crowded, "too many commands are open", speaking: nil)
        }
        close(peer.pidfd)
        let token = issueToken()
        let connection = ControlConnection(descriptor: descriptor, user: user, closer: context.closer)
        guard (try? poll.add(descriptor, token)) != nil else { return }
        commands.add(user)
        endpoints[token] = .control(connection)
    }

    /// Takes in nobody until connections that wait to be closed have been.
    private func shutDoors() {
        guard doorsOpen == nil else { return }
        doorsOpen = now + Self.closingTime
        watchDoors(false)
    }

    /// Takes in those who connect again, once it is time for that.
    func openDoors() {
        guard let time = doorsOpen, time <= now else { return }
        doorsOpen = nil
        watchDoors(true)
    }

    private func watchDoors(_ isOpen: Bool) {
        for (listener, token) in [
            (appListener.descriptor, Token.apps), (controlListener.descriptor, Token.control),
            (requestListener.descriptor, Token.requests),
        ] {
            poll.change(listener, token, reading: isOpen, writing: false)
        }
    }
}
