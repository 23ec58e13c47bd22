import AppDevelopment
import ArgumentParser
import CommandOutput
import DeviceAgent
import Foundation
import Logging

/// `martlet-agent develop`: what `martlet dev` becomes, whose help says everything.
struct DevelopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "develop", abstract: "Serve one app to its developer; see martlet dev.", shouldDisplay: false)

    @Argument var app: String
    @Option var directory: String
    @Option var configuration = "default"
    @Option var secrets: String?
    @Option var specification: String?
    @Option var `extension`: String?
    @Flag var json = false
    @Argument(parsing: .postTerminator) var program: [String] = []

    func run() async throws {
        do {
            throw try await develop()
        } catch {
            guard json, let failure = AgentFailure(error) else { throw error }
            try? FileHandle.standardError.write(contentsOf: Data((failure.json + "\n").utf8))
            // Output that is lost is in the failure, and is not to be said again.
            Foundation.exit(EXIT_FAILURE)
        }
    }

    /// Serves until the program ends, or this one is told to.
    private func develop() async throws -> ExitCode {
        try await refuseIfEnrolled()
        // One that goes away later is waited for.
        var isDirectory: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: Self.path(directory), isDirectory: &isDirectory) else {
            throw AgentFailure("there is no directory \(directory)", advice: "Make it first, with mkdir.")
        }
        guard isDirectory.boolValue else {
            throw AgentFailure(
                "\(directory) is not a directory", advice: "--directory names the one that holds the configurations.")
        }
        let executable = try program.first.map(Self.executable)
        let options = DevelopmentAgent.Options(
            app: app, extension: `extension`, configuration: configuration, directory: Self.path(directory),
            secrets: secrets.map(Self.path), specification: specification.map(Self.path), program: executable)
        let place: RuntimePlace
        do {
            place = try await RuntimePlace(of: app, runtime: ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"])
        } catch let refusal as RuntimePlace.Refusal {
            throw AgentFailure(refusal.description)
        }
        let sweeper = try place.sweepWhenGone(
            FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"), [SweepCommand.name])
        defer { withExtendedLifetime(sweeper) {} }
        var log = Logger(label: "martlet-agent") { StreamLogHandler.standardError(label: $0) }
        log.logLevel = .warning
        let (json, isOutput) = (json, executable == nil)
        let (ends, teller) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        let agent = DevelopmentAgent(options, in: place, log: log) { event in
            let line = json ? event.json : event.text()
            guard isOutput else {
                try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
                return
            }
            CommandOutput.say(line)
            if CommandOutput.loss != nil || CommandOutput.isReaderGone { teller.yield() }
        }
        do {
            try agent.start()
        } catch let refusal as SecretsFile.Refusal {
            throw AgentFailure("the secrets in \(options.secrets ?? "") are not used: \(refusal.rule)")
        } catch let refusal as Unusable {
            throw AgentFailure("the specification \(options.specification ?? "") cannot be used: \(refusal.rule)")
        }
        defer { agent.stop() }
        guard executable != nil else {
            await Self.toldToEnd(ends, teller)
            guard let loss = CommandOutput.loss else { return .success }
            throw AgentFailure(
                loss.reason,
                advice: "The app is served no more. Run the command again with an output that can be written to.")
        }
        return try await opened(options.identifier, place)
    }

    /// Has the program run on this terminal, and waits for its end.
    private func opened(_ identifier: String, _ place: RuntimePlace) async throws -> ExitCode {
        let arguments = Array(program.dropFirst())
        return try await withCheckedThrowingContinuation { ended in
            // It waits, and passes signals on, for as long as the program runs.
            Thread.detachNewThread {
                ended.resume(
                    with: Result {
                        ExitCode(
                            try OpenCommand.run(
                                controlPath: place.paths.controlSocket, bundleIdentifier: identifier,
                                arguments: arguments))
                    })
            }
        }
    }

    private func refuseIfEnrolled() async throws {
        let settings = try await Settings(try SettingsOptions.parse([]))
        for directory in settings.agentDirectories.sorted() {
            switch DeviceStanding.of(directory, tpm: settings.tpm) {
            case .free: continue
            case .enrolled:
                throw AgentFailure(
                    "this device is enrolled: its server says what apps are told here",
                    advice: "Develop on a device that is not enrolled, or end the enrollment of this one: "
                        + "martlet-agent unenroll --directory \(directory)")
            case .unknown:
                throw AgentFailure(
                    "it cannot be found out whether this device is enrolled",
                    advice: "The agent that works in \(directory) can say so: start it.")
            }
        }
    }

    /// Waits for the first of the signals, or for output that is lost.
    private static func toldToEnd(_ ends: AsyncStream<Void>, _ teller: AsyncStream<Void>.Continuation) async {
        let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            _ = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { teller.yield() }
            source.activate()
            return source
        }
        defer { for source in sources { source.cancel() } }
        for await _ in ends { break }
    }

    /// The full path of a program, which lies in `PATH` if its name is all that is said.
    private static func executable(_ name: String) throws -> String {
        guard !name.contains("/") else {
            let path = Self.path(name)
            if let fault = ProgramFile.fault(at: path) { throw fault }
            return path
        }
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        for path in folders.map({ Self.path("\($0)/\(name)") }) where ProgramFile.fault(at: path) == nil { return path }
        throw AgentFailure(
            "the program \(name) cannot be started: it is in no directory of PATH",
            advice: "Name it by its path, such as ./\(name).")
    }

    private static func path(_ name: String) -> String { URL(fileURLWithPath: name).standardizedFileURL.path }
}

/// Removes what a developer's agent that was killed has left; that agent starts it.
struct SweepCommand: AsyncParsableCommand {
    static let name = "sweep-development"
    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Remove the sockets of a killed martlet dev.", shouldDisplay: false)

    @Argument var directory: String

    func run() async { await RuntimePlace.sweep(directory) }
}
