import AdminMessages
import Crypto
import Foundation
import PlayedAgent
import SwiftASN1
import Testing
import Waiting
import X509

/// The Workplace example: one program that configuration makes another for each organization, role and version.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct WorkplaceTests {
    private static let app = "com.example.workplace"
    private static let examples = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Examples").standardizedFileURL

    // MARK: Versions

    /// A17, S4-BP-07: three versions of an app, each a program with a decoder of its own, take one configuration, and the
    /// console is green; what only the oldest refuses is named before it is set, and shown if it is forced.
    @Test func threeVersionsTakeOneConfigurationAndTheConsoleIsGreen() async throws {
        try await Road.with { road in
            try await road.martlet("app", "create", Self.app, "--name", "Workplace")
            let greeter = try specification(of: "Greeter").replacing("com.example.greeter", with: Self.app)
            let workplace3 = try specification(of: "Workplace")
            for (version, text) in [("1", greeter), ("2", Self.version2), ("3", workplace3)] {
                let file = road.home.appending(path: "specification-\(version).json")
                try Data(text.replacing(#""version": "1.0""#, with: #""version": "\#(version)""#).utf8).write(to: file)
                try await road.martlet("app", "specification", "set", Self.app, file.path)
            }
            let workplace = RoadApp(road: road, identifier: Self.app)
            try await workplace.configure(json: Self.forAllVersions())
            try await workplace.assign()
            for (version, program, said) in [
                ("1", "Greeter", "Good morning! "), ("2", "EchoApp", "North says Good morning"),
                ("3", "Workplace", "Tabs: customers, quotes, news"),
            ] {
                try install(program, version: version, on: road)
                let device = try await RoadDevice(Int(version) ?? 0, on: road, apps: "version-\(version)")
                _ = try await device.open(Self.app, "version-2").line(containing: said)
            }
            try await expect(road, shows: "Working") { $0.decoded == 3 && $0.notInOrder == 0 }

            let file = road.home.appending(path: "too-often.json")
            try Data(Self.forAllVersions(times: 500).utf8).write(to: file)
            let set = ["configuration", "set", Self.app, "default", "--file", file.path]
            let refused = try await road.run("martlet", set)
            #expect(refused.status == 4 && refused.text.contains("(version 1 on 1 device)"), "\(refused)")
            #expect(try await road.run("martlet", set + ["--force"]).status == 0)
            try await expect(road, shows: "Refuses its configuration") { $0.refused == 1 && $0.decoded == 2 }
            try await road.martlet("configuration", "revert", Self.app, "default", "--to", "1")
            try await expect(road, shows: "Working") { $0.decoded == 3 && $0.notInOrder == 0 }
        }
    }

    private static func forAllVersions(times: Int = 1) -> String {
        """
        {"greeting": "Good morning", "times": \(times), "brand": {"name": "North"}, "role": "sales",
         "features": ["news"]}
        """
    }

    /// What the version in between publishes; its program is `EchoApp version-2`.
    private static let version2 = """
        {"x-app": {"bundleIdentifier": "\(app)", "version": "1.0"}, "type": "object", "required": ["greeting", "brand"],
         "properties": {"greeting": {"type": "string"}, "brand": {
            "type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}}}
        """

    private func specification(of example: String) throws -> String {
        try String(contentsOf: Self.examples.appending(path: "\(example)/specification.json"), encoding: .utf8)
    }

    /// Puts a program into a folder of its own, as a version of this app.
    private func install(_ program: String, version: String, on road: Road) throws {
        let bundle = road.home.appending(path: "version-\(version)/Workplace.app")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: Road.binary(program), to: bundle.appending(path: program))
        let information = [
            "CFBundleIdentifier": Self.app, "CFBundleExecutable": program, "CFBundleVersion": version,
            "CFBundleShortVersionString": version,
        ]
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: bundle.appending(path: "Info.plist"))
    }

    /// Waits until the server counts so, and then finds the badge on the app's page of the console.
    private func expect(
        _ road: Road, shows badge: String, _ holds: @escaping (AppStateCounts) -> Bool
    ) async throws {
        struct Shown: Decodable { let states: AppStates }
        var last: AppStates?
        try await eventually("the server counts so: \(badge), but \(String(describing: last))") { () -> Bool in
            let shown = try await road.martlet("app", "show", Self.app, "--json")
            let states = try AdminJSON.decode(Shown.self, from: Data(shown.utf8)).states
            last = states
            return states.unreported == 0 && holds(states.states)
        }
        let page = try await road.shell(
            """
            curl -sSf --cacert server/ca.pem -c cookies -H 'Sec-Fetch-Site: same-origin' -o /dev/null \
            -d name=admin -d password=\(road.password) \(road.url)/console/sign-in && \
            curl -sSf --cacert server/ca.pem -b cookies \(road.url)/console/apps/\(Self.app)
            """)
        #expect(page.contains(badge), "\(page.suffix(4_000))")
    }

    // MARK: Organizations

    /// A16, S4-GOAL-07: two organizations, each with a server and a device of its own, show two brands and two sets of tabs
    /// with one program, byte for byte; a new brand reaches the organization's own app while it runs.
    @Test func oneProgramHasTheBrandOfEachOrganization() async throws {
        try await Road.with { north in
            try await Road.with { south in
                let atNorth = try await branded(
                    #"{"brand": {"name": "North", "motto": "Since 1888"}, "features": ["news"]}"#, on: north)
                let atSouth = try await branded(
                    #"{"brand": {"name": "South"}, "greeting": "Hola", "features": ["canteen"]}"#, on: south)
                _ = try await atNorth.process.line(containing: "North: Welcome")
                _ = try await atNorth.process.line(containing: "Since 1888")
                _ = try await atNorth.process.line(containing: "Tabs: news")
                _ = try await atSouth.process.line(containing: "South: Hola")
                _ = try await atSouth.process.line(containing: "Tabs: canteen")

                var digests: Set<String> = []
                for road in [north, south] {
                    let process = try #require(try road.appProcesses(under: "\(Self.app).app/Workplace").first)
                    digests.insert(try await road.shell("sha256sum </proc/\(process)/exe"))
                }
                #expect(digests.count == 1, "\(digests)")

                let mark = atSouth.process.mark
                try await atNorth.app.configure(json: #"{"brand": {"name": "North and Daughters"}}"#)
                _ = try await atNorth.process.line(containing: "North and Daughters: Welcome")
                try await south.synchronised()
                #expect(atSouth.process.mark == mark, "another organization's brand is not its concern")
            }
        }
    }

    private func branded(_ json: String, on road: Road) async throws -> (app: RoadApp, process: RunningProcess) {
        let app = try await RoadApp.installed("Workplace", as: Self.app, on: road)
        try await app.configure(json: json)
        try await app.assign()
        try await road.enroll()
        try await road.synchronised()
        return (app, try app.open())
    }

    // MARK: Roles

    /// A23, S4-SCN-02: one configuration gives each person the tabs of their department, and no others; who changes
    /// departments has other tabs at once, and a department that the app does not know gives none.
    @Test func eachPersonHasTheTabsOfTheirRole() async throws {
        try await Road.with { road in
            let workplace = try await RoadApp.installed("Workplace", as: Self.app, on: road)
            try await workplace.configure(
                json: #"{"brand": {"name": "North"}, "role": "${person.department}", "features": ["canteen"]}"#)
            try await workplace.assign()
            let people = [("anna", "sales"), ("ben", "engineering")]
            var apps: [RunningProcess] = []
            let typed = people.map { _ in Pipe() }
            for (index, (name, department)) in people.enumerated() {
                try await road.martlet("person", "set", name, "--department", department)
                let device = try await RoadDevice(index + 1, on: road)
                try await road.martlet("device", "person", "set", device.id, name)
                try await road.synchronised(device.id)
                apps.append(try device.open(Self.app, input: typed[index].fileHandleForReading))
            }
            _ = try await apps[0].line(containing: "Tabs: customers, quotes, canteen")
            _ = try await apps[1].line(containing: "Tabs: machines, drawings, canteen")
            func open(_ tab: String, _ index: Int) async throws -> String {
                let mark = apps[index].mark
                try typed[index].fileHandleForWriting.write(contentsOf: Data("\(tab)\n".utf8))
                return try await apps[index].line(containing: " tab ", after: mark).text
            }
            #expect(try await open("quotes", 0) == "This is the tab quotes.")
            #expect(try await open("quotes", 1) == "There is no tab “quotes” for you.")
            #expect(try await open("drawings", 1) == "This is the tab drawings.")

            var mark = apps[0].mark
            try await road.martlet("person", "set", "anna", "--department", "engineering")
            _ = try await apps[0].line(containing: "Tabs: machines, drawings, canteen", after: mark)
            #expect(try await open("quotes", 0) == "There is no tab “quotes” for you.")

            mark = apps[1].mark
            try await road.martlet("person", "set", "ben", "--department", "astrology")
            _ = try await apps[1].line(containing: "Tabs: none", after: mark)
            try await eventually("the refusal is told") {
                try await road.martlet("app", "refusals", Self.app).contains("role")
            }
        }
    }

    // MARK: Management

    /// A23, S4-SCN-04: the app proves itself to the management service by the identity that it was given; without it, with
    /// the identity of another app of the same device, and with somebody else's certificate nobody is told anything.
    @Test func theManagementServiceTrustsTheIdentityOfItsAppAlone() async throws {
        let authority = try TestAuthority("Service")
        try await Road.with { road in
            let service = try await managementService(by: authority, on: road)
            let workplace = try await RoadApp.installed("Workplace", as: Self.app, on: road)
            try await workplace.configure(
                json: #"{"managementService": "\#(service)", "managementAuthority": "service-root"}"#)
            try await workplace.assign()
            try await road.setCertificate("root", pem: try authority.certificate.serializeAsPEM().pemString)
            try await road.give("root", to: Self.app, as: "service-root")
            for unit in ["workplace", "elsewhere"] {
                try await road.setSecret(unit, ["--scep", "--subject", "CN=${device.udid},OU=\(unit)"])
            }
            try await road.enroll()
            try await road.synchronised()
            let typed = Pipe()
            let app = try workplace.open(input: typed.fileHandleForReading)
            _ = try await app.line(containing: "Tabs: device")
            func ask() async throws -> String {
                try await road.synchronised()
                let mark = app.mark
                try typed.fileHandleForWriting.write(contentsOf: Data("device\n".utf8))
                return try await app.line(after: mark, "an answer") { !$0.isEmpty }.text
            }
            let none = "This app has no identity for the management service."
            #expect(try await ask() == none)
            try await road.give("elsewhere", to: Self.app, as: "workplace")
            #expect(try await ask() == "The management service refused this app.")
            try await road.withdraw("workplace", from: Self.app)
            try await road.give("workplace", to: Self.app, as: "workplace")
            let told = try await ask()
            #expect(told.hasPrefix("Device \(road.udid) is managed and up to date: "), "\(told)")
            #expect(told.contains("\(Self.app) (valid)"), "\(told)")
            for who in try ["", "--cert \(stranger(on: road))"] {
                let status = try await road.shell(
                    "curl -s --cacert service-root.pem \(who) -o /dev/null -w '%{http_code}\\n' \(service) || true")
                #expect(status == "000", "\(who): \(status)")
            }
            try await road.withdraw("workplace", from: Self.app)
            #expect(try await ask() == none)
        }
    }

    /// Starts the example's service; answers its address.
    private func managementService(by authority: TestAuthority, on road: Road) async throws -> String {
        let key = P256.Signing.PrivateKey()
        let leaf = try authority.issue("service", for: .init(key.publicKey), hosts: ["localhost"])
        struct Made: Decodable { let token: String }
        let made = try await road.martlet(
            "token", "create", "workplace", "--role", "reader", "--valid", "1h", "--json")
        for (name, text) in [
            ("service.pem", try leaf.serializeAsPEM().pemString), ("service.key", key.pemRepresentation),
            ("service-root.pem", try authority.certificate.serializeAsPEM().pemString),
            ("service.token", try JSONDecoder().decode(Made.self, from: Data(made.utf8)).token),
        ] {
            try Data((text + "\n").utf8).write(to: road.home.appending(path: name))
        }
        let place = road.home.path
        let process = try RunningProcess(
            "service.py", URL(filePath: "/usr/bin/python3"),
            [
                Self.examples.appending(path: "Workplace/service.py").path, "\(place)/service.pem",
                "\(place)/service.key", road.url, road.authority, "\(place)/service.token", "0",
            ], environment: Road.environment(road.home))
        road.keep(process)
        let ready = try await process.line(containing: "management service ready ")
        return String(ready.text.split(separator: " ").last ?? "")
    }

    /// A file with a key and a certificate of somebody who has nothing to do with the organization.
    private func stranger(on road: Road) throws -> String {
        let key = P256.Signing.PrivateKey()
        let leaf = try TestAuthority("Somebody").issue("device", for: .init(key.publicKey))
        let text = try leaf.serializeAsPEM().pemString + "\n" + key.pemRepresentation
        try Data(text.utf8).write(to: road.home.appending(path: "stranger.pem"))
        return "stranger.pem"
    }
}
