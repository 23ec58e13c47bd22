import ArgumentParser
import DeviceAgent
import DeviceMessages
import Foundation

/// `martlet-agent enroll`: puts this device under the management of a server.
struct EnrollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enroll",
        abstract: "Enroll this device. The same command again continues where it was cut off.",
        discussion: """
            With a code the whole device is enrolled. The command asks for the code, or reads it with --code-file: anybody on \
            this machine could read an argument. With an account the server \
            gets a person's part of it, and neither serial number nor UDID; the account's domain says where the server is. \
            With --automatic the device is enrolled because its server expects it. With --profile the device is enrolled with \
            whatever MDM server made the profile; a profile that demands what this device cannot do is refused.

            An agent that runs already enrolls and serves at once; otherwise start it afterwards with martlet-agent run.
            """)

    @Option(help: "The server's URL, such as https://host:8443; with --account only if its domain names no server.")
    var url: String?

    @Option(help: "Read the one-time enrollment code as one line of this file; - is standard input.")
    var codeFile: String?

    @Option(help: "The person's account, such as anna@example.org.")
    var account: String?

    @Flag(help: "Enroll as a device that the server expects, by its serial number or TPM, without a code.")
    var automatic = false

    @Option(help: "A .mobileconfig file of any MDM server, plain or signed. It is not kept.")
    var profile: String?

    @Flag(help: "With --profile: accept SHA-1, DES or Triple DES in answers of its certificate authority.")
    var allowLegacyCryptography = false

    @Flag(help: "Read the account's password as one line of standard input.")
    var passwordStdin = false

    @Option(
        name: .customLong("ca-file"),
        help: """
            PEM file with the certificate by which the server is trusted; with an account or --automatic the system's \
            authorities serve without it, with --profile those of the profile, or else the system's.
            """)
    var authorityFile: String?

    @Option(name: .customLong("ca-fingerprint"), help: "SHA-256 of that certificate, in hexadecimal digits.")
    var authorityFingerprint: String?

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        guard [codeFile != nil, account != nil, automatic, profile != nil].filter({ $0 }).count <= 1 else {
            throw ValidationError("say one way to enroll: --code-file, --account, --automatic or --profile")
        }
        guard profile == nil || url == nil else { throw ValidationError("the profile says where its server is") }
        guard !allowLegacyCryptography || profile != nil else {
            throw ValidationError("--allow-legacy-cryptography goes with --profile")
        }
        guard url != nil || account != nil || profile != nil else {
            throw ValidationError("say where the server is: --url")
        }
        guard !passwordStdin || account != nil else { throw ValidationError("--password-stdin goes with --account") }
        let given = [authorityFile, authorityFingerprint].filter { $0 != nil }.count
        guard given == 1 || given == 0 && (account != nil || automatic || profile != nil) else {
            throw ValidationError("say by what the server is trusted: --ca-file or --ca-fingerprint")
        }
    }

    func run() async throws {
        let settings = try await Settings(options)
        let trust = try trust()
        if options.serialNumber != nil, try settings.openUnlessInUse() == nil {
            throw AgentFailure(
                "the agent that runs in \(settings.directory) says the serial number",
                advice: "Give it --serial-number when it starts, or set it in the settings file.")
        }
        let name: String
        if let account {
            name = try await enroll(account: account, settings, trust)
        } else if let profile {
            let file = try Self.content(of: profile)
            name = try await settings.enroll(
                .profile(file, allowsLegacy: allowLegacyCryptography), trust: trust)
        } else if automatic {
            name = try await settings.enroll(.automatic(url: url ?? ""), trust: trust)
        } else {
            name = try await settings.enroll(.code(try code(), url: url ?? ""), trust: trust)
        }
        print("enrolled as \(name)")
    }

    private static func content(of path: String) throws -> Data {
        guard let handle = FileHandle(forReadingAtPath: path),
            let content = try? handle.read(upToCount: ProfileFile.limit + 1)
        else { throw AgentFailure("the profile cannot be read", advice: "Its path is \(path).") }
        guard content.count <= ProfileFile.limit else {
            throw AgentFailure("the profile exceeds \(ProfileFile.limit) bytes")
        }
        return content
    }

    private func trust() throws -> ServerTrust {
        do {
            if let authorityFile {
                return try ServerTrust(pem: try Data(contentsOf: URL(fileURLWithPath: authorityFile)))
            }
            return try authorityFingerprint.map { try ServerTrust(fingerprint: $0) } ?? .system
        } catch let refusal as EnrollmentRefusal {
            throw AgentFailure("\(refusal)")
        } catch {
            throw AgentFailure("the CA file cannot be read", advice: "Its path is \(authorityFile ?? "").")
        }
    }

    /// The code, from where nobody else on this machine reads it: a file, standard input or the terminal.
    private func code() throws -> String {
        let line: String?
        switch codeFile {
        case "-"?: line = readLine()
        case let path?:
            // A code is 32 letters and digits.
            guard let file = FileHandle(forReadingAtPath: path), let content = try file.read(upToCount: 1_024) else {
                throw AgentFailure("the file of the enrollment code cannot be read", advice: "Its path is \(path).")
            }
            line = String(decoding: content, as: UTF8.self).split(separator: "\n").first.map(String.init)
        case nil:
            guard isatty(STDIN_FILENO) == 1, let typed = unsafe getpass("Enrollment code: ") else {
                throw AgentFailure(
                    "an enrollment code is needed and standard input is no terminal",
                    advice: "Give it with --code-file, or say --account or --automatic.")
            }
            line = unsafe String(cString: typed)
        }
        let code = line?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        guard (1...1_024).contains(code.utf8.count) else { throw AgentFailure("there is no enrollment code to read") }
        return code
    }

    /// Goes on with what was begun for the account; else has the person sign in.
    private func enroll(account: String, _ settings: Settings, _ trust: ServerTrust) async throws -> String {
        do {
            return try await settings.enroll(.account(account, nil), trust: trust)
        } catch EnrollmentRefusal.signInDemanded {
            let signedIn: EnrollmentWish.SignedIn
            do {
                signedIn = try await signIn(account, settings, trust)
            } catch let failure as AgentFailure {
                throw failure
            } catch {
                throw AgentFailure(Enroll.explanation(of: error, at: url))
            }
            return try await settings.enroll(.account(account, signedIn), trust: trust)
        }
    }

    private func signIn(
        _ account: String, _ settings: Settings, _ trust: ServerTrust
    ) async throws -> EnrollmentWish.SignedIn {
        let signIn = try AccountSignIn(account: account, facts: settings.facts, trust: trust, url: url)
        let demand = try await signIn.demand()
        return demand.takesPassword
            ? try await signIn.signIn(demand, password: try password(of: account))
            : try signIn.signedIn(demand, result: try resultOfPage(demand.page))
    }

    private func password(of account: String) throws -> String {
        if passwordStdin {
            guard let line = readLine(), (1...1_024).contains(line.utf8.count) else {
                throw AgentFailure("standard input holds no password")
            }
            return line
        }
        guard isatty(STDIN_FILENO) == 1, let typed = unsafe getpass("Password of \(account): ") else {
            throw AgentFailure(
                "a password is needed and standard input is no terminal", advice: "Give it with --password-stdin.")
        }
        return unsafe String(cString: typed)
    }

    /// The provider's own page: the person uses it in a browser, and pastes the address that it leads to.
    private func resultOfPage(_ page: String) throws -> String {
        try? FileHandle.standardError.write(
            contentsOf: Data("Sign in on this page:\n  \(page)\nThen paste the address that it leads to: ".utf8))
        guard let line = readLine(), line.utf8.count <= 16_384 else {
            throw AgentFailure("standard input holds no address")
        }
        return line
    }
}

extension Settings {
    /// Enrolls the device of the directory, or has the agent do it that runs there; answers as whom the server knows it.
    func enroll(_ wish: EnrollmentWish, trust: ServerTrust) async throws -> String {
        if let (device, lock) = try openUnlessInUse() {
            defer { withExtendedLifetime(lock) {} }
            do {
                try await Enroll(device: device, log: log).run(wish, trust: trust)
            } catch EnrollmentRefusal.signInDemanded {
                throw EnrollmentRefusal.signInDemanded
            } catch {
                throw AgentFailure(Enroll.explanation(of: error, at: wish.server))
            }
            return device.known.identifier.id
        }
        switch try ask(.enroll(wish, trust: trust)) {
        case .enrolled(let name): return name
        case .signInDemanded: throw EnrollmentRefusal.signInDemanded
        default: throw AgentFailure("the running agent is of another version", advice: "Restart it.")
        }
    }
}
