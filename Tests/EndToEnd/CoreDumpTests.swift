import Foundation
import Synchronization
import Testing
import Waiting

/// What a crash leaves behind.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct CoreDumpTests {
    /// S4-SEC-01, D7: server, agent and app forbid it twice over; a limit raised from outside changes nothing.
    @Test func aCrashLeavesNoImageOfMemory() async throws {
        try await Road.with { road in
            let app = try await SecretsAppOnRoad.installed(on: road)
            try await road.enroll()
            try await road.setPassword("account", "a planted password that is long enough")
            try await app.give("account", as: "account")
            try await road.synchronised()
            // While Swift's own handler prints a backtrace of the app, a second signal would end the app. The program
            // that prints, `swift-backtrace`, would then wait for the app's memory without end.
            let follower = try app.follow(environment: ["SWIFT_BACKTRACE": "enable=no"])
            _ = try await follower.line(containing: "password [account=")
            let running = try #require(try road.appProcesses(under: "com.example.secrets.app").first)
            let leavesCores = try await Self.leavesCores(road)
            for (name, process) in [
                ("app", running), ("agent", try road.agent.identifier), ("server", try road.server.identifier),
            ] {
                let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
                let limit = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
                #expect(limit.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"], "\(name): \(limit)")
                guard leavesCores else { continue }
                let folder = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")
                // Not every container's root may.
                try await road.shell("prlimit --pid \(process) --core=unlimited:unlimited 2>/dev/null || true")
                let before = try Self.cores(in: folder)
                try await Self.abort(process)
                let left = try Self.cores(in: folder).subtracting(before)
                #expect(left.isEmpty, "\(name)")
                for core in left { try? FileManager.default.removeItem(atPath: folder + "/" + core) }
            }
            for process in road.processes.withLock({ $0 }) {
                #expect(!process.output.contains { $0.text.contains("planted") }, "\(process.name)")
                // An app may print its backtrace where it was opened: that is for its developer to decide.
                guard process.name.hasPrefix("martlet") else { continue }
                #expect(!process.output.contains { $0.text.contains("Registers:") }, "\(process.name)")
            }
        }
    }

    /// Who is not root cannot trace server, agent and app of the same user, nor look at their memory or environment.
    @Test(.enabled(if: geteuid() == 0, "only root can become several users"))
    func anotherProcessOfTheUserCannotLookIn() async throws {
        try await Road.with { road in
            _ = try await RoadApp.installed("SecretsApp", as: "com.example.secrets", on: road)
            let script = """
                look() {
                    (exec 3<"/proc/$1/mem") 2>/dev/null && echo "looked into the $2"
                    cat "/proc/$1/environ" >/dev/null 2>&1 && echo "read the environment of the $2"
                    perl -e "$trace" "$(uname -m)" "$1" && echo "traced the $2"
                }
                await() { for i in $(seq 4000); do grep -qs "$1" "$2" && return; sleep 0.05; done; cat "$2"; exit 3; }
                trace='exit(syscall($ARGV[0] eq "x86_64" ? 101 : 117, 16, $ARGV[1] + 0, 0, 0) == 0 ? 0 : 1)'
                ./look-server run --data-directory own/s --port 0 >own/server 2>&1 & server=$!
                await ready own/server
                ./look-agent run --directory own/d --tpm none --apps apps >own/log 2>&1 & agent=$!
                await ready own/log
                ./look-agent open com.example.secrets --directory own/d -- follow >own/app 2>&1 &
                await identity own/app
                for status in /proc/[0-9]*/status; do
                    # Other tests' apps may be of this user too, but follow nothing.
                    grep -qs '^Name:.SecretsApp' $status && grep -qs '^Uid:.65534' $status || continue
                    grep -qs follow "${status%status}cmdline" || continue
                    app=$(basename $(dirname $status))
                done
                look $server server; look $agent agent; look $app app
                sleep 600 & look $! other; kill $!
                kill $app $agent $server; wait $agent $server; echo done
                """
            try Data(script.utf8).write(to: road.home.appending(path: "look.sh"))
            try await road.shell("chmod -R a+rX apps . && mkdir own && chown 65534 own")
            for program in ["agent", "server"] {
                let binary = Road.binary("martlet-\(program)").path
                try await road.shell("cp \(binary) look-\(program) && chmod 755 look-\(program)")
            }
            let said = try await road.shell("setpriv --reuid=65534 --clear-groups sh ./look.sh")
            #expect(said == "looked into the other\nread the environment of the other\ntraced the other\ndone")
        }
    }

    /// Whether a process of this machine that forbids nothing leaves a core file where it works.
    private static func leavesCores(_ road: Road) async throws -> Bool {
        try await road.shell("mkdir -p crash && cd crash && (ulimit -c unlimited; sh -c 'kill -ABRT $$') || true")
        return try !cores(in: road.home.appending(path: "crash").path).isEmpty
    }

    private static func cores(in folder: String) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("core") })
    }

    /// Sends the signal until the process has ended, in case the process handles one signal and goes on.
    private static func abort(_ process: Int32) async throws {
        try await eventually("process \(process) ends") { () -> Bool in
            let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            guard let state, state.split(separator: ")").last?.split(separator: " ").first != "Z" else { return true }
            kill(process, SIGABRT)
            return false
        }
    }
}
