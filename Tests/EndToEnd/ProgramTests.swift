import DeviceMessages
import Foundation
import Testing

/// What each program answers before it does anything: its version, and what it does not know in its settings file.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)))
struct ProgramTests {
    /// Red where no program told its version, so that nobody could say which one an installation has.
    @Test(arguments: ["martlet", "martlet-server", "martlet-agent"])
    func theVersionOfTheReleaseIsPrinted(program: String) async throws {
        let answer = try await Road.answer(of: program, ["--version"])
        #expect(answer.status == 0)
        #expect(answer.text == "\(program) \(MartletRelease.version)")
    }

    /// Red where the server's word was an argument too many of its default command.
    @Test(arguments: ["martlet-server", "martlet-agent"])
    func aMistypedCommandIsAnsweredWithTheNearest(program: String) async throws {
        let answer = try await Road.answer(of: program, ["rnu"])
        let sentence = "Unknown command 'rnu'. Did you mean 'run'?"
        #expect(answer.status == 64 && answer.text.contains(sentence), "\(answer.text)")
    }

    /// The option of that name that a command has means what it always did.
    @Test func aCommandsOwnVersionIsItsOwn() async throws {
        let answer = try await Road.answer(of: "martlet", ["app", "specification", "set", "--version", "2"])
        #expect(answer.status == 64 && !answer.text.contains(MartletRelease.version), "\(answer.text)")
    }

    /// Each option of the server is a member that its settings file may have: of all of them only the misspelled one is
    /// refused, by name, and the file is named.
    ///
    /// Red where the file was passed over in silence and “The settings file cannot be read as JSON” named no file.
    @Test func theServerRefusesUnknownMembersAlone() async throws {
        // Options of `--help`'s dump that are lists in a file, and those that no file can have.
        let lists = [
            "hostname": "hostnames", "webhookNetwork": "webhookNetworks", "webhookPlainHttp": "webhookPlainHTTP",
        ]
        let dump = try await Road.answer(of: "martlet-server", ["--experimental-dump-help"])
        let options = try Self.options(of: "run", in: dump.text).subtracting(["config", "help", "version"])
        #expect(options.count > 25, "\(options)")
        let known = options.map { "\"\(lists[$0] ?? $0)\": 0" } + ["\"hostnmes\": 0"]
        let file = FileManager.default.temporaryDirectory.appending(path: "martlet-settings-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("{\(known.joined(separator: ", "))}".utf8).write(to: file)
        let answer = try await Road.answer(of: "martlet-server", ["--config", file.path])
        #expect(answer.status == 64)
        let rule = "has a member that is not known: \"hostnmes\" (did you mean \"hostnames\"?)"
        #expect(answer.text.contains("\(file.path) \(rule)"), "\(answer.text)")
        try FileManager.default.removeItem(at: file)
        let missing = try await Road.answer(of: "martlet-server", ["--config", file.path])
        #expect(missing.status == 64 && missing.text.contains("\(file.path) cannot be read"), "\(missing.text)")
    }

    /// Red where a value of a wrong type was passed over in silence, and the default took effect.
    @Test(arguments: [#"{"x": 1}"#, "null"])
    func eachMemberRefusesAValueOfAnotherType(value: String) async throws {
        let server = [
            "dataDirectory", "host", "port", "hostnames", "url", "organization", "endorsementRoots",
            "pinEndorsementKeys", "appleAttestationRoots", "enrollmentIdentity", "enrollmentLifetime",
            "identityLifetime", "expiredGrace", "signInLifetime", "auditDays", "statusReportsPerMinute",
            "certificateFile", "keyFile", "oidcIssuer", "oidcClient", "oidcSecretFile", "oidcRoles", "oidcAuthority",
            "oidcScopes", "webhookNetworks", "webhookPlainHTTP", "webhookAuthority", "pushService", "pushAuthority",
            "metrics", "logLevel", "logFormat",
        ]
        let agent = [
            "directory", "appUsers", "appIsolation", "appGroups", "appProcesses", "appMemory", "appOpenFiles",
            "appFileSize", "desktopEntries", "loginMessages", "tpm", "power", "serialNumber", "pollInterval", "apps",
        ]
        let file = FileManager.default.temporaryDirectory.appending(path: "martlet-settings-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        for (program, command, members) in [("martlet-server", "run", server), ("martlet-agent", "status", agent)] {
            for member in members {
                try Data("{\"\(member)\": \(value)}".utf8).write(to: file)
                let answer = try await Road.answer(of: program, [command, "--config", file.path])
                #expect(answer.status == 64, "\(member)")
                let rule = "\(file.path) has a value that cannot be used: \"\(member)\" must be "
                #expect(answer.text.contains(rule), "\(answer.text)")
            }
        }
    }

    /// Red where an unknown word was taken as false, a number that cannot be read as the default, and 90 as seconds.
    @Test(arguments: [
        (
            "martlet-server", "run",
            [
                "MARTLET_PIN_ENDORSEMENT_KEYS=maybe", "MARTLET_WEBHOOK_PLAIN_HTTP=on", "MARTLET_PORT=https",
                "MARTLET_AUDIT_DAYS=12", "MARTLET_STATUS_REPORTS_PER_MINUTE=many", "MARTLET_ENROLLMENT_LIFETIME=90",
                "MARTLET_IDENTITY_LIFETIME=month", "MARTLET_EXPIRED_GRACE=1", "MARTLET_SIGN_IN_LIFETIME=9w",
                "MARTLET_ENROLLMENT_IDENTITY=card", "MARTLET_LOG_LEVEL=critical", "MARTLET_LOG_FORMAT=xml",
                "MARTLET_METRICS=localhost:9464", "MARTLET_WEBHOOK_NETWORKS=10.1.0.0/16,office",
            ]
        ),
        (
            "martlet-agent", "status",
            [
                "MARTLET_AGENT_APP_PROCESSES=many", "MARTLET_AGENT_APP_MEMORY=1GB", "MARTLET_AGENT_APP_OPEN_FILES=1",
                "MARTLET_AGENT_APP_FILE_SIZE=0", "MARTLET_AGENT_POLL_INTERVAL=1m", "MARTLET_AGENT_APP_USERS=mine",
                "MARTLET_AGENT_APP_ISOLATION=yes", "MARTLET_AGENT_POWER=on", "MARTLET_AGENT_LOG_LEVEL=loud",
            ]
        ),
    ])
    func eachVariableRefusesATextOfAnotherType(program: String, command: String, settings: [String]) async throws {
        for setting in settings {
            let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
            let name = try #require(parts.first)
            let text = try #require(parts.last)
            let answer = try await Road.answer(of: program, [command], variables: [name: text])
            #expect(answer.status == 64, "\(setting)")
            #expect(answer.text.contains("a value that cannot be used: \(name) must be "), "\(answer.text)")
            #expect(answer.text.contains(", not \"\(text)\""), "\(answer.text)")
        }
    }

    /// Red where a lifetime without a unit counted as seconds: an identity of 90 days lived for 90 seconds.
    @Test(arguments: ["enrollment-lifetime", "identity-lifetime", "expired-grace", "sign-in-lifetime"])
    func aLifetimeNeedsItsUnit(option: String) async throws {
        let words = option.split(separator: "-")
        let member = (words.prefix(1).map(String.init) + words.dropFirst().map(\.capitalized)).joined()
        let variable = "MARTLET_" + words.joined(separator: "_").uppercased()
        let file = FileManager.default.temporaryDirectory.appending(path: "martlet-settings-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        for value in ["90", "\"90\""] {
            try Data("{\"\(member)\": \(value)}".utf8).write(to: file)
            let answer = try await Road.answer(of: "martlet-server", ["run", "--config", file.path])
            #expect(answer.status == 64 && answer.text.contains("90 of what? Write 90d for days"), "\(answer.text)")
        }
        let others: [(arguments: [String], variables: [String: String])] = [
            (["--" + option, "90"], [:]), ([], [variable: "90"]),
        ]
        for (arguments, variables) in others {
            let answer = try await Road.answer(of: "martlet-server", ["run"] + arguments, variables: variables)
            #expect(answer.status == 64 && answer.text.contains("90 of what? Write 90d for days"), "\(answer.text)")
        }
    }

    /// Red where a plain 0 was asked for its unit: no grace is the same in seconds and in days.
    ///
    /// Only the bounds are left to refuse the sign-in, after both texts were read.
    @Test func zeroNeedsNoUnit() async throws {
        let tooShort = "A sign-in lasts from 1s"
        let byVariables = try await Road.answer(
            of: "martlet-server", ["run"],
            variables: ["MARTLET_EXPIRED_GRACE": "0", "MARTLET_SIGN_IN_LIFETIME": "0"])
        #expect(byVariables.status == 64 && byVariables.text.contains(tooShort), "\(byVariables.text)")
        let byOptions = try await Road.answer(
            of: "martlet-server", ["run", "--expired-grace", "0", "--sign-in-lifetime", "0"])
        #expect(byOptions.status == 64 && byOptions.text.contains(tooShort), "\(byOptions.text)")
    }

    /// Red where the refusal named neither file nor option, and the data directory was made with a password.
    @Test func aMissingFileIsNamedBeforeAnythingIsMade() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "martlet-unmade-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let provider = ["--oidc-issuer", "https://login.example.org", "--oidc-client", "martlet"]
        let cases: [(option: String, others: [String])] = [
            ("--endorsement-roots", []), ("--apple-attestation-roots", []), ("--webhook-authority", []),
            ("--push-authority", []), ("--oidc-roles", provider),
        ]
        for (option, others) in cases {
            let answer = try await Road.answer(
                of: "martlet-server",
                ["run", "--data-directory", directory, "--port", "0", option, "/nowhere.pem"] + others)
            #expect(answer.status == 1)
            #expect(answer.text.contains("/nowhere.pem (\(option)) cannot be read"), "\(answer.text)")
            #expect(!FileManager.default.fileExists(atPath: directory), "\(option)")
        }
    }

    /// Red where a name was taken, of whose addresses only one was listened at.
    @Test func measurementsAreReadAtAnAddress() async throws {
        for place in ["localhost:9465", "127.0.0.1", "::1:9465"] {
            let answer = try await Road.answer(of: "martlet-server", ["run", "--metrics", place])
            #expect(answer.status == 64 && answer.text.contains("Measurements are read at"), "\(answer.text)")
        }
    }

    /// Red where the error did not say which directory: it may come from an option, the environment or a file.
    @Test func aDataDirectoryThatCannotServeIsNamed() async throws {
        let files = FileManager.default
        let open = files.temporaryDirectory.appending(path: "martlet-open-\(UUID().uuidString)").path
        try files.createDirectory(
            atPath: open, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        defer { try? files.removeItem(atPath: open) }
        for (path, rule) in [
            (open, "must be open to its owner alone (chmod 700)"), ("/dev/null/martlet", "cannot be created"),
        ] {
            let answer = try await Road.answer(
                of: "martlet-server", ["run", "--data-directory", path, "--port", "0"])
            #expect(answer.status == 1, "\(answer.text)")
            #expect(answer.text.contains("the data directory \(path) \(rule)"), "\(answer.text)")
        }
    }

    @Test func theAgentRefusesUnknownMembersAlone() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "martlet-settings-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let known = [
            "directory", "appUsers", "appIsolation", "appGroups", "appProcesses", "appMemory", "appOpenFiles",
            "appFileSize", "desktopEntries", "loginMessages", "tpm", "power", "serialNumber", "pollInterval", "apps",
            "log.level", "pollIntervall",
        ]
        try Data("{\(known.map { "\"\($0)\": 0" }.joined(separator: ", "))}".utf8).write(to: file)
        let answer = try await Road.answer(of: "martlet-agent", ["status", "--config", file.path])
        #expect(answer.status == 64)
        #expect(
            answer.text.contains(
                "\(file.path) has a member that is not known: \"pollIntervall\" (did you mean \"pollInterval\"?)"),
            "\(answer.text)")
    }

    /// The long options of a subcommand, in camel case.
    private static func options(of subcommand: String, in dump: String) throws -> Set<String> {
        let root = try #require(try JSONSerialization.jsonObject(with: Data(dump.utf8)) as? [String: Any])
        let command = root["command"] as? [String: Any] ?? [:]
        let subcommands = command["subcommands"] as? [[String: Any]] ?? []
        let run = try #require(subcommands.first { $0["commandName"] as? String == subcommand })
        let arguments = run["arguments"] as? [[String: Any]] ?? []
        let names = arguments.compactMap { ($0["preferredName"] as? [String: Any])?["name"] as? String }
        return Set(
            names.map { name -> String in
                let words = name.split(separator: "-").map(String.init)
                let rest = words.dropFirst().map { word -> String in
                    word.prefix(1).uppercased() + String(word.dropFirst())
                }
                return (words.first ?? "") + rest.joined()
            })
    }
}
