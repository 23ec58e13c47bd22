import AdminMessages
import CertificateAuthority
import DeviceMessages
import Foundation
import InputBounds
import TestInputs
import Testing

/// The administrator's API against its own description, asked by a program that was not written here.
///
/// PyPI's `schemathesis`, which `make setup` installs beside the build, reads the description from the running server,
/// and makes of it requests that follow it and requests that do not. `make fuzz` has it make more.
@Suite struct AdminAPIFuzzTests {
    private static let program = URL(filePath: ForeignProgram.python).deletingLastPathComponent()
        .appending(path: "schemathesis").path
    private static let programIsThere = FileManager.default.isExecutableFile(atPath: program)

    @Test(.enabled(if: programIsThere, "PyPI's schemathesis is not installed: make setup does so"))
    func noRequestIsAnsweredOtherwiseThanDescribed() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await Self.furnish(admin)
                    let known = Self.known(device)
                    let wish = TokenRequest(
                        name: "fuzz", validSeconds: 3_600, role: .administrator, administers: true)
                    let made = try await admin.send("POST", "/tokens", wish)
                    let program = try AdminJSON.decode(TokenAnswer.self, from: made.body).token
                    // A session could be ended by one of the requests, a token cannot.
                    try await Self.ask(server, token: program, known)
                    try await Self.ask(server, token: admin.token, known, only: Self.ofSessions)
                }
            }
        }
    }

    /// What no token may do; leaving aside what would end the session with which everything is asked.
    private static let ofSessions = ["createToken", "listTokens", "revokeToken", "changePassword", "logOutElsewhere"]

    /// Something of each kind, so that there is something to be found.
    private static func furnish(_ admin: AdminClient) async throws {
        try await admin.assignLandmarks(AdminClient.configuration(title: "one"))
        let app = "/apps/org.swift.landmarks"
        for (method, path, body) in [
            ("POST", "/groups", try AdminJSON.encode(Group(name: "ruled", rule: "os = linux"))),
            ("PUT", "/people/anna", try AdminJSON.encode(PersonDetails(email: "anna@example.com"))),
            ("PUT", "/secrets/wifi", try AdminJSON.encode(SecretRequest.password(PasswordSecret(password: "p")))),
            (
                "PUT", "/secret-assignments/teachers/org.swift.landmarks/password/wifi",
                try AdminJSON.encode(SecretAssignmentRequest(secret: "wifi"))
            ),
            ("PUT", app + "/sources/linux/installed", try AdminJSON.encode(AppSourceRequest(install: "required"))),
            (
                "PUT", app + "/specifications/1",
                Data(#"{"x-app": {"bundleIdentifier": "org.swift.landmarks"}, "properties": {}}"#.utf8)
            ),
            (
                "POST", "/administrators",
                try AdminJSON.encode(AdministratorRequest(name: "clara", role: .reader))
            ),
        ] {
            let answer = try await admin.send(method, path, body: body)
            try #require((200..<300).contains(answer.status), "\(path): \(answer.text)")
        }
    }

    private static func known(_ device: PlayedDevice) -> [String: String] {
        [
            "app": "org.swift.landmarks", "name": "default", "group": "teachers", "device": device.identifier.key,
            "person": "anna", "kind": "password", "identifier": "wifi", "platform": "linux", "origin": "installed",
            "version": "1", "administrator": "clara",
        ]
    }

    /// Half of the parameters of paths name something that is there.
    private static func dictionaries(_ known: [String: String]) -> String {
        known.map { name, value in
            """

            [dictionaries.\(name)]
            values = ["\(value)"]

            """
        }.joined() + "\n[parameters]\n"
            + known.keys.map { "\"path.\($0)\" = { dictionary = \"\($0)\", probability = 0.5 }\n" }.joined()
    }

    private static func ask(
        _ server: TestServer, token: String, _ known: [String: String], only operations: [String] = []
    ) async throws {
        let base = server.baseURL + "/api/v1"
        try await ForeignProgram.inFolder { folder in
            let authority = folder.appending(path: "tls.pem")
            try Data(server.authority.certificatePEM.utf8).write(to: authority)
            let configuration = folder.appending(path: "schemathesis.toml")
            let shared = try String(contentsOfFile: ForeignProgram.script("api_fuzz.toml"), encoding: .utf8)
            // The session is not shown to other processes as an argument would be.
            let own = """
                hooks = "\(ForeignProgram.script("api_fuzz.py"))"
                tls-verify = "\(authority.path)"
                headers = { Authorization = "Bearer \(token)" }

                """
            try Data((own + shared + dictionaries(known)).utf8).write(to: configuration)
            // The quick suite makes what it has time for; the longer run tries the edge of each bound, too.
            let isLong = Mutation.isLong
            let examples = isLong ? Mutation.iterations / 4_000 : 1
            let outcome = try await ForeignProgram.run(
                program,
                [
                    "--config-file", configuration.path, "run", base + "/openapi.json", "--url", base,
                    "--checks", "all", "--max-examples", "\(examples)", "--seed", "\(Mutation.seed)", "--no-color",
                    "--phases", isLong ? "examples,coverage,fuzzing,stateful" : "fuzzing",
                ] + operations.flatMap { ["--include-operation-id", $0] },
                environment: ["PYTHONDONTWRITEBYTECODE": "1"], in: folder,
                within: isLong ? .seconds(7_200) : .seconds(900))
            #expect(outcome.status == 0, "\(outcome.output.suffix(20_000))")
            #expect(outcome.output.contains("No issues found"), "\(outcome.output.suffix(2_000))")
        }
    }
}
