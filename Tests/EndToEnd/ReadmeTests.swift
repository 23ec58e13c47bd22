import Foundation
import GuideBlocks
import Testing
import Waiting

/// The first hour as README has it, line by line, and then the guide's section on passwords.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct ReadmeTests {
    private static let shown = "Managed Collection: Parks to visit"

    /// README's section "By hand" leads to an app that shows its collection, and a password takes nothing from it.
    ///
    /// Red where README leaves out a file that a later line reads, as `collection.json` was once, or where a line has
    /// words that a program does not take.
    @Test func theLinesOfTheFirstHourLeadToAnAppThatShowsItsCollection() async throws {
        let text = try String(contentsOf: Guide.tree.appending(path: "README.md"), encoding: .utf8)
        let blocks = Guide("README", text).blocks.filter { $0.section == "By hand" }
        try #require(blocks.count == 2)
        let guides = try Guide.all()
        let guide = try #require(guides.first { $0.name == "Administrators" })
        let passwords = guide.blocks.filter { $0.section == "A password" && $0.language == "sh" }
        try #require(passwords.count == 1)
        try await Road.with { road in
            let desk = try ReadmeDesk(on: road)
            try await desk.done(blocks[0].text)
            let lines = ReadmeDesk.lines(of: blocks[1].text)
            try #require(lines.count == 11)

            let server = try desk.start("\(lines[0]) --port \(desk.port)")
            _ = try await server.line(containing: "martlet-server ready https://")
            let authority = try await server.line(after: 0, "the authority") { $0.hasPrefix("authority: ") }
            #expect(authority.text.hasSuffix("/martlet-server/ca.pem"), "\(authority.text)")
            let said = try await server.line(containing: "one-time password: ").text
            let once = try #require(said.split(separator: " ").last)
            try desk.write("\(once)\n\(road.password)\n", to: "login.txt")
            let login = lines[1].replacing(":8443", with: ":\(desk.port)")
            try await desk.done("\(login) --password-stdin --new-password-stdin < login.txt")
            for line in lines[2...5] { try await desk.done(desk.adapted(line)) }

            // It prints what the device has to say, and README shows how that begins.
            let made = ReadmeDesk.lines(of: try await desk.done(lines[6]))
            let enroll = try #require(made.first { $0.hasPrefix("martlet-agent enroll ") })
            #expect(GuideBlock.says(lines[8], in: enroll), "\(lines[8]): \(enroll)")
            let code = try #require(made.first { $0.hasPrefix("code ") }?.split(separator: " ").last)
            let agent = try desk.start(lines[7])
            _ = try await agent.line(containing: "martlet-agent ready ")
            try await desk.done("\(enroll) --code-file \(road.codeFile(String(code)))")

            let app = try desk.start(lines[9])
            let first = try await app.line(containing: Self.shown)
            let name = try await desk.name()
            let show = lines[10].replacing("<device>", with: "'\(name)'")
            try await desk.expect("decoded", of: show)

            try desk.write("planted-one\n", to: "password.txt")
            for line in ReadmeDesk.lines(of: passwords[0].text) {
                try await desk.done(desk.adapted(line))
                try await desk.done("martlet device wait '\(name)' --synchronised --timeout \(Road.longest)")
                try await desk.expect("decoded", of: show)
                let isGone = app.output.dropFirst(first.index).contains { isAnEmptyView($0.text) }
                #expect(app.isRunning && !isGone, "\(line)")
            }
        }
    }
}

/// A home in which README's lines are typed, beside a road, which ends what they start.
private struct ReadmeDesk {
    let port: Int
    private let road: Road
    private let environment: [String: String]

    /// Lays out the tree as README finds it after `make build`.
    init(on road: Road) throws {
        self.road = road
        port = try KeptPort.next()
        let products = Road.binary("martlet").deletingLastPathComponent()
        var environment = Road.environment(road.home)
        environment["HOME"] = road.home.path
        environment["PATH"] = products.path + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        environment["MARTLET_SESSION"] = road.home.appending(path: "readme-session.json").path
        environment["MARTLET_AGENT_DIRECTORY"] = road.agentDirectory
        self.environment = environment
        let build = road.home.appending(path: ".build")
        try FileManager.default.createDirectory(at: build, withIntermediateDirectories: true)
        for (place, target) in [
            (build.appending(path: "debug"), products),
            (road.home.appending(path: "Examples"), Guide.tree.appending(path: "Examples")),
        ] {
            try FileManager.default.createSymbolicLink(at: place, withDestinationURL: target)
        }
    }

    /// The commands of a text, one a line, without comments.
    static func lines(of text: String) -> [String] {
        text.split(separator: "\n").map { line in
            String(line.prefix { $0 != "#" }).trimmingCharacters(in: .whitespaces)
        }.filter { !$0.isEmpty }
    }

    /// The same line where apps share a user: there an assignment says that this is enough.
    func adapted(_ line: String) -> String {
        !Road.appsHaveUsers && line.hasPrefix("martlet assign ") ? line + " --lowest-trust shared" : line
    }

    func write(_ text: String, to file: String) throws {
        try Data(text.utf8).write(to: road.home.appending(path: file))
    }

    /// Types a command that stays in the foreground.
    func start(_ command: String) throws -> RunningProcess {
        let process = try shell("exec \(command)")
        road.keep(process)
        return process
    }

    /// Types a command that ends, and answers what it printed.
    @discardableResult
    func done(_ command: String) async throws -> String {
        let process = try shell(command)
        let status = try await process.exit()
        if status == nil { process.killNow() }
        try await process.drained()
        let text = process.output.map(\.text).joined(separator: "\n")
        guard status == 0 else { throw Road.Broken(description: "\(command): \(text)") }
        return text
    }

    /// Waits until the line that a command prints about the app has a word.
    func expect(_ word: String, of command: String) async throws {
        var text = ""
        try await eventually("\(command) shows \(Road.app) as \(word), but \(text)") { () -> Bool in
            text = try await done(command)
            return text.split(separator: "\n").contains { $0.hasPrefix(Road.app) && $0.contains(word) }
        }
    }

    /// The device's name, as the list shows it; its ID where it has none.
    func name() async throws -> String {
        struct Listed: Decodable {
            let id: String
            let name: String?
        }
        let listed = try await done("martlet device list --json")
        let devices = try JSONDecoder().decode([Listed].self, from: Data(listed.utf8))
        try #require(devices.count == 1)
        return devices[0].name ?? devices[0].id
    }

    private func shell(_ command: String) throws -> RunningProcess {
        try RunningProcess(
            "sh", URL(filePath: "/bin/sh"), ["-ec", "cd \"$1\"\n\(command)", "sh", road.home.path],
            environment: environment)
    }
}
