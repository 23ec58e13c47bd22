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
/// The signer is part of an app's identity: an app of another team with the same identifier has another user, another
/// home and another cgroup. A number that was given is never given to another app: files outlive apps, and belong to
/// numbers.
package final class AppAccounts: Sendable {
    /// In the place of a team where none that this device knows has signed.
    package static let unsigned = "unsigned"
    // In the place of a team for accounts of apps that were gone when teams became part of accounts' names.
    private static let nobody = "nobody"

    // Far above what all names together take.
    private static let longestFile = 32 * 1_048_576
    private static let machinesOwn = "/var/lib/martlet"

    /// Which apps are isolated.
    let isolation: AppIsolation
    let limits: AppLimits
    private let directory: String
    private let machine: AppNumbers
    private let steps: any FileSteps
    private let cgroups: AppCgroups?
    private let remains: AppRemains
    /// By account, counted from `AppNumbers.first`.
    private let numbers: Mutex<[String: UInt32]>

    private var homes: String { directory + "/app-homes" }

    /// Keeps accounts in `directory`, which apps' users have to be able to pass through.
    ///
    /// `signer` says who signed the app that lies on the device now: accounts from before teams were part of their names
    /// stay with it.
    package init(
        directory: String, numbers machine: AppNumbers = AppNumbers(), isolation: AppIsolation = .asked,
        limits: AppLimits = AppLimits(), steps: any FileSteps = DiskSteps(),
        signer: (_ bundleIdentifier: String) -> String? = { _ in nil }
    ) throws {
        self.isolation = isolation
        self.limits = limits
        self.directory = directory
        self.machine = machine
        self.steps = steps
        remains = try AppRemains(in: directory, steps: steps)
        // Another agent of this machine has cgroups of its own, whatever its apps are called.
        let place = directory == Self.machinesOwn ? "" : "-" + Data(directory.utf8).digest.prefix(8)
        cgroups = AppCgroups("martlet-apps" + place, limits: limits)
        let kept = try steps.read(directory + "/app-users.json", limit: Self.longestFile)
        let known = try kept.map { try JSONDecoder().decode([String: UInt32].self, from: $0) } ?? [:]
        numbers = Mutex(known)
        if let last = known.values.max() { try machine.keep(below: last + 1) }
        try adopt(known, signer)
        try makePassable(homes)
    }

    /// The account of an app or extension for the person who opens it; it is on the disk before it is used.
    func account(of bundle: AppBundle, signedBy team: String?, openedBy opener: UInt32) throws -> AppAccount {
        let before = Self.name(of: bundle, openedBy: opener)
        let name = before + "@" + (team ?? Self.unsigned)
        let number = try number(of: name)
        // One from before teams were part of names stays at home where it is.
        let isOld = numbers.withLock { $0[before] } == number
        let home = homes + "/" + (isOld ? before : name)
        let user = AppNumbers.first + number
        try steps.makeDirectory(home)
        guard unsafe chown(home, user, user) == 0 else { throw FileRefusal(step: "giving the home", number: errno) }
        return AppAccount(user: user, home: home, cgroup: try cgroups?.group(name))
    }

    /// An extension's name begins with its app's: it goes when that goes.
    private static func name(of bundle: AppBundle, openedBy opener: UInt32) -> String {
        guard let app = bundle.role?.app else { return "\(bundle.identifier)+\(opener)" }
        return "\(app)+\(opener)+\(bundle.identifier.dropFirst(app.utf8.count + 1))"
    }

    /// Ends every process of an app and puts away what it kept; its users' numbers stay its own.
    ///
    /// Returns once nothing of it runs. What was put away is gone when `removePart` has nothing left to do.
    func end(_ bundle: String) throws {
        try cgroups?.end(bundle + "+")
        for name in try steps.list(homes) where name.hasPrefix(bundle + "+") { try remains.take(name, from: homes) }
    }

    /// Removes a part of what apps kept that were ended; false once nothing of it is left.
    func removePart() throws -> Bool { try remains.removePart() }

    /// Leaves no cgroup of an app that does not run; those that do live on without their agent.
    func tidy() { cgroups?.tidy() }

    /// Ends what runs under an app's identifier without being of its team, in these cgroups or in others.
    ///
    /// Returns at once: the kernel ends it.
    func endOthers(of bundle: String, than team: String, alsoIn numbers: Set<UInt64>) {
        cgroups?.kill { name, number in
            guard name.hasPrefix(bundle + "+") else { return false }
            return numbers.contains(number) || !name.hasSuffix("@" + team)
        }
    }

    private func number(of name: String) throws -> UInt32 {
        try numbers.withLock { numbers in
            if let known = numbers[name] { return known }
            let next = try machine.take(atLeast: numbers.values.max().map { $0 + 1 } ?? 0)
            var more = numbers
            more[name] = next
            try save(more)
            numbers = more
            return next
        }
    }

    /// Accounts from before teams were part of their names stay with who has them now, and go to nobody else later.
    private func adopt(_ known: [String: UInt32], _ signer: (String) -> String?) throws {
        let taken = Set(known.filter { $0.key.contains("@") }.values)
        var more = known
        for (name, number) in known where !name.contains("@") && !taken.contains(number) {
            let bundle = String(name.prefix { $0 != "+" })
            more[name + "@" + (signer(bundle) ?? Self.nobody)] = number
        }
        guard more != known else { return }
        try save(more)
        numbers.withLock { [more] in $0 = more }
    }

    private func save(_ numbers: [String: UInt32]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let path = directory + "/app-users.json"
        try steps.replace(path, with: try encoder.encode(numbers), temporary: path + ".new", in: directory)
    }

    private func makePassable(_ path: String) throws {
        try steps.makeDirectory(path)
        for one in [directory, path] where unsafe chmod(one, 0o711) != 0 {
            throw FileRefusal(step: "letting apps through", number: errno)
        }
    }
}
