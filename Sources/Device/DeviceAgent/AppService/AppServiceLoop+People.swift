import AppMessages
import CLinux
import Logging

/// People at the device who are not root: they open apps, and have signals sent to what they opened.
extension AppServiceLoop {
    /// What one person may have open at once.
    static let openPerPerson = 64
    /// What all people together may: root always finds room.
    static let openByPeople = 192

    /// Whether a command of this user is heard.
    ///
    /// People are those to whom Debian gives numbers for people. Only where each app is a user of its own: an app that is
    /// the agent's user is the agent's user's alone.
    func isHeard(_ user: UInt32) -> Bool {
        let commands = endpoints.values.compactMap { endpoint in
            if case .control(let connection) = endpoint { connection.user } else { nil }
        }
        guard commands.count < Self.controlConnections else { return false }
        if ControlConnection.isTrusted(user) { return true }
        return launcher.hasAccounts && (1_000...59_999).contains(user)
            && commands.count { $0 == user } < Self.openPerPerson
            && commands.count { !ControlConnection.isTrusted($0) } < Self.openByPeople
    }

    /// Refuses what only root may ask: everything but to open an app as it was made, and whether there is a server.
    func check(_ call: VarlinkCall, of user: UInt32) throws(VarlinkError) {
        guard !ControlConnection.isTrusted(user), call.method != ControlMessages.standing else { return }
        guard call.method == ControlMessages.open else { throw VarlinkError.permissionDenied }
        guard try call.parameters(ControlMessages.Open.self).program == nil else { throw VarlinkError.permissionDenied }
    }

    /// Sends a signal that a terminal would to what was opened over this connection; false if it is none of these.
    func signal(_ call: VarlinkCall, _ connection: ControlConnection) -> Bool {
        guard call.method == ControlMessages.signal, call.oneway,
            let number = try? call.parameters(ControlMessages.Signal.self).signal,
            ControlMessages.Signal.passed.contains(number)
        else { return false }
        if let token = connection.process, case .process(let app)? = endpoints[token] {
            clinux_process_signal(app.descriptor, number)
        }
        return true
    }
}
