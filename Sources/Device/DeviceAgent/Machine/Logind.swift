import Dispatch
package import Foundation

/// The machine as systemd-logind has it, asked over D-Bus by `busctl`, which comes with systemd.
package struct Logind: MachineControl {
    /// Why logind could not be asked, as the end of a sentence.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// An answer is a word.
    private static let outputLimit = 4_096

    private let program: String
    private let patience: TimeInterval
    private let bootFile: String
    private let initFile: String

    /// `patience` are the seconds after which `program` is ended; busctl itself waits for two thirds of them.
    package init(
        program: String = "/usr/bin/busctl", patience: TimeInterval = 15,
        bootFile: String = "/proc/sys/kernel/random/boot_id", initFile: String = "/proc/1/stat"
    ) {
        self.program = program
        self.patience = patience
        self.bootFile = bootFile
        self.initFile = initFile
    }

    package func obstacle(to action: MachineAction) -> String? {
        do throws(Failure) {
            let output = try call(action.question)
            return Self.obstacle(in: output)
        } catch {
            return error.description
        }
    }

    package func perform(_ action: MachineAction) throws {
        // Nobody at the machine is asked for a password.
        _ = try call(action.method, ["b", "false"])
    }

    package func boot() throws -> String {
        let text = try String(contentsOfFile: bootFile, encoding: .utf8)
        let boot = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !boot.isEmpty else { throw Failure(description: "the boot's number is empty") }
        // A container that restarts keeps its host's boot ID, so the start of its first process is part of the name.
        let status = try String(contentsOfFile: initFile, encoding: .utf8)
        guard let start = Self.start(in: status) else {
            throw Failure(description: "the start of the first process cannot be read")
        }
        return boot + " " + start
    }

    /// The start of a process in clock ticks after boot: the 22nd field of its `stat` (proc_pid_stat(5)).
    ///
    /// The second field is a name in parentheses, which may itself contain spaces and parentheses.
    private static func start(in status: String) -> String? {
        guard let name = status.lastIndex(of: ")") else { return nil }
        let fields = status[name...].split(whereSeparator: \.isWhitespace).dropFirst()
        guard fields.count >= 20 else { return nil }
        let start = fields[fields.startIndex + 19]
        return UInt64(start) == nil ? nil : String(start)
    }

    /// What an answer to “can you?” says against it, as the end of a sentence; nothing where it says yes.
    package static func obstacle(in output: String) -> String? {
        switch output.trimmingCharacters(in: .whitespacesAndNewlines) {
        case #"s "yes""#: nil
        case #"s "no""#: "systemd-logind says that its agent may not do that"
        case #"s "challenge""#: "systemd-logind wants somebody at the machine to give a password"
        case #"s "na""#: "systemd-logind says that the machine has no way to do that"
        default: "systemd-logind gave an answer that this agent does not know"
        }
    }

    /// Calls a method of logind and returns what busctl prints.
    private func call(_ method: String, _ arguments: [String] = []) throws(Failure) -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: program)
        process.arguments =
            [
                "--system", "--timeout=\(max(1, Int(patience * 2 / 3)))", "--allow-interactive-authorization=no",
                "call", "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager", method,
            ] + arguments
        process.environment = ["LC_ALL": "C", "PATH": "/usr/bin:/bin"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        do {
            try process.run()
        } catch {
            throw Failure(description: "\(program), by which systemd-logind is asked, cannot be started")
        }
        guard ended.wait(timeout: .now() + patience) == .success else {
            kill(process.processIdentifier, SIGKILL)
            throw Failure(description: "systemd-logind did not answer \(method) in time")
        }
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let status = process.terminationStatus
            throw Failure(
                description: "systemd-logind is not there or refused \(method): \(program) ended with \(status)")
        }
        return Self.said(by: output.fileHandleForReading.fileDescriptor)
    }

    /// The beginning of what an ended program has written.
    ///
    /// It waits for nothing: another process could still hold the pipe.
    private static func said(by descriptor: Int32) -> String {
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { return "" }
        var bytes = [UInt8](repeating: 0, count: outputLimit)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

extension MachineAction {
    /// The method of logind that says whether it can be.
    fileprivate var question: String {
        switch self {
        case .restart: "CanReboot"
        case .shutDown: "CanPowerOff"
        }
    }

    /// The method that does it.
    fileprivate var method: String {
        switch self {
        case .restart: "Reboot"
        case .shutDown: "PowerOff"
        }
    }
}
