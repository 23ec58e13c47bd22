import CLinux
import Foundation
import Synchronization

/// Starts apps and keeps the record of what was started.
final class AppLauncher: Sendable {
    /// A process that runs as an app, and our end of its socket.
    struct Launched: Sendable {
        let record: LaunchRecord
        let processDescriptor: Int32
        let socket: Int32
    }

    /// A process on record that still runs.
    struct Known: Sendable {
        let record: LaunchRecord
        let processDescriptor: Int32
    }

    private let socketPath: String
    private let store: any LaunchRecords
    private let accounts: AppAccounts?
    private let files: AppFiles
    private let isForDevelopment: Bool
    private let closer: DescriptorCloser
    private let reaper = LaunchReaper()
    private let patience = Mutex(LaunchPatience())
    /// Whether apps run as other users than this process.
    var hasAccounts: Bool { accounts != nil }

    let seals: AppSeals
    private let records = Mutex<[LaunchRecord]>([])

    /// With `accounts` each app runs as a user of its own; without, as the agent's.
    ///
    /// Apps live on when this process ends, but for one that is being developed.
    init(
        socketPath: String, store: any LaunchRecords, accounts: AppAccounts?, files: AppFiles, seals: AppSeals,
        isForDevelopment: Bool, closer: DescriptorCloser
    ) {
        self.closer = closer
        self.isForDevelopment = isForDevelopment
        self.seals = seals
        self.socketPath = socketPath
        self.store = store
        self.accounts = accounts
        self.files = files
    }

    /// The processes on record that still run; all others are forgotten.
    func takeBack() throws -> [Known] {
        let boot = try Self.boot()
        return try records.withLock { records in
            let known = store.load().filter { $0.boot == boot }.compactMap(Self.recognize)
            records = known.map(\.record)
            try store.save(records)
            files.takeBack(records)
            return known
        }
    }

    /// Forgets a process that has ended.
    func forget(_ record: LaunchRecord) throws {
        try records.withLock { records in
            records.removeAll { $0 == record }
            if let path = record.files { files.close(path) }
            try store.save(records)
        }
    }

    /// Replaces what apps have as files.
    func update(_ states: AppStates) { files.update(states) }

    /// Ends what an app's identifier has started and is not of this team, as far as apps have users of their own.
    func endOthers(of bundle: String, than team: String, alsoIn cgroups: Set<UInt64>) {
        accounts?.endOthers(of: bundle, than: team, alsoIn: cgroups)
    }

    /// Starts an app for the person `openedBy`.
    ///
    /// The process waits until it is on record, so that no crash of ours leaves an app that runs unknown. `seal` is what
    /// was just found to vouch for the app. What is `added` joins the environment where that says nothing else; an app
    /// that `wantsFiles` has them before it begins. It trusts the certificates in the file `roots`, whatever who opens it
    /// says.
    func launch(
        _ bundle: AppBundle, sealed seal: AppSeal?, openedBy opener: UInt32, arguments: [String],
        environment: [String: String], added: [String: String] = [:], wantsFiles: Bool = false, roots: String? = nil,
        standard: (Int32, Int32, Int32)
    ) throws -> Launched {
        let account = try accounts?.account(of: bundle, signedBy: seal?.team, openedBy: opener)
        let cgroup = try account?.cgroup.map { group in
            try LinuxFailure.check(Self.directory(group.path), "enter the app's cgroup")
        }
        defer { if let cgroup { close(cgroup) } }
        var ours: Int32 = -1
        var theirs: Int32 = -1
        try LinuxFailure.check(unsafe clinux_socket_pair(&ours, &theirs), "make the app's socket")
        defer { close(theirs) }
        var variables = AppEnvironment.filter(environment, at: account?.home).merging(added) { kept, _ in kept }
        variables["MARTLET_AGENT_SOCKET"] = socketPath
        let folder =
            wantsFiles || bundle.readsFiles
            ? try files.open(
                AppIdentity(bundle.identifier, role: bundle.role, signedBy: seal?.team), user: account?.user) : nil
        variables["MARTLET_FILES"] = folder
        // Where the link leads nowhere the system has no roots, and the app goes without as any other program.
        let roots = roots.flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil }
        if let roots {
            for name in TrustBundle.variables { variables[name] = roots }
            variables["SSL_CERT_DIR"] = nil
        }
        do {
            let rules = try isolation(of: bundle, at: account?.home, folder: folder, roots: roots)
            defer { if let rules { close(rules) } }
            let temporary = rules == nil ? nil : account.map { $0.home + "/tmp" }
            variables["TMPDIR"] = temporary
            var specification = LaunchSpecification(
                program: bundle.executable, directory: bundle.directory, arguments: arguments, environment: variables,
                standard: standard)
            specification.hand(theirs, as: "MARTLET_AGENT_FD")
            specification.cgroup = cgroup
            specification.rules = rules
            specification.temporary = temporary
            specification.endsWithAgent = isForDevelopment
            if let accounts, let account {
                specification.user = account.user
                specification.groups = accounts.groups
                specification.limits = accounts.limits
            }
            if bundle.isOffline {
                guard let account else { throw ControlMessages.notOffline }
                specification.network = .own
                specification.mounts = LaunchMount.withoutServices(
                    keeping: [(socketPath as NSString).deletingLastPathComponent, bundle.directory]
                        + [folder, roots.map { ($0 as NSString).deletingLastPathComponent }].compactMap(\.self),
                    own: [account.home])
            }
            let waiting = try patiently { (bound) throws(LinuxFailure) in
                try specification.begin(reaper: reaper, within: bound)
            }
            let record = try remember(bundle, waiting, account, folder, seal?.team)
            do throws(LaunchRefusal) {
                try patiently { (bound) throws(LaunchRefusal) in try waiting.release(within: bound) }
            } catch {
                try? forget(record)
                reaper.end(waiting)
                if account != nil, error.isOutOfReach { throw ControlMessages.outOfReach }
                throw error
            }
            if let seal, !seal.isScript,
                RunningProgram.identity(of: waiting.process, launchedFrom: bundle.executable) != seal.program
            {
                // It was exchanged between the look and the launch, by somebody who may write where the agent may.
                try? forget(record)
                reaper.end(waiting)
                throw SealRefusal.changed
            }
            return Launched(record: record, processDescriptor: waiting.descriptor, socket: ours)
        } catch {
            closer.close(ours)
            if let folder { files.close(folder) }
            throw error
        }
    }

    /// Takes a step of a launch that may hang, with the patience that is left.
    private func patiently<Value, Failure: Error>(
        _ step: (_ bound: Duration) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let began = ContinuousClock.now
        let bound = patience.withLock { $0.bound(at: began) }
        defer {
            let ended = ContinuousClock.now
            patience.withLock { $0.used(ended - began, at: ended) }
        }
        return try step(bound)
    }

    /// The rules that are to bind it if it is isolated; where none can be had it is not launched.
    private func isolation(
        of bundle: AppBundle, at home: String?, folder: String?, roots: String?
    ) throws -> Int32? {
        guard bundle.isIsolated || accounts?.isolation == .always else { return nil }
        // Without a user of its own it has no home either.
        guard let home else { throw ControlMessages.notIsolated }
        return try IsolationRules(bundle, home: home, folder: folder, roots: roots).open()
    }

    // When it cannot be put on record the process ends at its gate.
    private func remember(
        _ bundle: AppBundle, _ waiting: WaitingLaunch, _ account: AppAccount?, _ folder: String?, _ team: String?
    ) throws -> LaunchRecord {
        do {
            var ticks: UInt64 = 0
            try LinuxFailure.check(unsafe clinux_process_start(waiting.process, &ticks), "read the app's start time")
            let record = LaunchRecord(
                bundleIdentifier: bundle.identifier, role: bundle.role, process: waiting.process, startTime: ticks,
                boot: try Self.boot(), user: account?.user, cgroup: account?.cgroup?.number,
                directory: bundle.directory, files: folder, team: team)
            try records.withLock { records in
                try store.save(records + [record])
                records.append(record)
            }
            return record
        } catch {
            close(waiting.gate)
            reaper.end(waiting)
            throw error
        }
    }

    private static func directory(_ path: String) -> Int32 {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        return descriptor < 0 ? -errno : descriptor
    }

    private static func recognize(_ record: LaunchRecord) -> Known? {
        let descriptor = clinux_process_open(record.process)
        guard descriptor >= 0 else { return nil }
        var ticks: UInt64 = 0
        // The descriptor is open: if the process still runs after its start time was read, the time was its own.
        guard unsafe clinux_process_start(record.process, &ticks) == 0, ticks == record.startTime,
            clinux_process_alive(descriptor) == 1
        else {
            close(descriptor)
            return nil
        }
        return Known(record: record, processDescriptor: descriptor)
    }

    private static func boot() throws -> String {
        let text = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer -> String? in
            guard let start = buffer.baseAddress, unsafe clinux_boot(start, buffer.count) == 0 else { return nil }
            return unsafe String(cString: start)
        }
        guard let text else { throw LinuxFailure(step: "read the boot's number", number: EIO) }
        return text
    }
}
