import AppMessages
import Foundation

/// What a command at this device and the agent say to each other: the interface `dev.martlet.Control`.
///
/// `Open` comes with three descriptors and answers twice: when the app runs, and when it has ended.
package enum ControlMessages {
    static let open = "dev.martlet.Control.Open"

    /// A signal for the app that was opened over the same connection; nothing is answered.
    static let signal = "dev.martlet.Control.Signal"

    /// No app of this identifier lies in the app directories.
    static let noSuchApp = VarlinkError(control: "NoSuchApp")

    /// The app is there, and the user that it has for itself cannot come to it.
    static let outOfReach = VarlinkError(control: "OutOfReach")

    /// The program is not one of the app's.
    static let notItsProgram = VarlinkError(control: "NotItsProgram")

    /// The app is there, and its files are not those that its team signed.
    static let tampered = VarlinkError(control: "Tampered")

    /// Whether the device is enrolled; anybody who may ask anything may ask that.
    static let standing = "dev.martlet.Control.Standing"

    struct Standing: Codable {
        let isEnrolled: Bool
    }

    static let contact = "dev.martlet.Control.Contact"

    /// Since when the server gives no answer, and why; no member while it answers.
    struct Contact: Codable {
        let server: String?
        /// In whole seconds since 1970.
        let since: Int?
        let reason: String?

        init(_ absence: ServerContact.Absence?) {
            server = absence?.server
            since = absence.map { Int($0.since.timeIntervalSince1970) }
            reason = absence?.reason
        }

        var absence: ServerContact.Absence? {
            guard let server, let since, let reason else { return nil }
            return ServerContact.Absence(
                server: server, since: Date(timeIntervalSince1970: TimeInterval(since)), reason: reason)
        }
    }

    static let refusals = "dev.martlet.Control.Refusals"

    /// How often the agent refused something at its sockets, or a package, since it began, by reason; each reason is there.
    struct Refusals: Codable {
        let counts: [String: Int]

        init(_ counts: [AppRefusal: Int]) {
            // Keys: ours.
            self.counts = Dictionary(
                uniqueKeysWithValues: AppRefusal.allCases.map { ($0.rawValue, counts[$0] ?? 0) })
        }
    }

    /// This person has opened apps too often in a short time.
    static let tooOften = VarlinkError(control: "TooOften")

    /// The device is being set up.
    static let inSetup = VarlinkError(control: "InSetup")

    /// The app is to reach nothing but itself, and this device cannot keep it to that.
    static let notIsolated = VarlinkError(control: "NotIsolated")

    /// The app is to have no network, and this agent gives it no user of its own.
    static let notOffline = VarlinkError(control: "NotOffline")

    /// The app is there but cannot be started; the agent's log says why.
    static let cannotOpen = VarlinkError(control: "CannotOpen")

    /// Which app, and with what.
    struct Open: Codable, Sendable {
        let bundleIdentifier: String
        let arguments: [String]
        let environment: [String: String]
        /// Whether it reads its configuration from files; absent means what its `Info.plist` says.
        var files: Bool?
        /// Another of its programs than the one that its `Info.plist` names; it gets the configuration in variables, and
        /// files.
        var program: String?
        /// What those variables' names begin with.
        var prefix: String?
    }

    /// What a terminal would say to a program that it started itself.
    struct Signal: Codable {
        let signal: Int32

        static let passed: Set<Int32> = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH, SIGSTOP, SIGCONT]
    }

    /// The app runs.
    struct Opened: Codable {
        let process: Int32
    }

    /// The app has ended: its exit status, or the signal that ended it; no status when nobody knows.
    struct Ended: Codable {
        let status: Int32?
        let signal: Int32
    }

    /// Either answer, as the command reads it.
    struct Answer: Codable {
        let process: Int32?
        let status: Int32?
        let signal: Int32?
    }
}
