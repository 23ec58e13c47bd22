import Foundation
import Testing

/// An app on a road with extensions in it, each a program of its own.
struct AppWithExtensions {
    struct Part {
        /// What follows the app's identifier.
        let name: String
        let kind: String
        let program: String
        var isRestricted = false
        /// Where the program is, if it is a script and not built.
        var script: URL?
    }

    let app: RoadApp
    var road: Road { app.road }

    /// Puts app and extensions into the device's app directory and makes the app known to the administrator.
    static func installed(
        _ program: String, as identifier: String, with parts: [Part], on road: Road
    ) async throws -> AppWithExtensions {
        let app = AppWithExtensions(app: try await RoadApp.installed(program, as: identifier, on: road))
        let folder = app.directory.appending(path: "Extensions")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (program, parts) in Dictionary(grouping: parts, by: \.program) {
            let source = parts.first?.script ?? Road.binary(program)
            try FileManager.default.copyItem(at: source, to: folder.appending(path: program))
        }
        let information: [String: Any] = [
            "CFBundleIdentifier": identifier, "CFBundleExecutable": program, "CFBundleVersion": "1",
            "MartletExtensions": parts.map { part in
                [
                    "CFBundleIdentifier": "\(identifier).\(part.name)", "NSExtensionPointIdentifier": part.kind,
                    "CFBundleExecutable": "Extensions/\(part.program)", "MartletRestricted": part.isRestricted,
                ] as [String: Any]
            },
        ]
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: app.directory.appending(path: "Info.plist"))
        return app
    }

    var directory: URL { road.home.appending(path: "apps/\(app.identifier).app") }

    /// One of its extensions, to be opened as an app is.
    func part(_ name: String) -> RoadApp { RoadApp(road: road, identifier: "\(app.identifier).\(name)") }

    /// Sets one of the app's configurations.
    func configure(_ name: String, json: String) async throws {
        let file = road.home.appending(path: "\(UUID().uuidString).json")
        try Data(json.utf8).write(to: file)
        try await road.martlet("configuration", "set", app.identifier, name, "--file", file.path)
    }

    /// Gives a secret to one of its extensions.
    func give(_ secret: String, to part: String, as identifier: String) async throws {
        try await road.martlet(
            "secret", "assign", "teachers", app.identifier, "--extension", "\(app.identifier).\(part)", "--identifier",
            identifier, "--secret", secret)
    }

    /// How often the agent has refused something.
    func refusals(_ reason: String, _ options: String...) async throws -> Int {
        let status = try await road.run(
            "martlet-agent", ["status", "--directory", road.agentDirectory, "--json"] + options)
        let known = try JSONSerialization.jsonObject(with: Data(status.text.utf8)) as? [String: Any]
        return ((known?["refusals"] as? [String: Any])?[reason] as? Int) ?? -1
    }

    /// Grants full access to an extension at the device, or revokes it.
    func setFullAccess(_ part: String, _ access: String) async throws -> (status: Int32, text: String) {
        try await road.run(
            "martlet-agent",
            ["app", "full-access", "\(app.identifier).\(part)", access, "--directory", road.agentDirectory])
    }
}
