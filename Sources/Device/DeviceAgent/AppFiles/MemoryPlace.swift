import CLinux
import Crypto
import Foundation

/// Where apps' files lie: in memory, never on a disk.
struct MemoryPlace: Sendable {
    // All apps of a device together; one configuration is at most 1 MiB, and its JSON a few times that.
    private static let mostBytes: UInt64 = 256 * 1_048_576
    private static let mostFiles: UInt64 = 65_536

    let path: String

    /// Whether the kernel never writes these pages to swap.
    let isSwapFree: Bool

    /// The place of the agent that works in `directory`, made if need be.
    ///
    /// Root gives it a file system of its own, which is never swapped. Others have a directory in memory that the system
    /// made for them; that one may be swapped.
    init(of directory: String, runtime: String?) throws {
        if geteuid() == 0, let place = try Self.mounted(directory + Self.mount) {
            self.init(path: place, isSwapFree: true)
            return
        }
        let place = Self.directories(of: directory, runtime: runtime).first { path in
            (unsafe mkdir(path, 0o711) == 0 || errno == EEXIST) && Self.isOurs(path)
        }
        guard let place else { throw LinuxFailure(step: "find memory for apps' files", number: ENOENT) }
        self.init(path: place, isSwapFree: false)
    }

    /// The place that an earlier start has left, if it has.
    init?(leftBy directory: String, runtime: String?) {
        let mounted = directory + Self.mount
        if geteuid() == 0, unsafe clinux_is_mounted_on(mounted) == 1, unsafe clinux_in_memory(mounted) == 1 {
            self.init(path: mounted, isSwapFree: true)
        } else if let place = Self.directories(of: directory, runtime: runtime).first(where: Self.isOurs) {
            self.init(path: place, isSwapFree: false)
        } else {
            return nil
        }
    }

    private init(path: String, isSwapFree: Bool) {
        self.path = path
        self.isSwapFree = isSwapFree
    }

    private static let mount = "/app-files"

    private static func directories(of directory: String, runtime: String?) -> [String] {
        let name = "martlet-\(geteuid())-" + Data(SHA256.hash(data: Data(directory.utf8)).prefix(8)).hexadecimal
        return [runtime, "/dev/shm"].compactMap(\.self).filter { unsafe clinux_in_memory($0) == 1 }
            .map { $0 + "/" + name }
    }

    /// Gives it up if nothing is left in it.
    func removeIfEmpty() {
        guard (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty == true else { return }
        if isSwapFree { unsafe clinux_unmount(path) }
        unsafe rmdir(path)
    }

    // Nothing where this root may not mount, as in many containers.
    private static func mounted(_ path: String) throws -> String? {
        try DiskSteps().makeDirectory(path)
        if unsafe clinux_is_mounted_on(path) == 1, unsafe clinux_in_memory(path) == 1 { return path }
        let result = unsafe clinux_mount_memory(path, mostBytes, mostFiles)
        guard result != -EPERM else { return nil }
        try LinuxFailure.check(result, "mount memory for apps' files")
        return path
    }

    // Anybody can make a directory in /dev/shm: one that was there before is used only if it is ours alone to write to.
    private static func isOurs(_ path: String) -> Bool {
        guard let facts = try? FileManager.default.attributesOfItem(atPath: path) else { return false }
        return facts[.type] as? FileAttributeType == .typeDirectory
            && (facts[.ownerAccountID] as? NSNumber)?.uint32Value == geteuid()
            && ((facts[.posixPermissions] as? NSNumber)?.intValue ?? 0o777) & 0o022 == 0
    }
}
