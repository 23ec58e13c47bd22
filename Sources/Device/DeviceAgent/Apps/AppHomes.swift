import CLinux
import Foundation

/// The homes of apps, when they pass from one user to another.
///
/// Other users may have put files and links into a home: only what belongs to the old user changes hands, and no link is
/// followed.
struct AppHomes: Sendable {
    private let path: String

    init(_ path: String) { self.path = path }

    /// How many names are in a home: nil if there are more than `most`, 0 if there is no home.
    func count(in name: String, most: Int32) throws -> Int32? {
        let result = try pass(name, from: 0, to: 0, most: most)
        switch result {
        case -E2BIG: return nil
        case -ENOENT: return 0
        default: return try LinuxFailure.check(result, "look at the files of an app")
        }
    }

    /// Gives all in a home that is of one user to another; begun again after it was cut off, it ends as if it had not been.
    func pass(_ name: String, from: UInt32, to: UInt32) throws {
        // Counted when the move began; others may have added names since, if the app lets them.
        let result = try pass(name, from: from, to: to, most: Int32.max)
        if result != -ENOENT { try LinuxFailure.check(result, "give the files of an app to its new user") }
    }

    /// The users as whom something runs on this machine.
    static func usersAtWork() throws -> Set<UInt32> {
        let users = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { name -> UInt32? in
            guard let process = Int32(name) else { return nil }
            var user: UInt32 = 0
            return unsafe clinux_process_user(process, &user) == 0 ? user : nil
        }
        return Set(users)
    }

    private func pass(_ name: String, from: UInt32, to: UInt32, most: Int32) throws -> Int32 {
        let homes = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard homes >= 0 else { throw LinuxFailure(step: "open the directory of apps' homes", number: errno) }
        defer { close(homes) }
        return unsafe clinux_home_pass(homes, name, from, to, most)
    }
}
