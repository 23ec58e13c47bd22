import Foundation
package import Logging

/// The entries of installed apps in the menus of the device's people.
///
/// They follow from what is installed: written when they differ, removed when their app is gone. An entry of the same name
/// that is not this agent's is left alone.
package struct DesktopEntries: Sendable {
    // Of all that others have there.
    private static let most = 10_000

    private let place: String
    private let agentDirectory: String
    private let program: String
    private let log: Logger

    /// Keeps entries in `place`, which start apps by `program`, the agent's own, through the agent of `agentDirectory`.
    package init(in place: String, agentDirectory: String, program: String, log: Logger) {
        self.place = place
        self.agentDirectory = agentDirectory
        self.program = program
        self.log = log
    }

    /// Makes the entries those of these apps.
    package func settle(_ apps: [AppBundle]) {
        do {
            let wanted = Dictionary(apps.compactMap { app in text(of: app).map { (app.identifier + ".desktop", $0) } })
            {
                first, _ in first
            }
            guard !wanted.isEmpty || FileManager.default.fileExists(atPath: place) else { return }
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let names = try FileManager.default.contentsOfDirectory(atPath: place).filter { $0.hasSuffix(".desktop") }
            guard names.count <= Self.most else { throw FileRefusal(step: "listing desktop entries", number: E2BIG) }
            for name in names where wanted[name] == nil && isOurs(name) {
                try FileManager.default.removeItem(atPath: place + "/" + name)
            }
            for (name, text) in wanted { try write(text, name) }
        } catch {
            log.error("the apps' desktop entries could not be kept", metadata: ["why": "\(error)"])
        }
    }

    private func text(of app: AppBundle) -> String? {
        guard let path = app.desktopEntry else { return nil }
        guard let bytes = Self.read(path), let entry = DesktopEntry(parsing: bytes) else {
            log.notice("an app's desktop entry cannot be used", metadata: ["app": "\(app.identifier)"])
            return nil
        }
        return entry.text(
            of: app, opened: [program, "open", app.identifier, "--directory", agentDirectory],
            byAgentOf: agentDirectory)
    }

    private func write(_ text: String, _ name: String) throws {
        let path = place + "/" + name
        let bytes = Data(text.utf8)
        if FileManager.default.fileExists(atPath: path) {
            guard isOurs(name) else {
                log.notice("a desktop entry of this name is somebody else's", metadata: ["entry": "\(name)"])
                return
            }
            if Self.read(path) == bytes { return }
        }
        // Not ending in `.desktop`: nobody shows it meanwhile.
        let temporary = path + ".new"
        try bytes.write(to: URL(fileURLWithPath: temporary))
        guard unsafe chmod(temporary, 0o644) == 0, unsafe rename(temporary, path) == 0 else {
            throw FileRefusal(step: "writing a desktop entry", number: errno)
        }
    }

    private func isOurs(_ name: String) -> Bool {
        guard let bytes = Self.read(place + "/" + name) else { return false }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .contains { $0 == DesktopEntry.mark(of: agentDirectory) }
    }

    private static func read(_ path: String) -> Data? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        return try? file.read(upToCount: DesktopEntry.longest + 1)
    }
}
