import AppMessages
import Foundation
import InputBounds

/// One launched app's directory: its configuration and secrets as files that it can read and not change.
///
/// Every file is replaced by a rename, so that a reader has the old one or the new one, whole, and a watcher hears of
/// it. A secret is there before the configuration that names it, and goes after it.
struct AppFolder {
    let path: String

    // The group of the app's user; without, the app runs as our own.
    private let group: UInt32?

    // What lies there; nothing after a start of ours, until it has been looked at.
    private var version: String?
    private var secrets: [String: String]?

    /// Makes the directory for the app whose user is in `group`.
    init(making path: String, group: UInt32?) throws {
        self.init(existing: path, group: group)
        (version, secrets) = ("", [:])
        let kinds = SecretKind.allCases.map { "\(path)/secrets/\($0.rawValue)" }
        for folder in [path, path + "/secrets"] + kinds {
            try Self.check(unsafe mkdir(folder, 0o700), "make an app's directory")
            try give(folder, readable: group == nil ? 0o700 : 0o750)
        }
    }

    /// Takes a directory again that an earlier start of ours made.
    init(existing path: String, group: UInt32?) {
        self.path = path
        self.group = group
    }

    /// Puts files right; answers what could not be put there.
    mutating func show(
        _ state: AppState, secrets wanted: [AppSecrets.Entry], unseal: (String) throws -> SecretContent
    ) -> [any Error] {
        var failures: [any Error] = []
        var kept = secrets ?? lying()
        var named: Set<String> = []
        for entry in wanted {
            guard let file = AppFileName.encode(entry.identifier) else { continue }
            let name = "\(entry.kind.rawValue)/\(file)"
            named.insert(name)
            guard kept[name] != entry.digest else { continue }
            do {
                var bytes = try Self.bytes(of: unseal(entry.digest))
                defer { bytes.wipe() }
                try replace("secrets/" + name, with: &bytes)
                kept[name] = entry.digest
            } catch {
                // An old value is no longer the app's.
                named.remove(name)
                failures.append(error)
            }
        }
        do {
            try show(state)
        } catch {
            failures.append(error)
        }
        for name in kept.keys where !named.contains(name) {
            unsafe unlink("\(path)/secrets/\(name)")
            kept[name] = nil
        }
        secrets = kept
        return failures
    }

    /// Removes it with everything in it.
    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }

    private mutating func show(_ state: AppState) throws {
        guard version != state.version else { return }
        if let configuration = state.configuration {
            var list = configuration
            var json = try Self.json(configuration)
            try replace("configuration.plist", with: &list)
            try replace("configuration.json", with: &json)
        } else {
            for name in ["configuration.json", "configuration.plist"] { unsafe unlink("\(path)/\(name)") }
        }
        version = state.version
    }

    /// What lies there already, of values that nobody knows.
    private func lying() -> [String: String] {
        var names: [String: String] = [:]
        for kind in SecretKind.allCases {
            let folder = "\(path)/secrets/\(kind.rawValue)"
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
                names["\(kind.rawValue)/\(name)"] = ""
            }
        }
        return names
    }

    /// The configuration in JSON, for those who read no property lists.
    static func json(_ configuration: Data) throws -> Data {
        let value = try PropertyListValue(parsing: configuration, limits: .configuration)
        return JSONValue(describing: value).encoded()
    }

    // An identity's key stays with the agent: its file is the chain.
    static func bytes(of secret: SecretContent) -> Data {
        switch secret {
        case .password(let text): Data(text.utf8)
        case .certificate(let der): pem(der)
        case .identity(let identity): Data(identity.certificates.map(pem).joined())
        }
    }

    private static func pem(_ der: Data) -> Data {
        let text = der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return Data("-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n".utf8)
    }

    private func replace(_ name: String, with bytes: inout Data) throws {
        // Of a leading dot: no identifier has such a name, and who lists a directory passes it over.
        let temporary = path + "/.new"
        unsafe unlink(temporary)
        let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        try Self.check(file, "make an app's file")
        do {
            defer { close(file) }
            try FileHandle(fileDescriptor: file, closeOnDealloc: false).write(contentsOf: bytes)
            try give(temporary, readable: group == nil ? 0o600 : 0o640)
            try Self.check(unsafe rename(temporary, path + "/" + name), "replace an app's file")
        } catch {
            unsafe unlink(temporary)
            throw error
        }
    }

    // Ours to write, and for the app's group to read.
    private func give(_ path: String, readable mode: mode_t) throws {
        if let group { try Self.check(unsafe chown(path, geteuid(), group), "give an app its files") }
        try Self.check(unsafe chmod(path, mode), "give an app its files")
    }

    private static func check(_ result: Int32, _ step: String) throws {
        guard result >= 0 else { throw LinuxFailure(step: step, number: errno) }
    }
}
