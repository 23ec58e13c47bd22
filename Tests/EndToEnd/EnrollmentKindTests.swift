import Foundation
import PlayedAgent
import SoftwareTPM
import SwiftASN1
import Synchronization
import Testing
import Waiting
import X509

/// Every way in which a device comes to its server (S4-PLAT-05, A22).
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct EnrollmentKindTests {
    /// S4-PLAT-05: by a code, by an account and by being expected; the same declarations deliver the configuration and the
    /// secret on each.
    @Test func theSameDeclarationDeliversOnDevicesOfEachKind() async throws {
        try await Road.with { road in
            let echo = try await RoadApp.installed("EchoApp", as: "com.example.echo", on: road)
            try await echo.configure(dictionary: "<key>a</key><integer>1</integer>")
            try await echo.assign()
            let secrets = try await SecretsAppOnRoad.installed(on: road)
            try await road.setPassword("vpn", "the same for all")
            try await secrets.give("vpn", as: "login")
            try await road.martlet("person", "set", "anna", "--email", "anna@example.org")
            let password = try await road.invite("anna")
            try await road.martlet("device", "expect", "SN-1", "--group", "teachers", "--trust-serial-number")

            let kinds: [(name: String, options: [String], input: String?)] = [
                ("an enrollment code", ["--code-file", "-"], try await road.enrollmentCode() + "\n"),
                ("a person's account", ["--account", "anna@example.org", "--password-stdin"], password + "\n"),
                ("being expected", ["--automatic", "--serial-number", "SN-1"], nil),
            ]
            for (number, kind) in kinds.enumerated() {
                let device = try await Device(number, on: road, kind.options, input: kind.input)
                let page = try await road.martlet("device", "show", device.id)
                #expect(page.contains(kind.name), "\(page)")
                let app = try device.open("com.example.echo")
                _ = try await app.line(after: 0, "the configuration") { $0 == #"value {"a":1}"# }
                let holder = try device.open("com.example.secrets", "follow")
                try await holder.says("password", ["login=\(sum("the same for all"))"])
                for process in [app, holder] { process.killNow() }
                if kind.name == "being expected" { try await expectSupervised(device, on: road) }
            }
        }
    }

    /// The expected device is enrolled and supervised, and only an administrator can release it.
    private func expectSupervised(_ device: Device, on road: Road) async throws {
        let page = try await road.martlet("device", "show", device.id)
        #expect(page.contains("supervised"), "\(page)")
        let left = try await road.run("martlet-agent", ["unenroll", "--directory", device.directory])
        #expect(left.status == 1 && left.text.contains("an administrator ends its enrollment"), "\(left.text)")
        #expect(try await road.martlet("device", "expected").contains("SN-1"))
        for serial in ["SN-1", "SN-2"] {
            let other = try await road.run(
                "martlet-agent",
                [
                    "enroll", "--automatic", "--serial-number", serial, "--url", road.url, "--ca-file", road.authority,
                    "--directory", road.home.appending(path: "other").path,
                ])
            #expect(other.status == 1 && other.text.contains("does not expect this device"), "\(other.text)")
        }
        let audit = try await road.martlet("audit", "list", "--action", "device.expect")
        #expect(audit.contains("SN-1"))
    }

    /// A serial number is a claim; the chip by which a device is expected is none: another chip does not get in under it.
    @Test(.enabled(if: SoftwareTPM.isThere)) func whoClaimsTheSerialNumberWithoutTheChipStaysOut() async throws {
        let (chip, other) = (try SoftwareTPM(), try SoftwareTPM())
        try await Road.with(options: ["--enrollment-identity", "acme-attested"]) { road in
            let named = try await road.run("martlet-agent", ["chip", "--tpm", chip.place])
            #expect(named.status == 0 && named.text.count == 64, "\(named.text)")
            try await road.martlet("device", "expect", "SN-1", "--group", "teachers", "--chip", named.text)
            func enrol(_ tpm: String, _ directory: String) async throws -> (status: Int32, text: String) {
                try await road.run(
                    "martlet-agent",
                    [
                        "enroll", "--automatic", "--url", road.url, "--ca-file", road.authority, "--serial-number",
                        "SN-1",
                        "--tpm", tpm, "--directory", road.home.appending(path: directory).path,
                    ])
            }
            let impostor = try await enrol(other.place, "impostor")
            #expect(impostor.status == 1 && impostor.text.contains("does not believe"), "\(impostor.text)")
            let chipless = try await enrol("none", "chipless")
            #expect(chipless.status == 1 && chipless.text.contains("no TPM"), "\(chipless.text)")
            let enrolled = try await enrol(chip.place, "agent")
            #expect(enrolled.status == 0, "\(enrolled.text)")
            #expect(try await road.martlet("audit", "list", "--action", "device.attest").contains("device.attest"))

            // A chip would name a person's own device: nobody is invited here.
            try await road.martlet("person", "set", "anna", "--email", "anna@example.org")
            let invited = try await road.run("martlet", ["person", "invite", "anna", "--group", "teachers"])
            #expect(invited.status != 0 && invited.text.contains("no device can enroll by account"), "\(invited.text)")
        }
    }

    /// A file of serial numbers lets each of them in, or none when a line is wrong; read once more it lets nobody in twice.
    @Test func theDevicesOfAFileAreExpected() async throws {
        try await Road.with { road in
            let file = road.home.appending(path: "devices.txt")
            func bring(_ text: String, _ options: String...) async throws -> (status: Int32, text: String) {
                try Data(text.utf8).write(to: file)
                return try await road.run("martlet", ["device", "expect-all", file.path] + options)
            }
            let twice = try await bring("SN-1\nSN-2\nSN-1\n", "--group", "teachers", "--trust-serial-number")
            #expect(twice.status != 0 && twice.text.contains("line 3, column 1: line 1 has the same"), "\(twice.text)")
            #expect(try await road.martlet("device", "expected").contains("No device is expected"))
            let taken = try await bring(
                "serialNumber,group\r\nSN-1,teachers\r\nSN-2,teachers\r\n", "--trust-serial-number")
            #expect(taken.status == 0 && taken.text.contains("Expects 2 more"), "\(taken.text)")
            _ = try await Device(1, on: road, ["--automatic", "--serial-number", "SN-2"], input: nil)
            let again = try await bring("SN-1\nSN-2\n", "--group", "teachers", "--trust-serial-number")
            #expect(again.text.contains("1 as before; 1 came already"), "\(again.text)")
            let refused = try await road.run(
                "martlet-agent",
                [
                    "enroll", "--automatic", "--serial-number", "SN-2", "--url", road.url, "--ca-file",
                    road.authority, "--directory", road.home.appending(path: "other").path,
                ])
            #expect(refused.status == 1 && refused.text.contains("does not expect this device"), "\(refused.text)")
        }
    }

    /// AwaitDeviceConfigured: nothing is opened before everything is there; then it is, from the first moment.
    @Test func aDeviceWaitsInItsSetupUntilItsAppsAreThere() async throws {
        try await Road.with { road in
            let echo = try await RoadApp.installed("EchoApp", as: "com.example.echo", on: road)
            try await echo.configure(dictionary: "<key>a</key><integer>1</integer>")
            try await echo.assign()
            let late = "com.example.late"
            try await road.martlet("app", "create", late, "--name", "Late")
            try await road.martlet("assign", "teachers", late)
            try await road.martlet(
                "device", "expect", "SN-1", "--group", "teachers", "--trust-serial-number", "--await-configuration")
            let device = try await Device(1, on: road, ["--automatic", "--serial-number", "SN-1"], input: nil)
            func status() async throws -> String {
                try await road.run("martlet-agent", ["status", "--directory", device.directory]).text
            }
            #expect(try await status().contains("awaiting configuration"))
            // The configuration is there; the other app is not, and so nothing is opened.
            try await eventually("the other app is not there") {
                try await road.martlet("device", "show", device.id).contains("not-present")
            }
            let page = try await road.martlet("device", "show", device.id)
            #expect(page.contains("waits until its apps and configurations are there"), "\(page)")
            let early = try device.open("com.example.echo")
            #expect(try await early.exit() == 1)
            try await early.drained()
            #expect(early.output.contains { $0.text.contains("awaiting its configuration") }, "\(early.output)")
            let told = try await road.run(
                "martlet", ["device", "query", device.id, "--json", "--wait", Road.longest, "AwaitingConfiguration"])
            #expect(told.text.contains("true"), "\(told.text)")

            // The agent that starts anew waits on; once the app is there the server lets the device go.
            try await road.stop(device.agent)
            let bundle = road.home.appending(path: "apps/\(late).app")
            try FileManager.default.copyItem(
                at: road.home.appending(path: "apps/com.example.echo.app"), to: bundle)
            let information = ["CFBundleIdentifier": late, "CFBundleExecutable": "EchoApp", "CFBundleVersion": "1"]
            try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
                .write(to: bundle.appending(path: "Info.plist"))
            try await device.start()
            try await eventually("the server lets the device go") {
                try await !status().contains("awaiting configuration")
            }
            let app = try device.open("com.example.echo")
            let first = try await app.line(after: 0, "the first word") { !$0.isEmpty }
            #expect(first.text == #"value {"a":1}"#)
            #expect(try await !road.martlet("device", "show", device.id).contains("waits until"))
        }
    }

    /// What cannot be had holds a device in its setup no longer than an administrator wants.
    @Test func anAdministratorLetsADeviceOutOfItsSetup() async throws {
        try await Road.with { road in
            let echo = try await RoadApp.installed("EchoApp", as: "com.example.echo", on: road)
            try await echo.configure(dictionary: "<key>a</key><integer>1</integer>")
            try await echo.assign()
            try await road.martlet("app", "create", "com.example.never", "--name", "Never")
            try await road.martlet("assign", "teachers", "com.example.never")
            let file = road.home.appending(path: "devices.txt")
            try Data("SN-1\n".utf8).write(to: file)
            try await road.martlet(
                "device", "expect-all", file.path, "--group", "teachers", "--trust-serial-number",
                "--await-configuration")
            let device = try await Device(1, on: road, ["--automatic", "--serial-number", "SN-1"], input: nil)
            let early = try device.open("com.example.echo")
            #expect(try await early.exit() == 1)
            try await road.martlet("device", "release", device.id)
            // Where the device has not heard of it yet the command ends.
            try await eventually("the app opens with its configuration") { () -> Bool in
                let app = try device.open("com.example.echo")
                return try await app.lineOrEnd("its configuration") { $0 == #"value {"a":1}"# } != nil
            }
        }
    }

    /// What the server says of a device's supervision the device says, too.
    @Test(arguments: [true, false]) func aCodeSupervisesItsDevice(isSupervised: Bool) async throws {
        try await Road.with { road in
            let code = try await isSupervised ? road.enrollmentCode("--supervised") : road.enrollmentCode()
            let device = try await Device(1, on: road, ["--code-file", "-"], input: code + "\n")
            let shown = try await road.martlet("device", "show", device.id, "--json")
            #expect(shown.contains(#""supervised" : \#(isSupervised)"#), "\(shown)")
            let told = try await road.run(
                "martlet", ["device", "query", device.id, "--json", "--wait", Road.longest, "IsSupervised"])
            #expect(told.text.contains("\(isSupervised)"), "\(told.text)")
        }
    }

    /// S0-NET-05: a device that knew its server by the system's authorities knows it by the server's own from then on.
    @Test(.enabled(if: geteuid() == 0)) func onceEnrolledADeviceTrustsTheProfilesAuthorityAlone() async throws {
        try await Road.with { road in
            try await road.martlet("device", "expect", "SN-1", "--group", "teachers", "--trust-serial-number")
            let enroll = try RunningProcess(
                "enroll", URL(filePath: "/usr/bin/unshare"),
                [
                    "-m", "sh", "-c",
                    "mount --bind \"$1\" /etc/ssl/certs/ca-certificates.crt && shift && exec \"$@\"", "sh",
                    road.authority, Road.binary("martlet-agent").path, "enroll", "--automatic", "--serial-number",
                    "SN-1", "--url", road.url, "--directory", road.agentDirectory,
                ], environment: Road.environment(road.home))
            road.processes.withLock { $0.append(enroll) }
            #expect(try await enroll.exit() == 0, "\(enroll.output)")
            let other = road.home.appending(path: "other.pem")
            let authority = try TestAuthority("Somebody's authority")
            try Data(try authority.certificate.serializeAsPEM().pemString.utf8).write(to: other)
            try await road.startAgent(whereTheSystemTrusts: other.path)
            try await road.synchronised()
        }
    }

    /// An agent of its own on this machine, enrolled and running.
    private final class Device: Sendable {
        let road: Road
        let directory: String
        let id: String
        private let running = Mutex<RunningProcess?>(nil)

        var agent: RunningProcess { get throws { try #require(running.withLock { $0 }) } }

        init(_ number: Int, on road: Road, _ options: [String], input: String?) async throws {
            self.road = road
            directory = road.home.appending(path: "device-\(number)").path
            let enrolled = try await road.run(
                "martlet-agent",
                ["enroll", "--url", road.url, "--ca-file", road.authority, "--directory", directory] + options,
                input: input)
            guard enrolled.status == 0 else { throw Road.Broken(description: "enroll: \(enrolled.text)") }
            id = String(enrolled.text.split(separator: " ").last ?? "")
            try await start()
        }

        /// Starts its agent.
        func start() async throws {
            let agent = try RunningProcess(
                "martlet-agent", Road.binary("martlet-agent"),
                ["run", "--directory", directory, "--apps", road.home.appending(path: "apps").path],
                environment: Road.environment(road.home))
            road.processes.withLock { $0.append(agent) }
            _ = try await agent.line(containing: "martlet-agent ready \(id)")
            running.withLock { $0 = agent }
        }

        func open(_ app: String, _ options: String...) throws -> RunningProcess {
            let process = try RunningProcess(
                app, Road.binary("martlet-agent"), ["open", app, "--directory", directory, "--"] + options,
                environment: Road.environment(road.home))
            road.processes.withLock { $0.append(process) }
            return process
        }
    }
}
