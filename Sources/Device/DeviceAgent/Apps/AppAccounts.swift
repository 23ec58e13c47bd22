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
/// home and another cgroup. All users of an app lie in one block of numbers. A number that was given is never given to
/// another app: files outlive apps, and belong to numbers.
package final class AppAccounts: Sendable {
    /// In the place of a team where none that this device knows has signed.
    package static let unsigned = "unsigned"
    /// How many names an agent that starts gives to new users: a second or two on most disks.
    package static let namesAtStart: Int32 = 200_000

    // Far above what all names together take.
    private static let longestFile = 32 * 1_048_576
    private static let machinesOwn = "/var/lib/martlet"

    /// Which apps are isolated.
    let isolation: AppIsolation
    let limits: AppLimits
    /// The groups that each is in beside its own.
    let groups: [UInt32]
    private let directory: String
    private let machine: AppNumbers
    private let steps: any FileSteps
    private let cgroups: AppCgroups?
    private let remains: AppRemains
    private let table: Mutex<AppUserTable>

    private var homes: String { directory + "/app-homes" }
    private var files: AppHomes { AppHomes(homes) }

    /// Keeps accounts in `directory`, which apps' users have to be able to pass through.
    ///
    /// `signer` says who signed the app that lies on the device now: accounts from before teams were part of their names
    /// stay with it. Accounts from before blocks move into blocks, with at most so many `names` of files in all.
    package init(
        directory: String, numbers machine: AppNumbers = AppNumbers(), isolation: AppIsolation = .asked,
        limits: AppLimits = AppLimits(), groups: [UInt32] = [], steps: any FileSteps = DiskSteps(),
        moving names: Int32 = namesAtStart,
        signer: (_ bundleIdentifier: String) -> String? = { _ in nil }
    ) throws {
        self.isolation = isolation
        self.limits = limits
        self.groups = groups
        self.directory = directory
        self.machine = machine
        self.steps = steps
        remains = try AppRemains(in: directory, steps: steps)
        // Another agent of this machine has cgroups of its own, whatever its apps are called.
        let place = directory == Self.machinesOwn ? "" : "-" + Data(directory.utf8).digest.prefix(8)
        cgroups = AppCgroups("martlet-apps" + place, limits: limits)
        let kept = try steps.read(directory + "/app-users.json", limit: Self.longestFile)
        let entries = try kept.map { try JSONDecoder().decode([String: UInt32].self, from: $0) } ?? [:]
        guard let known = AppUserTable(entries) else {
            throw FileRefusal(step: "reading the list of apps' users", number: EINVAL)
        }
        table = Mutex(known)
        if known.end > 0 { try machine.keep(below: known.end) }
        try change { $0.adopt(signer) }
        try makePassable(homes)
        move(names)
    }

    /// The account of an app or extension for the person who opens it; it is on the disk before it is used.
    func account(of bundle: AppBundle, signedBy team: String?, openedBy opener: UInt32) throws -> AppAccount {
        let name = Self.name(of: bundle, openedBy: opener) + "@" + (team ?? Self.unsigned)
        let (user, place) = try change { table in
            let number = try table.number(of: name) { try machine.takeBlock(atLeast: $0) }
            // Its files were not given to it when the agent started.
            if let move = table.moves.first(where: { $0.to == number }) {
                try give(move)
                table.finish(move)
            }
            return (AppNumbers.first + number, table.home(of: name))
        }
        let home = homes + "/" + place
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

    /// The users that an app may run as, by who signed it.
    func users(of bundle: String) -> [ListedUsers] {
        table.withLock { $0.ranges(of: bundle) }.map { signer, range in
            ListedUsers(
                signer: signer, first: AppNumbers.first + range.lowerBound, last: AppNumbers.first + range.upperBound)
        }
    }

    /// Moves accounts from before blocks into blocks, as far as nothing of them runs and their homes are small enough.
    ///
    /// The disk has where an account moves to before a file of it changes hands, and until all have: what is cut off is
    /// finished by the next start. An account that cannot move keeps its number, and works as before.
    private func move(_ names: Int32) {
        let (due, begun) = table.withLock { ($0.unplaced, $0.moves) }
        guard !due.isEmpty || !begun.isEmpty, let atWork = try? AppHomes.usersAtWork() else { return }
        do {
            try change { table in
                var left = names
                for account in due where isIdle(account, table, atWork) {
                    let count = try? files.count(in: table.home(of: account), most: left)
                    guard let count else { continue }
                    try table.move(account) { try machine.takeBlock(atLeast: $0) }
                    left -= count
                }
            }
        } catch {
            // No block is left, or the disk does not take the list. Nothing has moved, and a later start tries again.
        }
        let given = table.withLock { $0.moves }.filter { move in
            // Where it fails the app is not opened until it works, and the reason is said then.
            !atWork.contains(AppNumbers.first + move.from) && (try? give(move)) != nil
        }
        guard !given.isEmpty else { return }
        // If the disk does not take it, it is done once more.
        try? change { table in
            for move in given { table.finish(move) }
        }
    }

    private func isIdle(_ account: String, _ table: AppUserTable, _ atWork: Set<UInt32>) -> Bool {
        guard let number = table.entries[account], cgroups?.isPopulated(account) != true else { return false }
        return !atWork.contains(AppNumbers.first + number)
    }

    private func give(_ move: AppUserTable.Move) throws {
        try files.pass(move.home, from: AppNumbers.first + move.from, to: AppNumbers.first + move.to)
    }

    /// Changes the table once the disk has it.
    private func change<Value: Sendable>(_ body: (inout AppUserTable) throws -> Value) throws -> Value {
        try table.withLock { table in
            var more = table
            let value = try body(&more)
            if more != table { try save(more) }
            table = more
            return value
        }
    }

    private func save(_ table: AppUserTable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let path = directory + "/app-users.json"
        try steps.replace(path, with: try encoder.encode(table.entries), temporary: path + ".new", in: directory)
    }

    private func makePassable(_ path: String) throws {
        try steps.makeDirectory(path)
        for one in [directory, path] where unsafe chmod(one, 0o711) != 0 {
            throw FileRefusal(step: "letting apps through", number: errno)
        }
    }
}
