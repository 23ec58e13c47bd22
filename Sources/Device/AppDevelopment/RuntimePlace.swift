import CLinux
package import DeviceAgent
package import Foundation

/// Where a developed app's sockets are while it is served: a directory that only its user may enter.
package struct RuntimePlace: Sendable {
    /// Why there is none.
    package enum Refusal: Error, Equatable, Sendable {
        case identifier
        case unprotected(String)
        case inUse
    }

    package let directory: String
    private let lock: DirectoryLock

    package var paths: AgentPaths { AgentPaths(directory: directory) }

    // The cleanup after the previous process takes a moment, and a killed process's lock may outlive its pipe for a
    // moment.
    private static let patience = Duration.seconds(2)

    /// Takes the place of an app for this process alone.
    ///
    /// `runtime` is the directory that the system made for this user, if it did; else it is one below `/tmp`.
    package init(of app: String, runtime: String?) async throws {
        guard Self.isIdentifier(app) else { throw Refusal.identifier }
        let base = try Self.base(runtime)
        directory = base + "/" + app
        lock = try await Self.lock(directory)
    }

    private init(existing directory: String) async throws {
        self.directory = directory
        lock = try await Self.lock(directory)
    }

    private static func lock(_ directory: String) async throws -> DirectoryLock {
        let deadline = ContinuousClock.now + patience
        while true {
            do {
                return try DirectoryLock(directory)
            } catch StoreRefusal.inUse {
                guard ContinuousClock.now < deadline else { throw Refusal.inUse }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private static func base(_ runtime: String?) throws -> String {
        if let runtime, runtime.hasPrefix("/"), isOurs(runtime) {
            let base = runtime + "/martlet-dev"
            return try ours(base)
        }
        return try ours("/tmp/martlet-dev-\(geteuid())")
    }

    private static func ours(_ path: String) throws -> String {
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST, isOurs(path) else {
            throw Refusal.unprotected(path)
        }
        return path
    }

    // No link, ours, and closed to everybody else.
    private static func isOurs(_ path: String) -> Bool {
        var facts = clinux_file()
        return unsafe clinux_file_look(path, &facts) == 0 && facts.mode & S_IFMT == S_IFDIR && facts.owner == geteuid()
            && facts.mode & 0o077 == 0
    }

    // It becomes the name of a directory.
    private static func isIdentifier(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && !text.hasPrefix(".")
            && text.utf8.allSatisfy { byte in
                let scalar = UnicodeScalar(byte)
                return ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                    || scalar == "." || scalar == "-"
            }
    }

    /// Has another process remove the sockets if this one ends without having done so, by `kill -9`.
    ///
    /// That process is `program` with the given arguments, and reads standard input to its end; what is returned has to
    /// be kept for as long as this process serves.
    package func sweepWhenGone(_ program: String, _ arguments: [String]) throws -> Pipe {
        let pipe = Pipe()
        let sweeper = Process()
        sweeper.executableURL = URL(filePath: program)
        sweeper.arguments = arguments + [directory]
        sweeper.standardInput = pipe
        sweeper.standardOutput = FileHandle.nullDevice
        sweeper.standardError = FileHandle.nullDevice
        try sweeper.run()
        try pipe.fileHandleForReading.close()
        return pipe
    }

    /// What that process does: waits for the end of the other, then removes its sockets unless a next one serves there.
    package static func sweep(_ directory: String) async {
        // What the terminal says to the other is not meant for this one.
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { _ = signal(number, SIG_IGN) }
        while let some = try? FileHandle.standardInput.read(upToCount: 64), !some.isEmpty {}
        guard isOurs(directory), let place = try? await RuntimePlace(existing: directory) else { return }
        let paths = place.paths
        for path in [paths.appSocket, paths.httpSocket, paths.controlSocket] { unsafe unlink(path) }
    }
}

extension RuntimePlace.Refusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .identifier: "a bundle identifier has letters, digits, dots and hyphens"
        case .unprotected(let path): "\(path) is not a directory of this user that is closed to others"
        case .inUse: "this app is served already, in another terminal"
        }
    }
}
