import ArgumentParser
import Configuration
import DeviceAgent
import Foundation
import Logging
import ServiceManager
import TPMKeys

/// Where the agent keeps its things and finds the apps: flags, then `MARTLET_AGENT_…`, then a file.
struct SettingsOptions: ParsableArguments {
    @Option(
        help: """
            The directory in which the agent keeps everything (/var/lib/martlet for root, martlet in $XDG_STATE_HOME or \
            ~/.local/state for other users); MARTLET_AGENT_DIRECTORY.
            """)
    var directory: String?

    @Option(
        help: """
            The TPM: auto takes /dev/tpmrm0 if it is there, none uses no TPM, or a place as libtss2 names it, such as \
            device:/dev/tpm0 or swtpm:path=/run/tpm.sock (auto); MARTLET_AGENT_TPM.
            """)
    var tpm: String?

    @Option(
        name: .customLong("serial-number"),
        help: "This device's serial number, if its firmware has none or another; MARTLET_AGENT_SERIAL_NUMBER.")
    var serialNumber: String?

    @Option(
        name: .customLong("app-users"),
        help: """
            The users that apps run as: own gives each app a user of its own (the default for root), shared runs all as \
            the agent's user, for development (the default for others); MARTLET_AGENT_APP_USERS.
            """)
    var appUsers: String?

    @Option(
        name: .customLong("app-isolation"),
        help: """
            Which apps are isolated, so that they reach only their own files and homes: asked isolates those that ask for \
            it, always isolates all (asked); \
            MARTLET_AGENT_APP_ISOLATION.
            """)
    var appIsolation: String?

    @Option(
        name: .customLong("app-group"),
        help: """
            A group that every app is in beside its own, such as render, where apps have users of their own; may be given \
            several times; MARTLET_AGENT_APP_GROUPS.
            """)
    var appGroups: [String] = []

    @Option(
        name: .customLong("app-processes"),
        help: """
            How many processes and threads an app may have at once for each person who opens it, where apps have users of \
            their own (4096); MARTLET_AGENT_APP_PROCESSES.
            """)
    var appProcesses: Int?

    @Option(
        name: .customLong("app-memory"),
        help: """
            How many MiB of memory an app may have for each person who opens it, where the kernel bounds the agent's cgroups \
            (three quarters of the machine's); MARTLET_AGENT_APP_MEMORY.
            """)
    var appMemory: Int?

    @Option(
        name: .customLong("app-open-files"),
        help: """
            How many files each process of an app may have open, where apps have users of their own (as many as the \
            agent began with); MARTLET_AGENT_APP_OPEN_FILES.
            """)
    var appOpenFiles: Int?

    @Option(
        name: .customLong("app-file-size"),
        help: """
            How many MiB a file may have that an app writes, also shared memory and a file that is its standard \
            output, where apps have users of their own (no bound); MARTLET_AGENT_APP_FILE_SIZE.
            """)
    var appFileSize: Int?

    @Option(
        name: .customLong("desktop-entries"),
        help: """
            The directory of the entries that installed apps have in people's menus, or none (/usr/local/share/applications \
            for the machine's own agent, none for others); MARTLET_AGENT_DESKTOP_ENTRIES.
            """)
    var desktopEntries: String?

    @Option(
        name: .customLong("login-messages"),
        help: """
            The directory of the texts that a server may have this machine show after a login, or none (/run/motd.d \
            for the machine's own agent, none for others); MARTLET_AGENT_LOGIN_MESSAGES.
            """)
    var loginMessages: String?

    @Option(
        help: """
            Whether a server may restart or shut down this machine: logind lets systemd-logind do it (the default for the \
            machine's own agent), none refuses it (the default for others); MARTLET_AGENT_POWER.
            """)
    var power: String?

    @Option(
        name: .customLong("poll-interval"),
        help: """
            Seconds between two questions to a server that cannot wake this device: 1 to 86400, a quarter more or less at \
            random (60); MARTLET_AGENT_POLL_INTERVAL.
            """)
    var pollInterval: Int?

    @Option(
        help: """
            A JSON file with settings (/etc/martlet/agent.json, which may be missing): directory, apps, appUsers, \
            appIsolation, appGroups, appProcesses, appMemory, appOpenFiles, appFileSize, desktopEntries, loginMessages, \
            power, tpm, serialNumber, pollInterval, log.level; MARTLET_AGENT_CONFIG.
            """)
    var config: String?

    @Option(
        name: .customLong("log-level"),
        help: """
            The least level that is logged: trace, debug, info, notice, warning or error (info); MARTLET_AGENT_LOG_LEVEL.
            """)
    var logLevel: String?
}

/// The settings as they were found.
struct Settings {
    let directory: String
    let apps: [String]
    /// As which users they run.
    let appUsers: AppUsers
    /// Where an agent of this machine may work, whatever this process was told.
    let agentDirectories: Set<String>
    /// Which of them are isolated.
    let appIsolation: AppIsolation
    /// The groups that each is in beside its own.
    let appGroups: [UInt32]
    /// How much of the machine each may take.
    let appLimits: AppLimits
    let facts: DeviceFacts
    /// Where entries for people's menus are, if anywhere.
    private let desktopPlace: String?
    /// The directory of the texts that the machine shows after a login, if a server may show any.
    let loginMessages: String?
    /// Whether the device is this machine, so that its name follows from the machine's.
    let namesMachine: Bool
    let tpm: TPM?
    /// The machine, if a server may have it do something.
    let machine: (any MachineControl)?
    /// How often a server is asked that cannot wake the device.
    let pollInterval: Duration
    let log: Logger
    /// Variables with our prefix that this program does not know; they have no effect.
    let unknownVariables: [String]

    init(_ options: SettingsOptions, apps given: [String] = []) async throws {
        let isRoot = geteuid() == 0
        let environment = ProcessInfo.processInfo.environment
        let variables = EnvironmentVariablesProvider().prefixKeys(with: "martlet.agent")
        let file = options.config ?? ConfigReader(provider: variables).string(forKey: "config")
        let found = try await Self.file(file, beside: variables, and: options.given(apps: given))
        unknownVariables = found.unknownVariables
        let settings = found.file
        let reader = ConfigReader(providers: [variables, settings])
        let name = options.logLevel ?? reader.string(forKey: "log.level", default: "info")
        guard ServiceSettings.logLevels.contains(name), let level = Logger.Level(rawValue: name) else {
            throw ValidationError("the log level is one of \(ServiceSettings.logLevels.joined(separator: ", "))")
        }
        var log = Logger(label: "martlet-agent") { StreamLogHandler.standardError(label: $0) }
        log.logLevel = level
        self.log = log
        var facts = DeviceFacts.read()
        if let number = options.serialNumber ?? reader.string(forKey: "serialNumber") {
            facts.serialNumber = number
        }
        self.facts = facts
        let users = options.appUsers ?? reader.string(forKey: "appUsers", default: isRoot ? "own" : "shared")
        guard let users = AppUsers(rawValue: users) else { throw ValidationError("apps' users are own or shared") }
        appUsers = users
        let isolation = options.appIsolation ?? reader.string(forKey: "appIsolation", default: "asked")
        guard let isolation = AppIsolation(rawValue: isolation) else {
            throw ValidationError("apps' isolation is asked or always")
        }
        appIsolation = isolation
        let groups = options.appGroups.isEmpty ? reader.stringArray(forKey: "appGroups") ?? [] : options.appGroups
        appGroups = try groups.map { name in
            guard let number = AppGroups.number(of: name) else {
                throw ValidationError(
                    "\(name) (--app-group, appGroups) is not a group that apps can be in: name a group of this machine, "
                        + "but not root's and not an app's.")
            }
            return number
        }
        let poll = options.pollInterval ?? reader.int(forKey: "pollInterval", default: 60)
        pollInterval = .seconds(poll)
        let processes = options.appProcesses ?? reader.int(forKey: "appProcesses") ?? Int(AppLimits.usualProcesses)
        let memory = options.appMemory ?? reader.int(forKey: "appMemory") ?? max(64, Int(AppLimits.usualMemory >> 20))
        let openFiles = options.appOpenFiles ?? reader.int(forKey: "appOpenFiles")
        let fileSize = options.appFileSize ?? reader.int(forKey: "appFileSize")
        appLimits = AppLimits(
            processes: UInt64(processes), memory: UInt64(memory) << 20, openFiles: openFiles.map { UInt64($0) },
            fileSize: fileSize.map { UInt64($0) << 20 })
        tpm = Self.tpm(options.tpm ?? reader.string(forKey: "tpm", default: "auto"))
        let usual = Self.path(Self.defaultDirectory(isRoot, environment))
        directory = (options.directory ?? reader.string(forKey: "directory")).map(Self.path) ?? usual
        let written = ConfigReader(provider: settings).string(forKey: "directory").map(Self.path)
        agentDirectories = Set([directory, usual, Self.systemDirectory] + [written].compactMap { $0 })
        // An agent in another directory is another device, played beside this machine's own.
        namesMachine = isRoot && directory == usual
        let menus = options.desktopEntries ?? reader.string(forKey: "desktopEntries")
        // An agent beside this machine's own puts nothing into people's menus unless it is told to.
        let text = menus ?? (namesMachine ? "/usr/local/share/applications" : "none")
        desktopPlace = text == "none" ? nil : Self.path(text)
        // Nor does it show texts after a login.
        let messages = options.loginMessages ?? reader.string(forKey: "loginMessages")
        let place = messages ?? (namesMachine ? "/run/motd.d" : "none")
        loginMessages = place == "none" ? nil : Self.path(place)
        // Nor does it let a server restart the machine.
        let power = options.power ?? reader.string(forKey: "power", default: namesMachine ? "logind" : "none")
        machine = power == "logind" ? Logind() : nil
        let apps = given.isEmpty ? reader.stringArray(forKey: "apps") ?? [] : given
        self.apps = apps.isEmpty ? [isRoot ? "/opt/martlet/apps" : self.directory + "/apps"] : apps
    }

    /// The menus' entries, if there is a place for them.
    var desktopEntries: DesktopEntries? {
        guard let desktopPlace,
            let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        else { return nil }
        return DesktopEntries(in: desktopPlace, agentDirectory: directory, program: program, log: log)
    }

    var paths: AgentPaths {
        AgentPaths(directory: directory, runtime: ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"])
    }

    /// The users of the device's apps, if they have users of their own; the directory must be taken.
    func accounts(of device: Device) throws -> AppAccounts? {
        guard geteuid() == 0 || appUsers == .shared else {
            throw ValidationError("only root can give each app a user of its own")
        }
        guard appUsers == .own || appIsolation == .asked else {
            throw ValidationError("only apps with users of their own can be isolated")
        }
        guard appUsers == .own || (appLimits.openFiles == nil && appLimits.fileSize == nil) else {
            throw ValidationError("only apps with users of their own can be bounded in their files")
        }
        guard appUsers == .own || appGroups.isEmpty else {
            throw ValidationError("only apps with users of their own can be in other groups")
        }
        guard appUsers == .own else { return nil }
        return try AppAccounts(
            directory: directory, isolation: appIsolation, limits: appLimits, groups: appGroups,
            signer: { device.signer(of: $0) })
    }

    /// Takes the directory for this process alone and opens the device in it.
    func open() throws -> (device: Device, lock: DirectoryLock) {
        guard let opened = try openUnlessInUse() else {
            throw AgentFailure(
                "another martlet-agent works in \(directory)", advice: "Stop it, or name another --directory.")
        }
        return opened
    }

    /// The same, or nothing if an agent runs there: then it is to be asked.
    func openUnlessInUse() throws -> (device: Device, lock: DirectoryLock)? {
        do {
            try FileManager.default.createDirectory(
                atPath: (directory as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        } catch {
            throw AgentFailure(
                "the directory \(directory) cannot be made", advice: "Name one of your own with --directory.")
        }
        if let name = AgentDirectory.foreign(in: directory) {
            throw AgentFailure(
                "\(name) in \(directory) was not made by an agent, which would clear it",
                advice: "Name another directory with --directory, or move \(name) elsewhere.")
        }
        let lock: DirectoryLock
        do {
            lock = try DirectoryLock(directory)
        } catch StoreRefusal.inUse {
            return nil
        }
        return (
            try Device(
                directory: directory, appDirectories: apps, facts: facts, namesMachine: namesMachine,
                appUsers: appUsers, tpm: tpm, machine: machine, loginMessages: loginMessages),
            lock
        )
    }

    /// Asks the agent that runs in the directory.
    func ask(_ request: EnrollmentRequest) throws -> EnrollmentOutcome {
        let outcome: EnrollmentOutcome?
        do {
            outcome = try ControlCommand.ask(controlPath: paths.controlSocket, request)
        } catch is LinuxFailure {
            throw AgentFailure(
                "another command works in \(directory), or the agent there does not answer",
                advice: "Try again in a moment.")
        }
        switch outcome {
        case nil: throw AgentFailure("the agent ended meanwhile", advice: "The same command again continues.")
        case .refused(let why): throw AgentFailure(why)
        case .some(let outcome): return outcome
        }
    }

    /// A chip that is named must be there when it is needed; one that is only looked for may be missing, as may its library.
    private static func tpm(_ name: String) -> TPM? {
        let kernels = "/dev/tpmrm0"
        switch name {
        case "none": return nil
        case "auto":
            let isThere = unsafe access(kernels, R_OK | W_OK) == 0 && TPM.hasLibrary
            return isThere ? TPM("device:" + kernels) : nil
        default: return TPM(name)
        }
    }

    /// Whether a setting can name a TPM so.
    static func isTPM(_ name: String) -> Bool {
        // Others that libtss2 knows run commands, or are for its own tests.
        ["none", "auto"].contains(name) || ["device", "swtpm", "tabrmd"].contains(name.prefix { $0 != ":" })
    }

    private static func path(_ directory: String) -> String { URL(fileURLWithPath: directory).standardizedFileURL.path }

    private static let systemDirectory = "/var/lib/martlet"

    private static func defaultDirectory(_ isRoot: Bool, _ environment: [String: String]) -> String {
        if isRoot { return systemDirectory }
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/martlet" }
        return NSHomeDirectory() + "/.local/state/martlet"
    }
}
