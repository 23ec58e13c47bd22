import Foundation
import StoreSQLite
import Testing

/// Nothing that a person made is overwritten or dropped without a word, whichever command meets it.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)))
struct NothingLostTests {
    /// What a person made, a command that meets it, and what comes of it.
    private struct Row {
        let state: String
        /// As it is typed in the test's folder.
        let command: String
        /// How the command ends; nothing where any failure will do.
        var status: Int32?
        /// What it says.
        var words = ""
        /// Files and folders that are as they were afterwards.
        var kept: [String] = []
        /// A command that shows what is kept, and what it says of it.
        var shown: (command: String, words: String)?
    }

    /// Red: a file at the place of an output was replaced by seven commands; a login replaced whatever its setting named;
    /// an agent cleared folders of a person's; a restore removed what no restore had left; a new master key took the place
    /// of one that lay ready; a specification and a table of devices replaced what others had made; a table took details
    /// of people away for which it had no column.
    @Test func tenThingsThatAPersonMadeOutliveEachCommandThatMeetsThem() async throws {
        try await Road.with { road in
            try await Self.prepare(road)
            let parts: [[Row]] = [
                Self.outputs, Self.settings, Self.agents, Self.servers, Self.others, Self.ofTheServer,
            ]
            let rows = parts.flatMap { $0 }
            #expect(Set(rows.map(\.state)).count >= 10)
            for row in rows { try await Self.expectKept(row, road) }
        }
    }

    private static func expectKept(_ row: Row, _ road: Road) async throws {
        let name = "\(row.state): \(row.command)"
        let before = row.kept.map { content(of: road.home.appending(path: $0)) }
        let isThere = before.allSatisfy { !$0.isEmpty }
        #expect(isThere, "\(name) meets something")
        let (status, text) = try await shell(row.command, road)
        let isRight = if let wanted = row.status { status == wanted } else { status > 0 }
        #expect(isRight, "\(name) ended with \(status): \(text)")
        #expect(row.words.isEmpty || text.contains(row.words), "\(name): \(text)")
        let after = row.kept.map { content(of: road.home.appending(path: $0)) }
        #expect(after == before, "\(name)")
        guard let shown = row.shown else { return }
        let said = try await shell(shown.command, road)
        #expect(said.text.contains(shown.words), "\(name): \(said.text)")
    }

    // MARK: The table

    /// Commands that write a file where there is one.
    private static let outputs: [Row] = [
        output("certificate", "team.pem", "martlet audit export --output team.pem"),
        output("key", "team.key", "martlet app build Notes.app -o team.key"),
        output("key", "team.key", "martlet app sign none --certificate a --key b -o team.key"),
        output("configuration", "mine.plist", "martlet app manifest none --url https://a.example/b -o mine.plist"),
        output("configuration", "mine.plist", "martlet device invite \(Road.app) --output mine.plist"),
        output("specification", "mine.json", "martlet spec emit /bin/true -o mine.json"),
        output("specification", "mine.json", "martlet spec convert good.json -o mine.json"),
        output("link", "good.json", "ln -sf nowhere link && martlet spec convert good.json -o link"),
    ]

    private static func output(_ state: String, _ file: String, _ command: String) -> Row {
        Row(state: state, command: command, status: 4, words: "--replace", kept: [file])
    }

    private static let settings: [Row] = [
        Row(
            state: "settings",
            command: """
                MARTLET_SESSION=mine.json martlet login --server https://localhost:1 --password-stdin \
                --ca-fingerprint \(String(repeating: "0", count: 64))
                """, status: 4, words: "is no session file", kept: ["mine.json"]),
        Row(
            state: "directory of a fleet", command: "martlet export fleet", status: 4, words: "not empty",
            kept: ["fleet"]),
    ]

    /// A person's directory in which an agent is to work.
    private static let agents: [Row] = [
        "martlet-agent run --directory mine",
        "martlet-agent enroll --url https://localhost:1 --ca-file server/ca.pem --code-file good.json --directory mine",
        "martlet-agent unenroll --directory mine",
    ].map { Row(state: "app directory", command: $0, words: "downloads in", kept: ["mine"]) }

    private static let servers: [Row] = [
        Row(
            state: "key", command: "martlet-server rekey --data-directory server", status: 0, words: "wrapped",
            kept: ["server/master.key.new"]),
        Row(
            state: "certificate", command: "martlet-server run --data-directory own --port 0",
            words: "was not written by this server", kept: ["own/issued-server.pem"]),
        Row(
            state: "backup target", command: "martlet-server backup backup --data-directory server",
            words: "is there already", kept: ["backup"]),
        Row(
            state: "backup target", command: "martlet-server backup cut --data-directory server",
            words: "was cut off", kept: ["cut.partial"]),
        Row(
            state: "data directory in use", command: "martlet-server restore backup --data-directory server",
            words: "in use", shown: ("martlet group list", "teachers")),
    ]

    /// Data directories of other servers, of an older version, and what looks like a restore that was cut off.
    private static let others: [Row] = [
        Row(
            state: "data directory of another server",
            command: "martlet-server restore backup --data-directory other", words: "not empty",
            kept: ["other/ca.key"]),
        Row(
            state: "data directory of another server",
            command: "martlet-server run --data-directory other --port 0", words: "there is no database",
            kept: ["other/ca.key"]),
        Row(
            state: "data directory of another server",
            command: "martlet-server restore backup --data-directory half", words: "left by no restore",
            kept: ["half/ca.key", "half/restoring"]),
        Row(
            state: "data directory of an older version",
            command: "martlet-server restore backup --data-directory older", words: "not empty"),
        Row(
            state: "data directory of an older version",
            command: "martlet-server backup other-backup --data-directory older",
            words: "written by another version"),
    ]

    /// What the server keeps of what administrators said.
    private static let ofTheServer: [Row] = [
        Row(
            state: "configuration", command: "martlet configuration set \(Road.app) default --file two.json",
            status: 0, shown: ("martlet configuration show \(Road.app) default --at 1", ">one<")),
        Row(
            state: "assignment", command: "martlet assign teachers \(Road.app) --priority 3", status: 0,
            words: "with the configuration default"),
        Row(
            state: "specification", command: "martlet app specification set \(Road.app) other.json --version 9",
            status: 4, words: "--replace",
            // As it was sent: its last line has no end.
            shown: ("martlet app specification show \(Road.app) 9 && echo", "Theme")),
        Row(
            state: "secret", command: "printf 'two\\n' | martlet secret set wifi --password-stdin", status: 4,
            words: "--user-name"),
        Row(
            state: "person", command: "martlet person import departments.csv", status: 0, words: "changed 1",
            shown: ("martlet person show anna", "anna@example.com")),
        Row(
            state: "expected device",
            command: "martlet device expect-all devices.txt --group lab --trust-serial-number", status: 4,
            words: "admin expects this device otherwise, in the group teachers",
            shown: ("martlet device expected SN-1 --json", "teachers")),
    ]

    // MARK: Around it

    private static func prepare(_ road: Road) async throws {
        let files: [(String, String)] = [
            ("team.pem", "mine"), ("team.key", "mine"), ("mine.plist", "mine"), ("mine.json", "mine"),
            ("fleet/groups.json", "mine"), ("mine/downloads/film", "mine"), ("mine/notes.txt", "mine"),
            ("server/master.key.new", "mine"), ("cut.partial/mine", "mine"), ("own/issued-server.pem", "mine"),
            ("other/ca.key", "mine"), ("half/ca.key", "mine"), ("half/restoring/letters", "mine"),
            ("good.json", specification), ("other.json", specification.replacing("Theme", with: "Color")),
            ("two.json", #"{"managedCollection": {"title": "two", "landmarks": [1001]}}"#),
            ("people.csv", "userName,email\nanna,anna@example.com\n"),
            ("departments.csv", "userName,department,email\nanna,Forest,\n"), ("devices.txt", "SN-1\n"),
            ("Notes.app/Notes", "#!/bin/sh\n"), ("Notes.app/Info.plist", information),
        ]
        for (name, text) in files {
            let file = road.home.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try Data(text.utf8).write(to: file)
        }
        try FileManager.default.createDirectory(
            at: road.home.appending(path: "older"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try SQLiteStore.makeFile(path: road.home.path + "/older/martlet.sqlite", lastMigration: "people")
        try await road.configure("one")
        try await road.assign()
        try await road.setPassword("wifi", "one", userName: "guest")
        for command in [
            "chmod 755 Notes.app/Notes", "martlet group create lab", "martlet person import people.csv",
            "martlet app specification set \(Road.app) good.json --version 9",
            "martlet device expect SN-1 --group teachers --trust-serial-number",
            "martlet-server backup backup --data-directory server",
        ] {
            let (status, text) = try await shell(command, road)
            try #require(status == 0, "\(command): \(text)")
        }
    }

    private static let specification = """
        {"x-app": {"bundleIdentifier": "\(Road.app)"}, "properties": {"k": {"type": "string", "title": "Theme"}}}
        """

    private static let information = """
        <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.notes</string>
        <key>CFBundleExecutable</key><string>Notes</string><key>CFBundleVersion</key><string>1</string></dict></plist>
        """

    private static func shell(_ command: String, _ road: Road) async throws -> (status: Int32, text: String) {
        var environment = Road.environment(road.home)
        let products = Road.binary("martlet").deletingLastPathComponent().path
        environment["PATH"] = products + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        let process = try RunningProcess(
            "sh", URL(filePath: "/bin/sh"), ["-c", "cd \"$1\"\n\(command)", "sh", road.home.path],
            environment: environment)
        let status = try await process.exit()
        if status == nil { process.killNow() }
        try await process.drained()
        return (status ?? -1, process.output.map(\.text).joined(separator: "\n"))
    }

    /// The files at a place with what is in them, by their names; of a file, itself alone.
    private static func content(of place: URL) -> [String: Data] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: place.path)) ?? []
        var content: [String: Data] = [:]
        for name in names + [""] {
            content[name] = FileManager.default.contents(atPath: name.isEmpty ? place.path : "\(place.path)/\(name)")
        }
        return content
    }
}
