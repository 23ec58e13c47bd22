package import Foundation

/// The administrator's session at a server, in the file that `martlet login` leaves.
///
/// It holds a bearer token, so only its owner may read it.
package struct SavedSession: Codable, Sendable, Equatable {
    package var server: String
    package var name: String
    /// The authority that vouches for the server, as PEM.
    package var authority: String
    package var token: String
    package var expires: Date

    package init(server: String, name: String, authority: String, token: String, expires: Date) {
        self.server = server
        self.name = name
        self.authority = authority
        self.token = token
        self.expires = expires
    }
}

/// The server of the last login, which is known after a logout, too.
package struct SavedServer: Codable, Sendable, Equatable {
    package var server: String
    package var name: String
    /// The authority that vouches for the server, as PEM.
    package var authority: String

    package init(server: String, name: String, authority: String) {
        self.server = server
        self.name = name
        self.authority = authority
    }
}

/// Where the session is kept; after a logout, what is known of its server.
package struct SessionFile: Sendable {
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// `MARTLET_SESSION`, else `martlet/session.json` in the user's configuration directory.
    package init(environment: [String: String]) {
        if let path = environment["MARTLET_SESSION"], !path.isEmpty {
            self.path = path
            return
        }
        let base = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        self.path = (base ?? "\(environment["HOME"] ?? "")/.config") + "/martlet/session.json"
    }

    static var present: SessionFile { SessionFile(environment: ProcessInfo.processInfo.environment) }

    /// The session, which must be there.
    package func load() throws(Failure) -> SavedSession {
        let bytes = try contents()
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        if let session = try? decoder.decode(SavedSession.self, from: bytes) { return session }
        _ = try Self.server(bytes)
        throw Failure(.notLoggedIn, "not logged in", advice: Failure.logInAgain)
    }

    /// The server of the last login, which must be there.
    package func server() throws(Failure) -> SavedServer { try Self.server(contents()) }

    private static func server(_ bytes: Data) throws(Failure) -> SavedServer {
        guard let server = try? JSONDecoder().decode(SavedServer.self, from: bytes) else {
            throw Failure(.notLoggedIn, "the session file is damaged", advice: firstLogin)
        }
        return server
    }

    private func contents() throws(Failure) -> Data {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw Failure(.notLoggedIn, "not logged in", advice: Self.firstLogin)
        }
        return bytes
    }

    private static let firstLogin = "Log in first: martlet login --server https://… --ca-file …"

    /// Refuses a file that no login left, such as one that `MARTLET_SESSION` names by mistake; none is fine.
    package func requireOwn() throws(Failure) {
        guard let bytes = FileManager.default.contents(atPath: path), !bytes.isEmpty else { return }
        let members = (try? JSONSerialization.jsonObject(with: bytes)) as? [String: Any]
        guard members?["server"] is String, members?["authority"] is String else {
            throw Failure(
                .refused, "\(path) is no session file; nothing was changed",
                advice: "Name another one by MARTLET_SESSION, or move this one elsewhere.")
        }
    }

    package func save(_ session: SavedSession) throws(Failure) { try write(session) }

    /// Forgets the session; the server of the login stays known.
    package func forget(_ session: SavedSession) {
        do {
            try write(SavedServer(server: session.server, name: session.name, authority: session.authority))
        } catch {
            // A token that is not used any more must not stay.
            remove()
        }
    }

    /// Replaces the file in one step; nobody else can read it at any moment.
    private func write(_ value: some Encodable) throws(Failure) {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        let directory = (path as NSString).deletingLastPathComponent
        let draft = path + ".\(ProcessInfo.processInfo.processIdentifier)"
        do {
            if !directory.isEmpty {
                try FileManager.default.createDirectory(
                    atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            }
            let bytes = try encoder.encode(value)
            let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try file.write(contentsOf: bytes)
            try file.close()
            guard unsafe rename(draft, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            try? FileManager.default.removeItem(atPath: draft)
            throw Failure(
                .failed, "the session file could not be written",
                advice: "Its path is \(path); MARTLET_SESSION changes it.")
        }
    }

    package func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
