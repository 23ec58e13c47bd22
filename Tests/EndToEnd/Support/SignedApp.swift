import AppPackages
import Foundation

/// An app of a signed package on a road: its program is Python itself, which does whatever a test has it do.
struct SignedApp {
    static let secret = "for-launched-apps"
    static let python = URL(filePath: "/usr/bin/python3").resolvingSymlinksInPath()

    let impostors: Impostors
    let identifier: String

    var road: Road { impostors.road }
    var directory: URL { road.home.appending(path: "apps/\(identifier).app") }
    var program: String { directory.appending(path: "app").path }

    /// A road on which such an app is assigned and has a configuration and the password `account`; with extensions of these
    /// kinds, by what follows the app's identifier.
    static func with(
        extensions: [String: String] = [:], _ body: (SignedApp) async throws -> Void
    ) async throws {
        try await Impostors.with { impostors in
            let app = SignedApp(impostors: impostors, identifier: "com.example.signed")
            try await app.install(extensions: extensions)
            try await impostors.road.martlet("app", "create", app.identifier, "--name", "Signed")
            let named = RoadApp(road: impostors.road, identifier: app.identifier)
            try await named.configure(json: #"{"colour": "blue"}"#)
            try await named.assign()
            try await impostors.road.setPassword("launched", secret)
            try await impostors.road.give("launched", to: app.identifier, as: "account")
            try await impostors.road.synchronised()
            try await body(app)
        }
    }

    /// Packs and signs the app as a developer does, and unpacks it as a device does.
    ///
    /// Devices know the team, unless `isKnown` says otherwise: then it only calls itself that.
    func install(
        team: String = "TEAM123456", isKnown: Bool = true, in folder: String? = nil, extensions: [String: String] = [:]
    ) async throws {
        let name = UUID().uuidString
        let bundle = road.home.appending(path: "packages/\(name)")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: Self.python, to: bundle.appending(path: "app"))
        for name in extensions.keys {
            try FileManager.default.copyItem(at: Self.python, to: bundle.appending(path: name))
        }
        let information: [String: Any] = [
            "CFBundleIdentifier": identifier, "CFBundleExecutable": "app", "CFBundleVersion": "1",
            "MartletExtensions": extensions.sorted { $0.key < $1.key }.map { name, kind in
                [
                    "CFBundleIdentifier": "\(identifier).\(name)", "CFBundleExecutable": name,
                    "NSExtensionPointIdentifier": kind,
                ]
            },
        ]
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: bundle.appending(path: "Info.plist"))
        // Another of its programs, which says what it was given.
        let tool = bundle.appending(path: "tool")
        let script = "#!/bin/sh\ncd \"$MARTLET_FILES\" && echo tool: ${CONFIG_COLOUR-nothing} $(find . -name account)\n"
        try Data(script.utf8).write(to: tool)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tool.path)
        let martlet = Road.binary("martlet").path
        try await road.shell(
            """
            cd packages && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(name).key \
            -out \(name).pem -days 30 -subj '/O=Example/OU=\(team)/CN=Team' \
            -addext basicConstraints=critical,CA:FALSE -addext keyUsage=critical,digitalSignature \
            -addext extendedKeyUsage=codeSigning 2>/dev/null && openssl x509 -in \(name).pem -outform DER \
            -out \(name).der && '\(martlet)' app build \(name) -o \(name).package && \
            '\(martlet)' app sign \(name).package --certificate \(name).pem --key \(name).key
            """)
        let packages = road.home.appending(path: "packages")
        let certificate = try Data(contentsOf: packages.appending(path: name + ".der"))
        let place = folder.map { road.home.appending(path: "apps/\($0)") } ?? directory
        _ = try VerifiedPackage.unpack(
            try PackageFile(path: packages.appending(path: name + ".package").path), to: place.path,
            trust: try TeamTrust([certificate]), now: Date())
        // Then the device looks at what lies there.
        if isKnown { try await road.martlet("team", "add", packages.appending(path: name + ".pem").path) }
    }

    /// Its program, started by somebody other than the agent; answers with its first word.
    func elsewhere(
        _ what: String, _ arguments: String..., program: String? = nil, as user: UInt32 = 65_534,
        environment: [String: String] = [:]
    ) async throws -> String {
        let process = try start(what, arguments, program: program, as: user, environment: environment)
        return String(try await process.line(containing: what + ": ").text.dropFirst(what.count + 2))
    }

    /// The same, which goes on.
    func start(
        _ what: String, _ arguments: [String] = [], program: String? = nil, as user: UInt32 = 65_534,
        environment: [String: String] = [:]
    ) throws -> RunningProcess {
        var variables = ["MARTLET_AGENT_SOCKET": impostors.agentSocket, "PYTHONHOME": "/usr"]
        variables.merge(environment) { $1 }
        return try impostors.play(
            "caller.py", [what] + arguments, as: user, environment: variables, program: program ?? self.program)
    }

    /// The app as the agent launches it.
    func launch(
        _ what: String, _ argument: String = "", part: String? = nil, environment: [String: String] = [:]
    ) throws -> RunningProcess {
        let script = try impostors.script("caller.py")
        return try RoadApp(road: road, identifier: part.map { "\(identifier).\($0)" } ?? identifier).open(
            script, what, argument, environment: environment.merging(["PYTHONHOME": "/usr"]) { $1 })
    }

    /// The same, and its first word.
    func launched(
        _ what: String = "launched", _ argument: String = "", part: String? = nil, environment: [String: String] = [:]
    ) async throws -> String {
        let process = try launch(what, argument, part: part, environment: environment)
        let told = try await process.line("what it was told") {
            $0.hasPrefix(what + ": ") || $0.hasPrefix("martlet-agent: ")
        }
        return String(told.text.drop { $0 != " " }.dropFirst())
    }

    /// What `martlet-agent exec` says of one of its programs.
    func exec(_ command: String...) async throws -> String {
        let told = try await road.run(
            "martlet-agent", ["exec", identifier, "--directory", road.agentDirectory, "--"] + command)
        return told.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// How often the agent has refused something.
    func refusals(_ reason: String) async throws -> Int { try await road.refusals(reason) }
}

extension Road {
    /// How often the agent has refused something.
    func refusals(_ reason: String) async throws -> Int {
        let status = try await run("martlet-agent", ["status", "--directory", agentDirectory, "--json"])
        let known = try JSONSerialization.jsonObject(with: Data(status.text.utf8)) as? [String: Any]
        return ((known?["refusals"] as? [String: Any])?[reason] as? Int) ?? -1
    }
}
