import Foundation
import Synchronization
import Testing
import Waiting

/// People at the device who are not root open apps: from a menu, which runs `martlet-agent open`, or in a terminal.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)), .enabled(if: Road.appsHaveUsers, "only root gives apps users"))
struct PersonAtDeviceTests {
    private static let person: UInt32 = 12_345

    /// The app runs as neither of both, speaks to the person's terminal, and hears what the terminal says.
    @Test func aPersonOpensAnAppOnTheirTerminal() async throws {
        try await Terminal.with { terminal in
            let app = try terminal.open("com.example.shell", as: Self.person)
            let begun = try await app.line(containing: "user ")
            let user = try #require(UInt32(begun.text.split(separator: " ")[1]))
            #expect(user >= 1_900_000_000)
            _ = try await app.line(containing: "terminal True")
            try terminal.type("how are you\n")
            _ = try await app.line(containing: "read how are you")
            for signal in [SIGWINCH, SIGHUP, SIGQUIT, SIGTERM, SIGINT] {
                app.send(signal)
                _ = try await app.line("signal \(signal)") { $0 == "signal \(signal)" }
            }
            #expect(try await app.exit() == 7)
        }
    }

    /// B11: what an app started may outlive it with its terminal, which is not the person's.
    @Test func whatAnAppLeftBehindDoesNotReadWhatIsTypedNext() async throws {
        try await Terminal.with { terminal in
            let before = terminal.settings
            let app = try terminal.open("com.example.shell", as: Self.person, ["leave-a-child"])
            #expect(try await app.exit() == 0)
            #expect(terminal.settings == before)
            try terminal.type("correct horse battery staple\n")
            let read = terminal.road.agentDirectory + "/app-homes/com.example.shell+\(Self.person)@unsigned/read"
            try await eventually("the child has read") { FileManager.default.fileExists(atPath: read) }
            #expect(try String(contentsOfFile: read, encoding: .utf8) == "nothing")
        }
    }

    /// The app's terminal is as large as the person's, knows the keys for signals, and leaves the person's as it was.
    @Test func theTerminalOfAnAppIsAsThePersonsIs() async throws {
        try await Terminal.with { terminal in
            try terminal.resize(columns: 91, lines: 37)
            let before = terminal.settings
            let app = try terminal.open("com.example.shell", as: Self.person)
            _ = try await app.line(containing: "terminal True 91 37")
            try await eventually("the terminal is the app's") { terminal.settings != before }
            try terminal.resize(columns: 77, lines: 22)
            app.send(SIGWINCH)
            _ = try await app.line(containing: "size 77 22")
            try terminal.type("\u{3}")
            _ = try await app.line(containing: "signal \(SIGINT)")
            #expect(try await app.exit() == 7)
            #expect(terminal.settings == before)
            // Also where the app is ended from elsewhere, and where there is none to open.
            let other = try terminal.open("com.example.shell", as: Self.person)
            let process = try #require(
                Int32(try await other.line(containing: "process ").text.split(separator: " ")[1]))
            try await eventually("the terminal is the app's") { terminal.settings != before }
            kill(process, SIGKILL)
            #expect(try await other.exit() == 128 + SIGKILL)
            #expect(terminal.settings == before)
            let none = try terminal.open("com.example.none", as: Self.person)
            _ = try await none.line(
                containing: "no app of this identifier that can be used is in the directories of apps: /")
            #expect(try await none.exit() == 1)
            #expect(terminal.settings == before)
        }
    }

    /// Stopped and gone on with, as ^Z and `fg` do it.
    @Test func anAppStopsAndGoesOnWithItsCommand() async throws {
        try await Terminal.with { terminal in
            let app = try terminal.open("com.example.shell", as: Self.person)
            let process = try #require(
                Int32(try await app.line(containing: "process ").text.split(separator: " ")[1]))
            app.send(SIGTSTP)
            for one in [process, app.identifier] { try await eventually("\(one) stops") { try state(of: one) == "T" } }
            app.send(SIGCONT)
            for one in [process, app.identifier] {
                try await eventually("\(one) goes on") { try state(of: one) != "T" }
            }
            app.send(SIGINT)
            #expect(try await app.exit() == 7)
        }
    }

    /// What brings code into a program is not a person's to give; root may.
    @Test func aPersonsEnvironmentBringsNoCodeIntoAnApp() async throws {
        try await Terminal.with { terminal in
            let code = terminal.road.home.appending(path: "code")
            try FileManager.default.createDirectory(at: code, withIntermediateDirectories: true)
            try Data("print('code from outside', flush=True)\n".utf8)
                .write(to: code.appending(path: "sitecustomize.py"))
            let variables = [
                "PYTHONPATH": code.path, "LC_MESSAGES": "de_CH.UTF-8", "LANGUAGE": "../../..\(code.path):de",
                "TZ": code.path, "TERM": "../../x",
            ]
            let root = try terminal.open("com.example.shell", as: 0, environment: variables)
            _ = try await root.line(containing: "code from outside")
            let app = try terminal.open("com.example.shell", as: Self.person, environment: variables)
            _ = try await app.line(containing: "language de_CH.UTF-8")
            // A path in one of these is a file that the app would read: B6.
            _ = try await app.line(containing: "files None None None")
            #expect(!app.output.contains { $0.text.contains("code from outside") })
        }
    }

    /// Put there with the app, started by the agent, of the newest version, and gone with the app.
    @Test func anInstalledAppIsInPeoplesMenus() async throws {
        try await Road.with { road in
            var developer = try await Developer.on(road)
            developer.desktopEntry = """
                [Desktop Entry]
                Type=Application
                Name=Viewer
                Icon=Resources/part.txt
                Exec=viewer
                """
            try await road.enroll()
            try await road.stop(road.agent)
            let menu = road.home.appending(path: "menu").path
            try await road.startAgent("--desktop-entries", menu)
            try await developer.configure("Autumn")
            try await developer.publish("1.0")
            try await developer.viewer.assign()
            try await road.appIsManaged(version: "1.0")
            let path = menu + "/\(Developer.app).desktop"
            try await eventually("the menu has it") { FileManager.default.fileExists(atPath: path) }
            let command = try field("Exec", path).split(separator: " ").map(String.init)
            let app = try RunningProcess(
                "menu", URL(filePath: "/usr/bin/setpriv"),
                ["--reuid=\(Self.person)", "--regid=\(Self.person)", "--clear-groups"] + command,
                environment: Road.environment(road.home))
            road.processes.withLock { $0.append(app) }
            _ = try await app.line(containing: "viewer 1.0 with 1.0")
            let icon = try field("Icon", path)
            #expect(try String(contentsOfFile: icon, encoding: .utf8) == "1.0\n")
            app.send(SIGTERM)
            try await developer.publish("1.1")
            // What lay there may go while it is looked at.
            try await eventually("the menu has the newer version") {
                (try? String(contentsOfFile: field("Icon", path), encoding: .utf8)) == "1.1\n"
            }
            try await road.martlet("unassign", "teachers", Developer.app)
            try await eventually("the menu has it no more") { !FileManager.default.fileExists(atPath: path) }
        }
    }

    private func field(_ name: String, _ path: String) throws -> String {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        return String(lines.first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1) ?? "")
    }

    /// All else is root's to ask; who is no person is not heard at all.
    @Test func aPersonMayOpenAppsAndNothingElse() async throws {
        try await Terminal.with { terminal in
            for arguments in [
                ["exec", "com.example.shell", "--", "app"], ["app", "list"], ["unenroll"],
                ["app", "remove", "com.example.shell"],
            ] {
                let refused = try terminal.agent(arguments, as: Self.person)
                #expect(try await refused.exit() != 0, "\(arguments)")
                try await refused.drained()
                #expect(!refused.output.contains { $0.text.hasPrefix("user ") }, "\(arguments)")
            }
            let service = try terminal.open("com.example.shell", as: 999)
            #expect(try await service.exit() == 1)
        }
    }

    /// Each command holds a connection for as long as its app runs.
    @Test func whatPeopleHaveOpenIsBoundedForEachAndForAllOfThem() async throws {
        try await Terminal.with { terminal in
            func heard(_ crowd: RunningProcess) async throws -> String {
                String(try await crowd.line(containing: "crowd: ").text.dropFirst(7))
            }
            let first = try terminal.crowd(70, as: Self.person)
            #expect(try await heard(first) == "64")
            for other in 1...2 {
                #expect(try await heard(terminal.crowd(64, as: Self.person + UInt32(other))) == "64")
            }
            let fourth = Self.person + 3
            #expect(try await heard(terminal.crowd(1, as: fourth)) == "0")
            _ = try await terminal.open("com.example.shell", as: 0).line(containing: "user ")
            first.killNow()
            // Until the agent has noticed that those have gone, the command ends without its app.
            try await eventually("there is room for another") { () -> Bool in
                let app = try terminal.open("com.example.shell", as: fourth)
                return try await app.lineOrEnd("its user") { $0.hasPrefix("user ") } != nil
            }
        }
    }

    private func state(of process: Int32) throws -> String {
        let fields = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return String(fields.split(separator: ")").last?.split(separator: " ").first ?? "")
    }
}

/// A terminal of some person's, and an app that says what it hears there.
private struct Terminal {
    let road: Road
    private let ours: FileHandle
    private let theirs: FileHandle

    private static let app = """
        #!/usr/bin/python3
        import os, signal, sys
        if sys.argv[1:] == ["leave-a-child"]:
            child, begun = os.pipe()
            if os.fork() == 0:
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
                os.write(begun, b"!")
                try: text = os.read(0, 100)
                except OSError: text = b"nothing"
                with open(os.environ["HOME"] + "/read.new", "wb") as file: file.write(text or b"nothing")
                os.rename(os.environ["HOME"] + "/read.new", os.environ["HOME"] + "/read")
                os._exit(0)
            os.read(child, 1)
            os._exit(0)
        def heard(number, frame):
            print("signal", number, flush=True)
            if number == signal.SIGWINCH: print("size", *os.get_terminal_size(0), flush=True)
            if number == signal.SIGINT: os._exit(7)
        for number in (signal.SIGWINCH, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, heard)
        print("user", os.getuid(), flush=True)
        print("process", os.getpid(), flush=True)
        print("language", os.environ.get("LC_MESSAGES"), flush=True)
        print("files", os.environ.get("LANGUAGE"), os.environ.get("TZ"), os.environ.get("TERM"), flush=True)
        print("terminal", os.isatty(0), *os.get_terminal_size(0), flush=True)
        for line in sys.stdin: print("read", line, end="", flush=True)
        signal.pause()
        """

    static func with(_ body: (Terminal) async throws -> Void) async throws {
        try await Road.with { road in
            let bundle = road.home.appending(path: "apps/shell.app")
            try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
            try Data(app.utf8).write(to: bundle.appending(path: "app"))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: bundle.appending(path: "app").path)
            let information = [
                "CFBundleIdentifier": "com.example.shell", "CFBundleExecutable": "app", "CFBundleVersion": "1",
            ]
            try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
                .write(to: bundle.appending(path: "Info.plist"))
            try await road.startAgent()
            var master: Int32 = -1
            var slave: Int32 = -1
            try #require(unsafe openpty(&master, &slave, nil, nil, nil) == 0)
            let terminal = Terminal(
                road: road, ours: FileHandle(fileDescriptor: master, closeOnDealloc: true),
                theirs: FileHandle(fileDescriptor: slave, closeOnDealloc: true))
            try await body(terminal)
        }
    }

    /// What the terminal does with input and output, by its bits.
    var settings: [UInt32] {
        var settings = termios()
        unsafe tcgetattr(theirs.fileDescriptor, &settings)
        return [settings.c_iflag, settings.c_oflag, settings.c_lflag]
    }

    func resize(columns: UInt16, lines: UInt16) throws {
        var size = winsize(ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(unsafe ioctl(ours.fileDescriptor, UInt(TIOCSWINSZ), &size) == 0)
    }

    func type(_ text: String) throws { try ours.write(contentsOf: Data(text.utf8)) }

    func open(
        _ identifier: String, as user: UInt32, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> RunningProcess {
        let given = arguments.isEmpty ? [] : ["--"] + arguments
        return try agent(["open", identifier] + given, as: user, environment: environment)
    }

    /// Many connections of a person's to where commands are heard.
    func crowd(_ count: Int, as user: UInt32) throws -> RunningProcess {
        try Impostors(road: road, app: RoadApp(road: road, identifier: "com.example.shell"))
            .stranger(["crowd", road.agentDirectory + "/control.socket", "\(count)"], as: user)
    }

    /// The agent's command, run by a person; its output is read by us, its input is the terminal.
    func agent(_ arguments: [String], as user: UInt32, environment: [String: String] = [:]) throws -> RunningProcess {
        let place = ["--directory", road.agentDirectory]
        let split = arguments.firstIndex(of: "--") ?? arguments.endIndex
        let all = Array(arguments[..<split]) + place + Array(arguments[split...])
        let process = try RunningProcess(
            "person", URL(filePath: "/usr/bin/setpriv"),
            ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", Road.binary("martlet-agent").path] + all,
            environment: Road.environment(road.home).merging(environment) { $1 }, input: theirs)
        road.processes.withLock { $0.append(process) }
        return process
    }
}
