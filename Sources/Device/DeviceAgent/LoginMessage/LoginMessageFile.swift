import Foundation

/// The file whose text pam_motd(8) shows after a login, beside what the system itself shows.
///
/// It lies in `/run`, since the agent may not write in `/etc`: a restart of the machine takes it away, and the agent
/// puts it back when it starts. It always changes as a whole, by one rename.
package struct LoginMessageFile: SystemEffect {
    package typealias System = LoginMessageSystem

    package static let outlivesBoot = false

    static let heldBack = EffectRefusal(
        "the settings of this device's agent do not let a server show a text after a login (loginMessages)")
    static let ofAPerson = EffectRefusal("this device belongs to a person, so its agent shows nothing after a login")

    private static let fileName = "50-martlet"
    /// In bytes: more than the file of the longest text has.
    private static let largest = 8_192

    private let directory: String?
    private let isOfAPerson: @Sendable () -> Bool
    private let steps: any FileSteps

    /// Prepares the file in `directory`; without one, and while the device is a person's, nothing is shown.
    package init(
        directory: String?, isOfAPerson: @escaping @Sendable () -> Bool = { false },
        steps: any FileSteps = DiskSteps()
    ) {
        self.directory = directory
        self.isOfAPerson = isOfAPerson
        self.steps = steps
    }

    /// Prepares the file of a device's agent.
    init(on device: Device) {
        self.init(
            directory: device.loginMessages,
            isOfAPerson: { device.known.enrollment?.isOfAPerson == true })
    }

    package func put(_ held: LoginMessageSystem.Message?) throws {
        guard let directory else {
            guard held == nil else { throw Self.heldBack }
            return
        }
        // Beside the directory: everything in it is shown.
        let (path, temporary) = (directory + "/" + Self.fileName, directory + "." + Self.fileName + ".new")
        try steps.remove(temporary)
        guard let held, !isOfAPerson() else {
            try steps.remove(path)
            guard held == nil else { throw Self.ofAPerson }
            return
        }
        try steps.makeDirectory(directory)
        guard unsafe chmod(directory, 0o755) == 0 else {
            throw FileRefusal(step: "letting everybody read the login message", number: errno)
        }
        try steps.write(Self.content(held), to: temporary)
        guard unsafe chmod(temporary, 0o644) == 0 else {
            throw FileRefusal(step: "letting everybody read the login message", number: errno)
        }
        try steps.sync(temporary)
        try steps.rename(temporary, to: path)
        try steps.sync(directory)
    }

    package func stands(_ held: LoginMessageSystem.Message?) throws -> Bool {
        guard let directory else { return held == nil }
        // The device may have enrolled anew since, for a person.
        guard held == nil || !isOfAPerson() else { return false }
        let found = try steps.read(directory + "/" + Self.fileName, limit: Self.largest)
        return found == held.map(Self.content)
    }

    private static func content(_ held: LoginMessageSystem.Message) -> Data {
        Data((held.text.hasSuffix("\n") ? held.text : held.text + "\n").utf8)
    }
}
