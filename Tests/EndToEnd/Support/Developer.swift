import Foundation
import Testing
import Waiting

/// The developer of `com.example.viewer`, who packs it, signs it as a team, and has the administrator host it.
struct Developer {
    static let app = "com.example.viewer"

    let road: Road
    /// What the packages bring for desktops' menus, if anything.
    var desktopEntry: String?
    /// What the packages publish about configurations, if anything.
    var specification: String?

    static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Packaged/viewer.py").standardizedFileURL

    /// Makes a team, which the fleet trusts, and the app known to the administrator.
    static func on(_ road: Road) async throws -> Developer {
        let developer = Developer(road: road)
        try await developer.makeTeam("team", identifier: "TEAM123456")
        try await road.martlet("team", "add", road.home.appending(path: "team.pem").path)
        try await road.martlet("app", "create", app, "--name", "Viewer")
        return developer
    }

    /// A team's key and certificate, as `NAME.key` and `NAME.pem`.
    func makeTeam(_ name: String, identifier: String) async throws {
        try await road.shell(
            """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(name).key -out \(name).pem \
            -days 30 -subj '/O=Example/OU=\(identifier)/CN=\(name)' -addext keyUsage=critical,digitalSignature -addext basicConstraints=critical,CA:FALSE \
            -addext extendedKeyUsage=critical,codeSigning 2>/dev/null
            """)
    }

    /// Lays the app's files out in a directory.
    func layOut(_ directory: URL, version: String, identifier: String = app, program: URL? = nil, bytes: Int = 0)
        throws
    {
        let resources = directory.appending(path: "Resources")
        try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
        let text = try String(contentsOf: Self.script, encoding: .utf8)
            .replacing("#VERSION#", with: version)
        let viewer = directory.appending(path: "viewer")
        if let program {
            try FileManager.default.copyItem(at: program, to: viewer)
        } else {
            try Data(text.utf8).write(to: viewer)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: viewer.path)
        try Data((version + "\n").utf8).write(to: resources.appending(path: "part.txt"))
        if bytes > 0 {
            // As bad to compress as an app's pictures.
            var random = SystemRandomNumberGenerator()
            let words = (0..<bytes / 8).map { _ in UInt64.random(in: .min ... .max, using: &random) }
            let content = unsafe words.withUnsafeBytes { unsafe Data($0) }
            try content.write(to: resources.appending(path: "pictures.bin"))
        }
        var information = [
            "CFBundleIdentifier": identifier, "CFBundleExecutable": "viewer", "CFBundleName": "Viewer",
            "CFBundleVersion": version,
        ]
        if let desktopEntry {
            information["MartletDesktopEntry"] = "Resources/viewer.desktop"
            try Data(desktopEntry.utf8).write(to: resources.appending(path: "viewer.desktop"))
        }
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: directory.appending(path: "Info.plist"))
    }

    /// Packs and signs a version.
    func pack(_ version: String, team: String = "team", program: URL? = nil, bytes: Int = 0) async throws -> URL {
        let directory = road.home.appending(path: "build-\(version)/Viewer.app")
        try layOut(directory, version: version, program: program, bytes: bytes)
        let package = road.home.appending(path: "viewer-\(version).tar.zst")
        if let specification {
            let file = road.home.appending(path: "specification.json")
            try Data(specification.utf8).write(to: file)
            try await road.martlet(
                "app", "build", directory.path, "-o", package.path, "--specification", file.path)
        } else {
            try await road.martlet("app", "build", directory.path, "-o", package.path)
        }
        try await road.martlet(
            "app", "sign", package.path, "--certificate", road.home.appending(path: "\(team).pem").path, "--key",
            road.home.appending(path: "\(team).key").path)
        return package
    }

    /// Packs a version and has devices get it.
    func publish(
        _ version: String, install: String = "required", program: URL? = nil, bytes: Int = 0
    ) async throws {
        let package = try await pack(version, program: program, bytes: bytes)
        let text = try await road.martlet("app", "package", "upload", package.path, "--stage", "--json")
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let digest = try #require(answer["sha256"] as? String)
        try await road.martlet(
            "app", "source", "set", Self.app, "--platform", "linux", "--package", digest, "--install", install)
    }

    func configure(_ title: String) async throws {
        try await viewer.configure(json: #"{"title": "\#(title)"}"#)
    }

    var viewer: RoadApp { RoadApp(road: road, identifier: Self.app) }
}

/// The apps as a person at the device sees them.
extension Road {
    /// One app of `martlet-agent app list`; nothing if it is not among them.
    func listedApp(_ identifier: String = Developer.app) async throws -> [String: Any]? {
        let (status, text) = try await run(
            "martlet-agent", ["app", "list", "--json", "--directory", agentDirectory])
        guard status == 0 else { throw Broken(description: "app list: \(text)") }
        let list = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        return list.first { $0["bundleIdentifier"] as? String == identifier }
    }

    /// Waits until the app is listed as `condition` demands.
    @discardableResult
    func app(
        _ what: String, named identifier: String = Developer.app, within patience: Duration = patience,
        where condition: ([String: Any]?) -> Bool
    ) async throws -> [String: Any]? {
        var app: [String: Any]?
        try await eventually("the app \(what), but \(String(describing: app))", within: patience) { () -> Bool in
            app = try await listedApp(identifier)
            return condition(app)
        }
        return app
    }

    /// Waits until this version is installed and managed.
    func appIsManaged(version: String, within patience: Duration = patience) async throws {
        try await app("managed in version \(version)", within: patience) {
            $0?["state"] as? String == "managed" && $0?["version"] as? String == version
        }
    }

    /// The program of the one app that lies there.
    func managedProgram() throws -> String {
        let name = try #require(try managedApps().first)
        return agentDirectory + "/managed-apps/\(name)/viewer"
    }

    /// What lies where the agent installs apps.
    func managedApps() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: agentDirectory + "/managed-apps").sorted()
    }

    /// Waits until the administrator sees the app so.
    func shown(_ text: String, within patience: Duration = patience) async throws {
        var shown = ""
        try await eventually("\(text) in \(shown)", within: patience) { () -> Bool in
            shown = try await deviceShown()
            return shown.contains(text)
        }
    }
}
