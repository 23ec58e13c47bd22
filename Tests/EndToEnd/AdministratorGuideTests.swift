import AdminMessages
import Foundation
import Testing

/// The administrator's guide, word for word.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct AdministratorGuideTests {
    /// S4-CAP-04: every command of the guide does what it says, with a real server and the real command line tool.
    @Test func everyCommandOfTheGuideWorks() async throws {
        let commands = try Self.commands()
        #expect(commands.count > 15)
        try await Road.with { road in
            try await files(at: road.home)
            let device = try await road.enroll(code: road.enrollmentCode(), directory: road.agentDirectory)
            try Data("serialNumber,password\n\(device),planted-own\n".utf8)
                .write(to: road.home.appending(path: "passwords.csv"))
            for command in commands {
                let (status, text) = try await shell(
                    command, road, ["DEVICE": device, "MARTLET_DATA_DIRECTORY": road.serverDirectory])
                #expect(status == 0, "\(command): \(text)")
                for value in ["planted-one", "planted-two", "planted-badge", "planted-own"] {
                    #expect(!text.contains(value), "\(command)")
                }
            }
            let entries = try await road.martlet("audit", "list", "--json")
            for action in [
                "secret.set", "secret.assign", "secret.unassign", "secret.remove", "secret.values.set", "person.set",
                "device.person.set", "device.person.remove", "person.remove",
            ] {
                #expect(entries.contains("\"\(action)\""))
            }
        }
    }

    /// A wrong password of a PKCS #12 file is said at once, and the tool ends as for every refusal.
    @Test func aWrongPasswordOfAnIdentityIsRefusedAtOnce() async throws {
        try await Road.with { road in
            try await files(at: road.home)
            let command = "martlet secret set badge --pkcs12 badge.p12 --password-stdin < password.txt"
            let (status, text) = try await shell(command, road)
            #expect(status == 4, "\(text)")
            #expect(text.contains("the password does not open the file"), "\(text)")
            #expect(!text.contains("planted"))
            #expect(try await shell("martlet secret show badge", road).status == 3)
        }
    }

    /// S4-SEC-01: while a value is set it stands in no argument of the tool.
    @Test func withoutTerminalAndInputNoPasswordIsTaken() async throws {
        try await Road.with { road in
            let (status, text) = try await shell("martlet secret set s < /dev/null", road)
            #expect(status == 1 && text.contains("--password-stdin"), "\(text)")
            let argument = try await shell("martlet secret set s --password hunter2", road)
            #expect(argument.status == 64, "\(argument.text)")
        }
    }

    /// The commands in the guide's boxes.
    private static func commands() throws -> [String] {
        let guide = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/administrators.md")
        let boxes = try String(contentsOf: guide, encoding: .utf8).components(separatedBy: "```")
        return boxes.enumerated().filter { $0.offset % 2 == 1 }
            .flatMap { $0.element.split(separator: "\n").map(String.init) }
    }

    /// What the guide's commands read.
    private func files(at home: URL) async throws {
        for (name, text) in [
            ("password.txt", "planted-one"), ("new-password.txt", "planted-two"),
            ("badge-password.txt", "planted-badge"),
        ] {
            try Data("\(text)\n".utf8).write(to: home.appending(path: name))
        }
        try Data("userName,fullName,email\nben,Ben,ben@example.com\n".utf8)
            .write(to: home.appending(path: "people.csv"))
        try Data("serialNumber\nLAB-0002\n".utf8).write(to: home.appending(path: "devices.csv"))
        try Data(#"{"greeting": "For ${person.fullName}"}"#.utf8).write(to: home.appending(path: "personal.json"))
        let made = try await shell(
            """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=Badge -days 30 \
            -keyout badge.key -out root.pem 2>/dev/null &&
            openssl pkcs12 -export -in root.pem -inkey badge.key -passout file:badge-password.txt -out badge.p12 &&
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /OU=TEAM123456/CN=Team -days 30 \
            -addext keyUsage=critical,digitalSignature -addext extendedKeyUsage=codeSigning \
            -addext basicConstraints=critical,CA:FALSE -keyout team.key -out team.pem 2>/dev/null &&
            mkdir L.app && printf '#!/bin/sh\\n' > L.app/L && chmod 755 L.app/L &&
            printf '<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.landmarks</string>\
            <key>CFBundleExecutable</key><string>L</string><key>CFBundleVersion</key><string>1</string></dict></plist>' \
            > L.app/Info.plist && martlet app build L.app -o landmarks.tar.zst &&
            martlet app sign landmarks.tar.zst --certificate team.pem --key team.key
            """, home, Road.environment(home))
        try #require(made.status == 0, "\(made.text)")
    }

    private func shell(
        _ command: String, _ road: Road, _ values: [String: String] = [:]
    ) async throws -> (status: Int32, text: String) {
        try await shell(command, road.home, Road.environment(road.home).merging(values) { $1 })
    }

    private func shell(
        _ command: String, _ home: URL, _ environment: [String: String]
    ) async throws -> (status: Int32, text: String) {
        var environment = environment
        let tools = Road.binary("martlet").deletingLastPathComponent().path
        environment["PATH"] = tools + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        let process = try RunningProcess(
            "sh", URL(filePath: "/bin/sh"), ["-c", "cd \"$1\" && \(command)", "sh", home.path], environment: environment
        )
        guard let status = try await process.exit(within: .seconds(60)) else {
            process.killNow()
            return (-1, "did not end")
        }
        try await process.drained()
        return (status, process.output.map(\.text).joined(separator: "\n"))
    }
}
