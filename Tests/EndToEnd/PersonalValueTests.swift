import Foundation
import Synchronization
import Testing

/// One template, two people, two devices, with the real processes (A16).
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)))
struct PersonalValueTests {
    /// S4-GOAL-02: each app gets its person's values; a change of one person reaches that person's app alone; a device
    /// that is nobody's gets nothing half filled in, and its page says why.
    @Test(.enabled(if: Device.canBeSeveral, "this machine cannot play two"))
    func oneTemplateGivesEachPersonTheirOwn() async throws {
        try await Road.with { road in
            let echo = try await RoadApp.installed("EchoApp", as: "com.example.echo", on: road)
            try await road.martlet("person", "set", "anna", "--email", "anna@example.com", "--department", "Forest")
            try Data("userName,email,fullName\nben,ben@example.com,\"Ben, the second\"\n".utf8)
                .write(to: road.home.appending(path: "people.csv"))
            let people = road.home.appending(path: "people.csv").path
            #expect(try await road.martlet("person", "import", people, "--dry-run").contains("Would add 1"))
            #expect(try await road.martlet("person", "import", people).contains("Added 1"))
            try await echo.configure(
                dictionary: """
                    <key>account</key><dict><key>user</key><string>${person.userName}</string>
                    <key>mail</key><string>&lt;${person.email}&gt;</string></dict>
                    <key>literal</key><string>$${person.email}</string>
                    """)
            try await echo.assign()
            let devices = [try await Device(1, on: road), try await Device(2, on: road)]
            try await road.martlet("device", "person", "set", devices[0].id, "anna")
            try await road.martlet("device", "wait", devices[1].id, "--synchronised", "--timeout", "30s")
            let page = try await road.martlet("device", "show", devices[1].id)
            #expect(page.contains("The configuration is withheld") && page.contains("${person.email}"), "\(page)")
            #expect(page.contains("it is nobody's"))

            let apps = try devices.map { try $0.open("com.example.echo") }
            try await expect(apps[0], "anna")
            let none = try await apps[1].line(after: 0, within: .seconds(20), "the first element") {
                $0 == "nil" || $0.hasPrefix("value ")
            }
            #expect(none.text == "nil")
            try await road.martlet("device", "person", "set", devices[1].id, "ben")
            try await expect(apps[1], "ben")

            let marks = apps.map(\.mark)
            try await road.martlet("person", "set", "anna", "--email", "graf@example.com")
            try await expect(apps[0], "anna", mail: "graf@example.com")
            try await road.martlet("device", "wait", devices[1].id, "--synchronised", "--timeout", "30s")
            let heard = apps[1].output.dropFirst(marks[1]).filter { !$0.text.hasPrefix("again ") }
            #expect(heard.isEmpty, "another person's app hears nothing")

            // Taken from its person, the device keeps nothing of them.
            let mark = apps[0].mark
            try await road.martlet("device", "person", "remove", devices[0].id)
            _ = try await apps[0].line(after: mark, within: .seconds(20), "no configuration") { $0 == "nil" }
        }
    }

    /// An unknown variable is refused when it is set, with its place and the nearest name.
    @Test func anUnknownVariableIsRefusedAtOnce() async throws {
        try await Road.with { road in
            let echo = try await RoadApp.installed("EchoApp", as: "com.example.echo", on: road)
            let list =
                "<plist version=\"1.0\"><dict><key>a</key><array><string>${person.mial}</string></array></dict></plist>"
            let text = try await echo.refused(Data(list.utf8))
            #expect(text.contains("a[0]") && text.contains("${person.email}"), "\(text)")
        }
    }

    /// A password of single devices is given to exactly those, on the record; the others' pages say why not.
    @Test(.enabled(if: Device.canBeSeveral, "this machine cannot play two"))
    func aPasswordOfOneDeviceIsGivenToThatOne() async throws {
        try await Road.with { road in
            let echo = try await RoadApp.installed("EchoApp", as: "com.example.echo", on: road)
            try await echo.configure(dictionary: "<key>a</key><integer>1</integer>")
            try await echo.assign()
            let devices = [try await Device(1, on: road), try await Device(2, on: road)]
            let file = road.home.appending(path: "passwords.csv")
            try Data("serialNumber,password\n\(devices[0].id),planted-own\n".utf8).write(to: file)
            let set = try await road.martlet("secret", "set-values", "wifi", file.path)
            #expect(set.contains("1 device has a value of its own"), "\(set)")
            try await road.martlet(
                "secret", "assign", "teachers", "com.example.echo", "--identifier", "login", "--secret", "wifi")
            for device in devices {
                try await road.martlet("device", "wait", device.id, "--synchronised", "--timeout", "30s")
            }
            let releases = try await road.martlet("audit", "list", "--action", "secret.release", "--json")
            #expect(releases.contains(devices[0].id))
            #expect(!releases.contains(devices[1].id))
            let page = try await road.martlet("device", "show", devices[1].id)
            #expect(page.contains("A secret is withheld"), "\(page)")
            let shown = try await road.martlet("secret", "show", "wifi")
            #expect(shown.contains("device values") && !shown.contains("planted"), "\(shown)")
        }
    }

    private func expect(_ app: RunningProcess, _ name: String, mail: String? = nil) async throws {
        let mail = mail ?? "\(name)@example.com"
        let wanted =
            #"value {"account":{"mail":"<\#(mail)>","user":"\#(name)"},"literal":"${person.email}"}"#
        _ = try await app.line(after: 0, within: .seconds(20), wanted) { $0 == wanted }
    }

    /// An agent of its own on this machine, enrolled and running.
    private struct Device {
        /// Root's devices need mount namespaces, which not every container grants.
        static let canBeSeveral: Bool = {
            guard isRoots else { return true }
            let process = Process()
            process.executableURL = namespaces
            process.arguments = ["-m", "mount", "--bind", "/etc/machine-id", "/etc/machine-id"]
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }()

        private static let isRoots = geteuid() == 0 && FileManager.default.fileExists(atPath: "/etc/machine-id")
        private static let namespaces = URL(filePath: "/usr/bin/unshare")

        let road: Road
        let directory: String
        let id: String

        init(_ number: Int, on road: Road) async throws {
            self.road = road
            directory = road.home.appending(path: "device-\(number)").path
            id = try await Self.enroll(road, directory)
            let agent = try RunningProcess(
                "martlet-agent \(number)", Road.binary("martlet-agent"),
                ["run", "--directory", directory, "--apps", road.home.appending(path: "apps").path],
                environment: Road.environment(road.home))
            road.processes.withLock { $0.append(agent) }
            _ = try await agent.line(containing: "martlet-agent ready ")
        }

        /// An agent of root is named after its machine, so each of ours is enrolled on another one.
        private static func enroll(_ road: Road, _ directory: String) async throws -> String {
            let machine = road.home.appending(path: "machine-\(UUID().uuidString)")
            let name = UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
            try Data("\(name)\n".utf8).write(to: machine)
            let arguments = try await road.enrollment(code: road.enrollmentCode(), directory: directory)
            let script = #"mount --bind "$0" /etc/machine-id && exec "$@""#
            let process = try RunningProcess(
                "enroll", isRoots ? namespaces : Road.binary("martlet-agent"),
                isRoots
                    ? ["-m", "sh", "-c", script, machine.path, Road.binary("martlet-agent").path] + arguments
                    : arguments,
                environment: Road.environment(road.home))
            road.processes.withLock { $0.append(process) }
            let status = try await process.exit(within: .seconds(60))
            try await process.drained()
            let text = process.output.map(\.text).joined(separator: "\n")
            guard status == 0 else { throw Road.Broken(description: "enroll: \(text)") }
            return String(text.split(separator: " ").last ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        }

        func open(_ app: String) throws -> RunningProcess {
            let process = try RunningProcess(
                app, Road.binary("martlet-agent"), ["open", app, "--directory", directory, "--", "any"],
                environment: Road.environment(road.home))
            road.processes.withLock { $0.append(process) }
            return process
        }
    }
}
