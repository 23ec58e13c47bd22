import DeviceMessages
import Foundation
import Testing
import Waiting

/// What an operator sees of a running server, without a session.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(10)))
struct OperationsTests {
    /// Every measurement of the guide's table is there, and no other; the numbers follow what happens; names of devices
    /// and apps are not among them; nothing of it is at the address that everybody reaches.
    @Test func prometheusReadsWhatTheGuideSays() async throws {
        let port = try KeptPort.next()
        try await Road.with(options: ["--metrics", "127.0.0.1:\(port)"]) { road in
            try await road.enroll()
            try await road.configure("Measured")
            try await road.assign()
            try await road.synchronised()
            let text = try await eventually("the device waits to be woken") { () -> String? in
                let text = try await road.shell("curl -sSf http://127.0.0.1:\(port)/metrics")
                return Self.value(of: "martlet_wake_streams", in: text) == 1 ? text : nil
            }
            let names = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
                .map { String($0.split(separator: " ")[2]) }
            #expect(Set(names) == (try Self.documented()))
            #expect(names.count == Set(names).count)
            #expect(text.contains(#"martlet_requests_total{area="devices",status="2xx"} "#))
            #expect(text.contains("martlet_build_info{version=\"\(MartletRelease.version)\"} 1\n"))
            #expect(Self.value(of: #"martlet_apps_on_devices{state="refused"}"#, in: text) == 0)
            for (sample, most) in [
                (#"martlet_requests_total{area="administrators",status="2xx"}"#, 1_000.0), ("martlet_wake_streams", 1),
                ("martlet_enrollments", 1), (#"martlet_store_bytes{file="database"}"#, 1e9),
                (#"martlet_request_seconds_count{area="devices"}"#, 1_000), ("process_open_fds", 1_000),
            ] {
                let value = try #require(Self.value(of: sample, in: text), "\(sample)")
                #expect(value >= 1 && value <= most, "\(sample) \(value)")
            }
            let end = try #require(Self.value(of: #"martlet_certificate_end_seconds{certificate="server"}"#, in: text))
            #expect(end > Date().timeIntervalSince1970 + 30 * 86_400)
            #expect(!text.contains(Road.app) && !text.contains(road.udid))
            let curl = "curl -sS -o /dev/null -w '%{http_code}\\n' --cacert '\(road.authority)' \(road.url)"
            #expect(try await road.shell("\(curl)/metrics") == "404")
            for path in ["healthz", "readyz"] {
                // Not ready is also who is too busy to look at its store in time.
                try await eventually("\(path) says so") { try await road.shell("\(curl)/\(path)") == "200" }
                try await eventually("\(path) says so beside the measurements") {
                    (try? await road.shell("curl -sSf http://127.0.0.1:\(port)/\(path)"))?.isEmpty == false
                }
            }
        }
    }

    /// An answer and its line in the log have the same identifier, whatever the client calls its request; the log is read
    /// as JSON line by line.
    @Test func anAnswerIsFoundInTheLog() async throws {
        try await Road.with(options: ["--log-format", "json"]) { road in
            let headers = try await road.shell(
                "curl -sS -D - -o /dev/null --cacert '\(road.authority)' -H 'X-Request-Id: mine' \(road.url)/nowhere")
            let field = try #require(
                headers.lowercased().split(whereSeparator: \.isNewline)
                    .first { $0.contains("x-request-id") })
            let identifier = field.split(separator: " ").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
            #expect(identifier.count == 16)
            _ = try await road.server.line(containing: identifier)
            let lines = try road.server.output.map(\.text).filter { $0.hasPrefix("{") }
            let entries = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String] }
            let entry = try #require(entries.compactMap { $0 }.first { $0["request"] == identifier })
            #expect(entry["status"] == "404" && entry["message"] == "request" && entry["level"] == "info")
            #expect(!lines.contains { $0.contains("mine") || $0.contains("hb.request.id") })
        }
    }

    /// What is freed is kept for all threads together, not by each one for itself: a server that was busy gives it back.
    @Test(.enabled(if: geteuid() == 0, "only root may look at the server's memory"))
    func theServerHasFewHeapsHoweverManyThreadsAreBusy() async throws {
        try await Road.with { road in
            let curl = "curl -sS -o /dev/null --cacert '\(road.authority)' \(road.url)/healthz"
            try await road.shell("seq 64 | xargs -P 16 -I{} \(curl)")
            let maps = try String(contentsOfFile: "/proc/\(road.server.identifier)/maps", encoding: .utf8)
            #expect(Self.furtherHeaps(in: maps) <= 1, "one beside the first")
        }
    }

    // MARK: help

    /// How many heaps the C library has beside the first: each has 64 MiB of addresses, of which it uses the beginning.
    private static func furtherHeaps(in maps: String) -> Int {
        let size: UInt64 = 64 << 20
        let areas = maps.split(separator: "\n").map { $0.split(separator: " ") }.filter { $0.count == 5 }
            .compactMap { words -> (begin: UInt64, end: UInt64, rights: String)? in
                let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
                return ends.count == 2 ? (ends[0], ends[1], String(words[1])) : nil
            }
        return zip(areas, areas.dropFirst()).count { used, rest in
            used.begin % size == 0 && used.rights == "rw-p" && rest.rights == "---p" && rest.begin == used.end
                && rest.end == used.begin + size
        }
    }

    private static func value(of sample: String, in text: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix(sample + " ") }
            .flatMap { Double($0.dropFirst(sample.count + 1)) }
    }

    /// The names in the guide's table.
    private static func documented() throws -> Set<String> {
        let guide = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/Martlet.docc/Administrators.md")
        let rows = try String(contentsOf: guide, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| `martlet_") || $0.hasPrefix("| `process_") }
        let names = rows.flatMap { row in
            (row.split(separator: "|").first ?? "").split(separator: "`").map(String.init).filter { $0.contains("_") }
        }
        return Set(names)
    }
}
