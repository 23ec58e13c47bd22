import CLinux
import Foundation

/// Where the homes of removed apps are until they are gone: a directory that nobody but the agent may enter.
///
/// An app, or a process that it gives access to, can change its home at any moment. So nothing is removed by a path in it:
/// the home moves here first, and each directory becomes the agent's own before a name in it is looked at.
struct AppRemains: Sendable {
    // A part takes some tenths of a second on a slow disk. Other work on the disk goes on between two parts.
    private static let namesInAPart: Int32 = 10_000

    private let path: String

    /// Made at once: a disk that an app has filled takes no directory any more.
    init(in directory: String, steps: any FileSteps) throws {
        path = directory + "/app-remains"
        try steps.makeDirectory(path)
    }

    /// Moves a directory of the agent's own here.
    func take(_ name: String, from directory: String) throws {
        let from = try Self.descriptor(of: directory)
        defer { close(from) }
        let room = try openRoom()
        defer { close(room) }
        let result = unsafe clinux_room_take(from, name, room)
        if result != -ENOENT { try LinuxFailure.check(result, "move the home of a removed app") }
    }

    /// Removes a part of what is here; false once there is nothing.
    func removePart(of names: Int32 = namesInAPart) throws -> Bool {
        let room = try openRoom()
        defer { close(room) }
        return try LinuxFailure.check(clinux_room_empty(room, names), "remove the home of a removed app") > 0
    }

    private func openRoom() throws -> Int32 { try Self.descriptor(of: path) }

    private static func descriptor(of path: String) throws -> Int32 {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw LinuxFailure(step: "open the directory of apps' homes", number: errno) }
        return descriptor
    }
}
