import AppMessages
import Foundation

/// What an `open` or `exec` command comes to: which program of the app, whether with variables, and whether with files.
struct LaunchPlan: Sendable {
    let bundle: AppBundle
    let wantsFiles: Bool
    /// What the variables' names begin with that hold the configuration, if it wants those.
    private let prefix: String?

    /// Reads a request for an app.
    init(_ request: ControlMessages.Open, _ app: AppBundle, sharesUser: Bool) throws(VarlinkError) {
        guard let program = request.program else {
            self.init(bundle: app, wantsFiles: request.files ?? false, prefix: nil)
            return
        }
        // Only signed files of a signed app run as that app, even if it shares its user.
        let orAny = sharesUser && !AppSeals.isSigned(app.directory)
        guard let path = AppProgram.path(program, of: app, orAny: orAny, searching: request.environment["PATH"])
        else { throw ControlMessages.notItsProgram }
        guard let prefix = ConfigurationVariables.prefix(request.prefix) else { throw .invalidParameter("prefix") }
        self.init(bundle: app.running(path), wantsFiles: true, prefix: prefix)
    }

    /// The variables for an app whose state is `state`; nothing is known of it while the agent reads its store.
    func variables(_ state: AppState?) throws(VarlinkError) -> [String: String] {
        guard let prefix else { return [:] }
        guard let state else { throw ControlMessages.cannotOpen }
        return ConfigurationVariables.of(state.configuration, prefix: prefix)
    }

    private init(bundle: AppBundle, wantsFiles: Bool, prefix: String?) {
        self.bundle = bundle
        self.wantsFiles = wantsFiles
        self.prefix = prefix
    }
}

/// Which programs may run as an app.
///
/// What runs as an app's user is the app. So that is what lies in the app's own directory, where only those put
/// programs who could replace the app. Where apps have no users of their own nothing is kept apart that way.
package enum AppProgram {
    // What Linux takes for one path.
    private static let longest = 4_096

    /// The real path of a program of the app; nothing if it is not one of those that may run.
    package static func path(_ name: String, of app: AppBundle, orAny: Bool, searching path: String?) -> String? {
        guard (1..<longest).contains(name.utf8.count), !name.utf8.contains(0) else { return nil }
        let inside = name.hasPrefix("/") ? name : app.directory + "/" + name
        if let program = runnable(inside), orAny || isOwn(program, of: app) { return program }
        guard orAny, !name.contains("/") else { return nil }
        let folders = (path ?? "/usr/bin:/bin").split(separator: ":").filter { $0.hasPrefix("/") }
        return folders.lazy.compactMap { runnable($0 + "/" + name) }.first
    }

    // By real paths: no link leads out of the app.
    private static func isOwn(_ program: String, of app: AppBundle) -> Bool {
        if program == real(app.executable) { return true }
        // An extension is the one program; and an app is not what it only contains.
        guard app.role == nil, !app.family.contains(where: { real($0.executable) == program }) else { return false }
        // An app that does not describe itself is one program, wherever that lies among others.
        guard FileManager.default.fileExists(atPath: app.directory + "/Info.plist"), let home = real(app.directory)
        else { return false }
        return program.hasPrefix(home + "/")
    }

    private static func runnable(_ path: String) -> String? {
        guard let program = real(path) else { return nil }
        var isDirectory: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: program, isDirectory: &isDirectory), !isDirectory.boolValue,
            FileManager.default.isExecutableFile(atPath: program)
        else { return nil }
        return program
    }

    private static func real(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
