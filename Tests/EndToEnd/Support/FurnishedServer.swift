import Foundation

/// What every road begins with: a server's directory with a group and the Landmarks app, and an administrator logged in.
///
/// Made once for all tests of this process. The first start and the first login hash passwords, which takes seconds where
/// nothing is optimised; both have tests of their own.
struct FurnishedServer: Sendable {
    static let shared = Task { try await Road.furnishedServer() }

    private let files: [String: Data]

    init(of home: URL) throws {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: home.path) {
            let file = home.appending(path: path)
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            files[path] = try Data(contentsOf: file)
        }
        self.files = files
    }

    func copy(to home: URL) throws {
        for (path, data) in files {
            let file = home.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            guard
                FileManager.default.createFile(
                    atPath: file.path, contents: data, attributes: [.posixPermissions: 0o600])
            else { throw Road.Broken(description: "\(path) could not be written") }
        }
    }
}

/// The administrator's session, as the command line tool keeps it.
extension Road {
    /// Has the tool talk to the server where it listens now.
    func moveSession() throws {
        let file = home.appending(path: "session.json")
        let read = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        guard var session = read as? [String: Any] else { throw Broken(description: "the session is no object") }
        session["server"] = url
        try JSONSerialization.data(withJSONObject: session).write(to: file)
    }
}
