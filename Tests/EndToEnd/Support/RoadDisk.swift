import Foundation

/// A disk of its own below the server's data directory, which a test fills, or which reports an error.
///
/// Only root mounts one, and not everywhere.
struct RoadDisk: Sendable {
    private let mount: String

    /// Whether a disk in memory and a read-only one can be mounted here: in many containers root cannot do so either.
    static let canBeMounted: Bool = {
        guard geteuid() == 0 else { return false }
        let look = Process()
        look.executableURL = URL(filePath: "/bin/sh")
        look.arguments = [
            "-c",
            """
            place=$(mktemp -d) && mkdir "$place/disk" && cd "$place" || exit 1
            mount -t tmpfs -o size=64k none disk && mount --bind disk disk && mount -o remount,bind,ro disk
            result=$?
            umount -l disk; umount -l disk; cd / && rmdir "$place/disk" "$place"
            exit $result
            """,
        ]
        look.standardError = FileHandle.nullDevice
        guard (try? look.run()) != nil else { return false }
        look.waitUntilExit()
        return look.terminationStatus == 0
    }()

    /// A small one in memory.
    static let small = RoadDisk(mount: "cp -a server kept && mount -t tmpfs -o size=64m,mode=700 none server")

    /// One whose file system becomes read-only where it meets an error, as those of most servers do.
    static let failing = RoadDisk(
        mount: """
            truncate -s 64m disk.img && mkfs.ext4 -q -F -m 0 disk.img && cp -a server kept && \(mountImage) && \
            rmdir server/lost+found && chmod 700 server && test -w \(trigger)
            """)

    private static let mountImage = "mount -o loop,errors=remount-ro disk.img server"
    private static let trigger = "/sys/fs/ext4/$(basename \"$(findmnt -no SOURCE -T server)\")/trigger_fs_error"
    private static let tools = "PATH=\"$PATH:/usr/sbin:/sbin\" && "

    /// Runs `body` with the server on this disk; it does not run where the disk cannot be mounted, and that is printed.
    func holding(_ road: Road, _ body: () async throws -> Void) async throws {
        try await road.stop(try road.server)
        guard (try? await road.shell(Self.tools + mount + " && cp -a kept/. server")) != nil else {
            _ = try? await road.shell("umount -l server")
            return print("no such disk can be mounted here: what the server says of it is not tried")
        }
        do {
            try await road.startServer()
            try await body()
        } catch {
            _ = try? await road.shell("umount -l server")
            throw error
        }
        try await road.stop(try road.server)
        try await road.shell("umount server")
    }

    // MARK: What happens to a disk

    /// Takes all of its room with a file that is not the server's.
    static func fill(_ road: Road) async throws {
        try await road.shell("head -c 80m /dev/zero > server/old-backup 2>/dev/null; test -s server/old-backup")
    }

    /// Has it meet an error; what was written before is on it, as on a disk that worked for days.
    static func fail(_ road: Road) async throws {
        try await road.shell("sync -f server/martlet.sqlite && echo 1 > \(trigger)")
    }

    /// Repairs it and mounts it for writing again; the server is to be stopped before.
    static func repair(_ road: Road) async throws {
        try await road.shell(
            "\(tools)umount server && { e2fsck -fy disk.img >/dev/null 2>&1; test $? -le 1; } && \(mountImage)")
    }
}
