import Foundation

/// The cgroups of apps: what an app starts stays in its cgroup, whatever it does.
///
/// They lie below the agent's own cgroup, which a service manager delegates to it, or the root of the hierarchy.
struct AppCgroups: Sendable {
    /// One app's cgroup.
    struct Group: Hashable, Sendable {
        let path: String
        /// The inode of its directory, by which the kernel names it.
        let number: UInt64
    }

    private let base: String

    /// The cgroups below this process's own; nothing where there is no version 2 hierarchy that takes them.
    init?(
        mounts: String? = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8),
        own: String? = try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)
    ) {
        guard let mounts, let own, let root = Self.root(mounts), let place = Self.place(own) else { return nil }
        let base = (place == "/" ? root : root + place) + "/martlet-apps"
        guard Self.make(base) else { return nil }
        self.base = base
    }

    /// The cgroup of this name, made if need be.
    func group(_ name: String) throws -> Group {
        let path = base + "/" + name
        guard Self.make(path) else { throw LinuxFailure(step: "make the app's cgroup", number: errno) }
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        guard let number = attributes[.systemFileNumber] as? NSNumber else {
            throw LinuxFailure(step: "look at the app's cgroup", number: EIO)
        }
        return Group(path: path, number: number.uint64Value)
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
                try? Data("1".utf8).write(to: URL(fileURLWithPath: path + "/cgroup.kill"))
                usleep(10_000)
                attempts += 1
            }
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

    private static func make(_ path: String) -> Bool { unsafe mkdir(path, 0o755) == 0 || errno == EEXIST }
}
