import Foundation
import ManagedApp
import Synchronization

/// An app for tests that says each configuration it gets on a line of its own, while its main actor keeps ticking.
///
/// `EchoApp (any|strict|version-2) [DIRECTORY]`: with a directory the loop begins when a file `begin` is in it, and its task is
/// canceled when there is a file `end`.
@main
struct EchoApp {
    @MainActor
    static func main() {
        let arguments = CommandLine.arguments
        let kind = arguments.dropFirst().first ?? "any"
        let directory = arguments.count > 2 ? arguments[2] : nil
        let loop = Loop(kind)
        guard let directory else {
            loop.begin()
            return RunLoop.main.run()
        }
        let beats = Beats()
        Task {
            var tick = 0
            while true {
                tick += 1
                say("tick \(tick) after \(beats.taken()) beats")
                if FileManager.default.fileExists(atPath: directory + "/begin") { loop.begin() }
                if FileManager.default.fileExists(atPath: directory + "/end") { loop.end() }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
        RunLoop.main.run()
    }

    /// A line at once, also where the output is a pipe.
    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}

/// A thread beside the main actor that counts: what holds up the whole machine holds up both.
final class Beats: Sendable {
    private let count = Mutex(0)

    init() {
        Thread.detachNewThread { [self] in
            while true {
                Thread.sleep(forTimeInterval: 0.05)
                count.withLock { $0 += 1 }
            }
        }
    }

    /// How many there were since this was last asked.
    func taken() -> Int {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }
}

/// The app's one loop.
@MainActor
final class Loop {
    private let kind: String
    private var task: Task<Void, Never>?

    init(_ kind: String) { self.kind = kind }

    func begin() {
        guard task == nil else { return }
        task = Task {
            switch kind {
            case "strict": await followStrict()
            case "version-2": await followVersion2()
            default: await followAnything()
            }
            EchoApp.say("the loop has ended")
        }
    }

    func end() { task?.cancel() }

    private func followAnything() async {
        for await value in await ManagedAppConfigurationProvider().configurations(Anything.self) {
            guard var copy = value else {
                EchoApp.say("nil")
                continue
            }
            EchoApp.say("value \(copy.canonical)")
            // The app may change its copy: another call returns the administrator's configuration.
            copy = .string("changed by the app")
            for await again in await ManagedAppConfigurationProvider().configurations(Anything.self) {
                EchoApp.say("again \(again?.canonical ?? "nil"), mine is \(copy.canonical)")
                break
            }
        }
    }

    private func followStrict() async {
        for await value in await ManagedAppConfigurationProvider().configurations(Strict.self) {
            EchoApp.say(value.map { "value \($0.name) \($0.retries)" } ?? "nil")
        }
    }

    private func followVersion2() async {
        for await value in await ManagedAppConfigurationProvider().configurations(Version2.self) {
            EchoApp.say(value.map { "\($0.brand.name) says \($0.greeting)" } ?? "nil")
        }
    }
}
