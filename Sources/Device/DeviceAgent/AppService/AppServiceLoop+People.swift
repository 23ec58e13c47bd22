import AppMessages
import CLinux
import Logging

/// People at the device who are not root: they open apps, and have signals sent to what they opened.
extension AppServiceLoop {
    /// How often a person's commands may connect: `martlet-agent open` does once for each app.
    static var peoplesPace: Allowance { Allowance(most: 128, perSecond: 32) }

    /// How often a person may open an app: each time two generations are written and a process begins.
    static var openingPace: Allowance { Allowance(most: 32, perSecond: 1) }

    /// Whether a user is one whose commands are heard at all: root, the agent's own user, or a person.
    ///
    /// People are those to whom Debian gives numbers for people. Only where each app is a user of its own: an app that is
    /// the agent's user is the agent's user's alone.
    func isPerson(_ user: UInt32) -> Bool {
        ControlConnection.isTrusted(user) || launcher.hasAccounts && (1_000...59_999).contains(user)
    }

    /// Refuses what only root may ask: everything but to open an app as it was made, where apps lie, and whether there is
    /// a server.
    func check(_ call: VarlinkCall, of user: UInt32) throws(VarlinkError) {
        let forAll = [ControlMessages.standing, ControlMessages.appDirectories]
        guard !ControlConnection.isTrusted(user), !forAll.contains(call.method) else { return }
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

/// The commands that are open, by user.
struct OpenCommands {
    /// Each waits for one app that a person started: a device has some hundred at most.
    private static let most = 256
    /// What one person may have open at once.
    private static let mostOfPerson = 64
    /// What all people together may: root always finds room.
    private static let mostOfPeople = 192

    private var users: [UInt32: Int] = [:]
    private var all = 0
    private var peoples = 0

    func hasRoom(for user: UInt32) -> Bool {
        guard all < Self.most else { return false }
        return ControlConnection.isTrusted(user)
            || peoples < Self.mostOfPeople && users[user, default: 0] < Self.mostOfPerson
    }

    mutating func add(_ user: UInt32) { count(user, 1) }

    mutating func remove(_ user: UInt32) { count(user, -1) }

    private mutating func count(_ user: UInt32, _ difference: Int) {
        all += difference
        if !ControlConnection.isTrusted(user) { peoples += difference }
        let own = users[user, default: 0] + difference
        users[user] = own == 0 ? nil : own
    }
}
