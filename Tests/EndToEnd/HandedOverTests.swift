import Foundation
import Testing
import Waiting

/// An administrator sees that an app which is not written in Swift was handed its configuration: it never says so itself.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct HandedOverTests {
    private static let app = "com.example.script"

    private static let reading = """
        #!/usr/bin/python3
        import os, time
        print(open(os.environ["MARTLET_FILES"] + "/configuration.json").read(), flush=True)
        time.sleep(3600)

        """

    private static let asking = """
        #!/usr/bin/python3
        import os, socket, time
        agent = socket.socket(socket.AF_UNIX)
        agent.connect(os.path.dirname(os.environ["MARTLET_AGENT_SOCKET"]) + "/app-http.socket")
        agent.sendall(b"GET /configuration HTTP/1.1\\r\\nHost: agent\\r\\n\\r\\n")
        answer = b""
        while not answer.endswith(b"}"):
            part = agent.recv(65536)
            if not part: raise SystemExit("the agent said no more than %r" % answer)
            answer += part
        print(answer.decode(), flush=True)
        time.sleep(3600)

        """

    /// Red where such an app has not read its configuration in every view, for ever.
    @Test(arguments: [true, false])
    func anAppThatSaysNothingIsNotUnreadForEver(readsFiles: Bool) async throws {
        try await Road.with { road in
            try Self.install(readsFiles ? Self.reading : Self.asking, readsFiles: readsFiles, on: road)
            try await road.martlet("app", "create", Self.app, "--name", "Script")
            let app = RoadApp(road: road, identifier: Self.app)
            try await app.configure(json: #"{"title": "Here"}"#)
            try await app.assign()
            try await road.enroll()
            try await Self.expect(["unknown", "unknown"], on: road)
            let opened = try app.open()
            _ = try await opened.line(containing: "Here")
            try await Self.expect([readsFiles ? "written" : "fetched", "unconfigured"], on: road)
            #expect(try await road.martlet("overview").contains("1 unconfigured"))
            let shown = try await road.deviceShown()
            #expect(shown.contains("Info.ConfigurationHandedOver") && shown.contains("up to date"), "\(shown)")
            guard !readsFiles else { return }
            // What it fetched was another version.
            try await app.configure(json: #"{"title": "There"}"#)
            try await Self.expect(["unknown", "unknown"], on: road)
        }
    }

    /// Waits until the device's list of apps ends the app's line in these words.
    private static func expect(_ words: [String], on road: Road) async throws {
        try await eventually("the app is \(words)") { () -> Bool in
            let line = try await road.deviceShown().split(separator: "\n").first { $0.hasPrefix(app) }
            let last = line?.split(separator: " ").suffix(2).map(String.init) ?? []
            return last == words
        }
    }

    private static func install(_ script: String, readsFiles: Bool, on road: Road) throws {
        let bundle = road.home.appending(path: "apps/Script.app")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let program = bundle.appending(path: "script")
        try Data(script.utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        let information: [String: Any] = [
            "CFBundleIdentifier": app, "CFBundleExecutable": "script", "CFBundleVersion": "1",
            "MartletFiles": readsFiles,
        ]
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: bundle.appending(path: "Info.plist"))
    }
}
