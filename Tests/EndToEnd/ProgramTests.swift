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

    /// Red where a mistyped option was passed over for the missing one, and the help of the whole program was named.
    @Test func aMistakeNamesTheNearestAndTheCommandsOwnHelp() async throws {
        let command = try await Road.answer(of: "martlet", ["group", "crate", "x"])
        #expect(command.status == 64 && command.text.contains("Did you mean 'group create'?"), "\(command.text)")
        #expect(command.text.contains("See 'martlet group --help'"), "\(command.text)")
        let option = try await Road.answer(of: "martlet", ["dev", "com.example.notes", "--dir", "x"])
        let sentence = "Unknown option '--dir'. Did you mean '--directory'?"
        #expect(option.status == 64 && option.text.contains(sentence), "\(option.text)")
        #expect(option.text.contains("See 'martlet dev --help'"), "\(option.text)")
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

    /// Red where the refusal of an option, or of a text with a rule, named no setting and not what was found.
    @Test(arguments: [
        ("martlet-server", "run", "--port", "70000"), ("martlet-server", "run", "--audit-days", "12"),
        ("martlet-server", "run", "--status-reports-per-minute", "60001"), ("martlet-server", "run", "--host", ""),
        ("martlet-server", "run", "--hostname", ""), ("martlet-server", "run", "--url", "http://mdm.example.com"),
        ("martlet-server", "run", "--organization", ""), ("martlet-server", "run", "--enrollment-lifetime", "0"),
        ("martlet-server", "run", "--enrollment-identity", "card"), ("martlet-server", "run", "--log-level", "loud"),
        ("martlet-server", "run", "--log-format", "xml"), ("martlet-server", "run", "--webhook-network", "office"),
        ("martlet-server", "run", "--push-service", "push"), ("martlet-server", "run", "--oidc-scopes", "email"),
        ("martlet-agent", "status", "--app-processes", "1"), ("martlet-agent", "status", "--app-memory", "1"),
        ("martlet-agent", "status", "--app-open-files", "1"), ("martlet-agent", "status", "--app-file-size", "0"),
        ("martlet-agent", "status", "--poll-interval", "0"), ("martlet-agent", "status", "--app-users", "mine"),
        ("martlet-agent", "status", "--power", "on"), ("martlet-agent", "status", "--directory", ""),
    ])
    func eachOptionRefusesATextOfAnotherType(
        program: String, command: String, option: String, text: String
    ) async throws {
        let answer = try await Road.answer(of: program, [command, option, text])
        #expect(answer.status == 64, "\(option)")
        let beginning = "\(program): The command line has a value that cannot be used: \(option) must be "
        #expect(answer.text.hasPrefix(beginning), "\(answer.text)")
        #expect(answer.text.contains(", not \"\(text)\""), "\(answer.text)")
    }

    /// Red where `MARTLET_PROT` had no effect, and an empty list of host names became a name.
    @Test(arguments: [
        ("martlet-server", "run", "MARTLET_PROT=8443", "MARTLET_PROT (did you mean MARTLET_PORT?)"),
        ("martlet-server", "check", "MARTLET_HOSTNAME=a", "MARTLET_HOSTNAME (did you mean MARTLET_HOSTNAMES?)"),
        ("martlet-server", "run", "MARTLET_HOSTNAMES=", "MARTLET_HOSTNAMES must be "),
        ("martlet-server", "run", "MARTLET_URL=http://a", "MARTLET_URL must be https:// with a name"),
        ("martlet", "whoami", "MARTLET_SESION=x", "MARTLET_SESION (did you mean MARTLET_SESSION?)"),
        (
            "martlet-agent", "status", "MARTLET_AGENT_APP_GROUP=render",
            "MARTLET_AGENT_APP_GROUP (did you mean MARTLET_AGENT_APP_GROUPS?)"
        ),
    ])
    func aVariableThatIsNotKnownIsRefused(
        program: String, command: String, setting: String, reason: String
    ) async throws {
        let name = String(setting.prefix { $0 != "=" })
        let text = String(setting.dropFirst(name.count + 1))
        let answer = try await Road.answer(of: program, [command], variables: [name: text])
        #expect(answer.status == 64 && answer.text.contains(reason), "\(answer.text)")
    }

    /// Red where the server's refusals and wrong usage began with `Error:`, and other failures with the program's name.
    @Test func everyRefusalBeginsWithTheProgram() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "martlet-none-\(UUID().uuidString)").path
        for (program, arguments) in [
            ("martlet", ["rnu"]), ("martlet", ["group", "create"]), ("martlet", ["whoami"]),
            ("martlet-server", ["rnu"]), ("martlet-server", ["run", "--prot", "1"]),
            ("martlet-server", ["check", "--data-directory", directory]),
            ("martlet-agent", ["rnu"]), ("martlet-agent", ["status", "--power", "on"]),
            ("martlet-agent", ["open", "com.example.none", "--directory", directory]),
        ] {
            let answer = try await Road.answer(of: program, arguments)
            #expect(answer.status != 0, "\(arguments)")
            #expect(answer.text.hasPrefix(program + ": "), "\(arguments): \(answer.text)")
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
        let byVariables = try await Road.answer(
            of: "martlet-server", ["run"],
            variables: ["MARTLET_EXPIRED_GRACE": "0", "MARTLET_SIGN_IN_LIFETIME": "0"])
        let byOptions = try await Road.answer(
            of: "martlet-server", ["run", "--expired-grace", "0", "--sign-in-lifetime", "0"])
        for (answer, name, other) in [
            (byVariables, "MARTLET_SIGN_IN_LIFETIME", "MARTLET_EXPIRED_GRACE"),
            (byOptions, "--sign-in-lifetime", "--expired-grace"),
        ] {
            let rule = "\(name) must be a number with s, m, h or d, such as 90d, from 1s to"
            #expect(answer.status == 64 && answer.text.contains(rule), "\(answer.text)")
            #expect(!answer.text.contains(other + " must"), "\(answer.text)")
        }
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
            let rule = "--metrics must be an address, no name, and a port, such as 127.0.0.1:9464, not \"\(place)\""
            #expect(answer.status == 64 && answer.text.contains(rule), "\(answer.text)")
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
