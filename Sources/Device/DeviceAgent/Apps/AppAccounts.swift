package import DeviceMessages
import Foundation
import Synchronization

/// As which users apps run.
package enum AppUsers: String, Sendable {
    /// Each as a user of its own: the kernel keeps them apart. Only root can have it so.
    case own
    /// All as the agent's user, for development: whatever else runs as that user may read what they have.
    case shared

    /// How sure it then is that what was launched is the app.
    package var trust: AppTrust { self == .own ? .launched : .shared }
}

/// Whom an app runs as: a user and a group of its own, at home in a directory of its own.
struct AppAccount: Hashable, Sendable {
    /// The user, and the group of the same number.
    let user: UInt32
    let home: String
    /// Nothing where the kernel has no version 2 cgroups.
    let cgroup: AppCgroups.Group?
}

/// Gives each app a user of its own for each person who opens it.
///
/// A number that was given is never given to another app: files outlive apps, and belong to numbers.
package final class AppAccounts: Sendable {
    /// Above all that Linux distributions, systemd and containers have shared out among themselves.
    package static let usualFirst: UInt32 = 1_900_000_000
    /// How many there are.
    package static let most: UInt32 = 65_536

    // Far above what 65,536 names of 255 bytes take.
    private static let longestFile = 32 * 1_048_576

    /// Which apps are isolated.
    let isolation: AppIsolation
    private let directory: String
    private let first: UInt32
    private let steps: any FileSteps
    private let cgroups: AppCgroups?
    private let numbers: Mutex<[String: UInt32]>

    /// Keeps accounts in `directory`, which apps' users have to be able to pass through.
    package init(
        directory: String, first: UInt32 = usualFirst, isolation: AppIsolation = .asked,
        steps: any FileSteps = DiskSteps()
    ) throws {
        self.isolation = isolation
        self.directory = directory
        self.first = first
        self.steps = steps
        cgroups = AppCgroups()
        let known = try steps.read(directory + "/app-users.json", limit: Self.longestFile)
        numbers = Mutex(try known.map { try JSONDecoder().decode([String: UInt32].self, from: $0) } ?? [:])
        try makePassable(directory + "/app-homes")
    }

    /// The account of an app or extension for the person who opens it; it is on the disk before it is used.
    func account(of bundle: AppBundle, openedBy opener: UInt32) throws -> AppAccount {
        let name = Self.name(of: bundle, openedBy: opener)
        let user = first + (try number(of: name))
        let home = directory + "/app-homes/" + name
        try steps.makeDirectory(home)
        guard unsafe chown(home, user, user) == 0 else { throw FileRefusal(step: "giving the home", number: errno) }
        return AppAccount(user: user, home: home, cgroup: try cgroups?.group(name))
    }

    /// An extension's name begins with its app's: it goes when that goes.
    private static func name(of bundle: AppBundle, openedBy opener: UInt32) -> String {
        guard let app = bundle.role?.app else { return "\(bundle.identifier)+\(opener)" }
        return "\(app)+\(opener)+\(bundle.identifier.dropFirst(app.utf8.count + 1))"
    }

    /// Ends every process of an app and forgets what it kept; its users' numbers stay its own.
    ///
    /// Returns once nothing of it runs.
    func end(_ bundle: String) throws {
        try cgroups?.end(bundle + "+")
        let homes = directory + "/app-homes"
        for name in try steps.list(homes) where name.hasPrefix(bundle + "+") {
            try FileManager.default.removeItem(atPath: homes + "/" + name)
        }
    }

    private func number(of name: String) throws -> UInt32 {
        try numbers.withLock { numbers in
            if let known = numbers[name] { return known }
            let next = numbers.values.max().map { $0 + 1 } ?? 0
            guard next < Self.most else { throw FileRefusal(step: "giving the app a user", number: ENOSPC) }
            var more = numbers
            more[name] = next
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let path = directory + "/app-users.json"
            try steps.replace(path, with: try encoder.encode(more), temporary: path + ".new", in: directory)
            numbers = more
            return next
        }
    }

    private func makePassable(_ path: String) throws {
        try steps.makeDirectory(path)
        for one in [directory, path] where unsafe chmod(one, 0o711) != 0 {
            throw FileRefusal(step: "letting apps through", number: errno)
        }
    }
}
