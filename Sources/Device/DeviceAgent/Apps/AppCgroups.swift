import Foundation

/// The cgroups of apps: what an app starts stays in its cgroup, whatever it does.
///
/// They lie below the cgroup which a service manager delegates to the agent, or the root of the hierarchy. Where the
/// service manager starts the agent in a child of that, called `agent`, or it is in the root, the kernel lets controllers
/// bound each app: a cgroup with processes of its own has none for those below it.
struct AppCgroups: Sendable {
    /// One app's cgroup.
    struct Group: Hashable, Sendable {
        let path: String
        /// The inode of its directory, by which the kernel names it.
        let number: UInt64
    }

    private let base: String
    private let limits: AppLimits

    /// The cgroups below this process's own; nothing where there is no version 2 hierarchy that takes them.
    init?(
        _ name: String, limits: AppLimits,
        mounts: String? = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8),
        own: String? = try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)
    ) {
        guard let mounts, let own, let root = Self.root(mounts), let place = Self.place(own) else { return nil }
        let isApart = (place as NSString).lastPathComponent == "agent"
        let delegated = root + (isApart ? (place as NSString).deletingLastPathComponent : place == "/" ? "" : place)
        base = delegated + "/" + name
        self.limits = limits
        guard Self.make(base) else { return nil }
        guard isApart || place == "/" else { return }
        for directory in [delegated, base] { Self.enable(["pids", "memory"], in: directory) }
    }

    /// The cgroup of this name, made if need be.
    func group(_ name: String) throws -> Group {
        let path = base + "/" + name
        guard Self.make(path) else { throw LinuxFailure(step: "make the app's cgroup", number: errno) }
        for (file, bound) in [("pids.max", limits.processes), ("memory.max", limits.memory)] {
            // There only where the controller is.
            guard FileManager.default.fileExists(atPath: path + "/" + file) else { continue }
            guard Self.write("\(bound)", to: path + "/" + file) else {
                throw LinuxFailure(step: "bound the app's cgroup", number: EIO)
            }
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        guard let number = attributes[.systemFileNumber] as? NSNumber else {
            throw LinuxFailure(step: "look at the app's cgroup", number: EIO)
        }
        return Group(path: path, number: number.uint64Value)
    }

    /// Whether something runs in the cgroup of this name.
    func isPopulated(_ name: String) -> Bool {
        let events = try? String(contentsOfFile: base + "/" + name + "/cgroup.events", encoding: .utf8)
        return events?.contains("populated 1") ?? false
    }

    /// Kills all that runs in the cgroups whose names begin so, and removes these.
    func end(_ prefix: String) throws {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let path = base + "/" + name
            var attempts = 0
            while unsafe rmdir(path) != 0, errno != ENOENT {
                // What is killed is gone in milliseconds, unless it waits for a disk that does not answer.
                guard errno == EBUSY, attempts < 500 else {
                    throw LinuxFailure(step: "end the app's processes", number: errno)
                }
                _ = Self.write("1", to: path + "/cgroup.kill")
                usleep(10_000)
                attempts += 1
            }
        }
    }

    /// Removes the cgroups in which nothing runs, and their own if that is the last.
    func tidy() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? [] {
            unsafe rmdir(base + "/" + name)
        }
        unsafe rmdir(base)
    }

    /// Has the kernel kill all that runs in the cgroups that are meant, by their names and numbers.
    func kill(_ isMeant: (_ name: String, _ number: UInt64) -> Bool) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? [] {
            let path = base + "/" + name
            guard let facts = try? FileManager.default.attributesOfItem(atPath: path),
                let number = facts[.systemFileNumber] as? NSNumber, isMeant(name, number.uint64Value)
            else { continue }
            _ = Self.write("1", to: path + "/cgroup.kill")
        }
    }

    /// The number of a process's cgroup, for kernels that do not say it of its descriptor.
    static func number(of process: Int32) -> UInt64? {
        guard let mounts = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8),
            let root = root(mounts),
            let own = try? String(contentsOfFile: "/proc/\(process)/cgroup", encoding: .utf8), let place = place(own),
            let attributes = try? FileManager.default.attributesOfItem(atPath: root + place)
        else { return nil }
        return (attributes[.systemFileNumber] as? NSNumber)?.uint64Value
    }

    /// Where version 2 is mounted, from its root on.
    static func root(_ mountinfo: String) -> String? {
        for line in mountinfo.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count, fields[dash + 1] == "cgroup2",
                fields.count > 4, fields[3] == "/"
            else { continue }
            return String(fields[4])
        }
        return nil
    }

    /// Where in that hierarchy a process is.
    static func place(_ cgroup: String) -> String? {
        cgroup.split(separator: "\n").first { $0.hasPrefix("0::/") }.map { String($0.dropFirst(3)) }
    }

    /// Has those controllers bound what lies in a cgroup that this kernel has; without them an app's processes are bounded
    /// by its user, and its memory is not.
    private static func enable(_ controllers: [String], in directory: String) {
        let known = (try? String(contentsOfFile: directory + "/cgroup.controllers", encoding: .utf8)) ?? ""
        let words = Set(known.split(whereSeparator: \.isWhitespace).map(String.init))
        for controller in controllers where words.contains(controller) {
            _ = write("+" + controller, to: directory + "/cgroup.subtree_control")
        }
    }

    private static func write(_ text: String, to path: String) -> Bool {
        let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        return (try? handle.write(contentsOf: Data(text.utf8))) != nil
    }

    private static func make(_ path: String) -> Bool { unsafe mkdir(path, 0o755) == 0 || errno == EEXIST }
}
