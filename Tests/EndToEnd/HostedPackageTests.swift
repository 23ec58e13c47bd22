import AdminMessages
import Crypto
import Foundation
import Testing

/// A package from a developer's desk to whoever fetches it: the tool uploads it, the server hosts it, `curl` has it.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(240)))
struct HostedPackageTests {
    /// The whole way with programs alone, in ranges, and what the manifest says of each piece.
    @Test func whatIsUploadedCanBeFetchedInParts() async throws {
        try await Road.with { road in
            try await Self.furnish(road)
            let refused = try await Self.shell("martlet app package upload notes.tar.zst", road)
            #expect(refused.status == 4 && refused.text.contains("trusts no team yet"), "\(refused.text)")
            _ = try await Self.run("martlet team add ca.pem && martlet team list", road)
            let text = try await Self.run("martlet app package upload notes.tar.zst --json", road)
            let package = try AdminJSON.decode(Package.self, from: Data(text.utf8))
            let bytes = try Data(contentsOf: road.home.appending(path: "notes.tar.zst"))
            #expect(package.sha256 == Self.hexadecimal(SHA256.hash(data: bytes)))
            _ = try await Self.run(
                """
                url=\(road.url)/packages/\(package.sha256)
                get="curl -sSf --cacert \(road.authority)"
                $get $url/manifest.plist -o manifest.plist && $get $url -o whole && cmp whole notes.tar.zst &&
                $get -r 0-99999 $url -o part && $get -C - $url -o part && cmp part notes.tar.zst &&
                $get -r -10 $url -o tail && tail -c 10 notes.tar.zst | cmp - tail &&
                python3 check.py manifest.plist notes.tar.zst
                """, road)
            let device = try await road.enroll(code: road.enrollmentCode(), directory: road.agentDirectory)
            _ = try await Self.run("martlet assign teachers com.example.notes --lowest-trust shared", road)
            let shown = try await Self.run("martlet device show \(device)", road)
            #expect(shown.contains("com.example.notes"), "\(shown)")
            _ = try await Self.run(
                """
                martlet app source set com.example.notes --platform linux --package \(package.sha256) --minimum-os 999
                """, road)
            let withheld = try await Self.run("martlet device show \(device)", road)
            #expect(withheld.contains("Server.Withheld: The app is withheld: it needs Linux 999"), "\(withheld)")
            let entries = try await road.martlet("audit", "list", "--json")
            for action in ["team.add", "app.package.add", "app.source.set"] {
                #expect(entries.contains("\"\(action)\""))
            }
        }
    }

    /// `kill -9` of the server at each write, sync, rename and removal of an upload: the package is there whole or not at
    /// all, and the next try goes on.
    @Test func anUploadIsFinishedWhereverItsServerEnds() async throws {
        try await Road.with { road in
            let developer = try await Developer.on(road)
            var version = 0

            /// Answers whether the server ended at the point, and the points that there were.
            func round(_ number: Int) async throws -> (ended: Bool, calls: [String]) {
                version += 1
                // Three pieces.
                let package = try await developer.pack("\(version)", bytes: 2_500_000)
                let upload = ["app", "package", "upload", package.path]
                try await road.stop(try road.server)
                let crash = CrashPoint(number, of: road.serverDirectory, log: road.home.appending(path: "points"))
                let server = try road.launchServer(crash)
                try await Self.started(server)
                let first = try await road.run("martlet", upload)
                #expect([0, 1, 4, 6].contains(first.status), "\(first.text)")
                server.send(SIGTERM)
                let status = try await server.exit()
                for file in try Self.hosted(road) {
                    let bytes = try Data(contentsOf: URL(filePath: road.serverDirectory + "/packages/" + file))
                    #expect(Self.hexadecimal(SHA256.hash(data: bytes)) == file)
                }
                try await road.startServer()
                try await road.martlet("app", "package", "upload", package.path)
                let digest = Self.hexadecimal(SHA256.hash(data: try Data(contentsOf: package)))
                try await road.shell(
                    "curl -sSf --cacert '\(road.authority)' \(road.url)/packages/\(digest) | cmp - '\(package.path)'")
                let uploads = road.serverDirectory + "/packages/uploads"
                #expect(try FileManager.default.contentsOfDirectory(atPath: uploads).isEmpty)
                #expect(try Self.hosted(road).count == version)
                return (status == -SIGKILL, crash.calls)
            }
            let (ended, calls) = try await round(0)
            try #require(!ended && calls.count > 10)
            var ends = 0
            let points = CrashPoint.points(upTo: calls.count, quick: 4)
            for number in points {
                CrashPoint.tell(number, of: calls.count, "upload")
                if try await round(number).ended { ends += 1 }
            }
            #expect(
                ends >= CrashPoint.fewest(of: points.count, ofTen: 8), "of \(points.count) points \(ends) were reached")
        }
    }

    /// Waits until a server is ready or has ended.
    private static func started(_ server: RunningProcess) async throws {
        _ = try await server.lineOrEnd("that it is ready") { $0.contains("ready https://") }
    }

    private static func hosted(_ road: Road) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: road.serverDirectory + "/packages")
            .filter { $0 != "uploads" }
    }

    /// A team, its authority, and a package of 12 MiB that cannot be made smaller.
    private static func furnish(_ road: Road) async throws {
        let tree = road.home.appending(path: "Notes.app")
        try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: true)
        for (name, text) in [("Notes.app/Info.plist", information), ("team.ext", usage), ("check.py", check)] {
            try Data(text.utf8).write(to: road.home.appending(path: name))
        }
        _ = try await run(
            """
            printf '#!/bin/sh\\n' > Notes.app/Notes && chmod 755 Notes.app/Notes &&
            head -c 12582912 /dev/urandom > Notes.app/noise &&
            openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 30 -subj '/O=Example/CN=Team CA' \
              -addext keyUsage=critical,keyCertSign 2>/dev/null &&
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout team.key -out team.csr \
              -subj '/O=Example/OU=TEAM123456/CN=Notes Team' 2>/dev/null &&
            openssl x509 -req -in team.csr -CA ca.pem -CAkey ca.key -days 30 -extfile team.ext -out team.pem 2>/dev/null &&
            martlet app build Notes.app -o notes.tar.zst &&
            martlet app sign notes.tar.zst --certificate team.pem --key team.key &&
            martlet app create com.example.notes --name Notes
            """, road)
    }

    private static func run(_ command: String, _ road: Road) async throws -> String {
        let (status, text) = try await shell(command, road)
        guard status == 0 else { throw Road.Broken(description: "\(command): \(status)\n\(text)") }
        return text
    }

    private static func shell(_ command: String, _ road: Road) async throws -> (status: Int32, text: String) {
        var environment = Road.environment(road.home)
        let tools = Road.binary("martlet").deletingLastPathComponent().path
        environment["PATH"] = tools + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        let process = try RunningProcess(
            "sh", URL(filePath: "/bin/sh"), ["-c", "cd \"$1\" && \(command)", "sh", road.home.path],
            environment: environment)
        guard let status = try await process.exit() else {
            process.killNow()
            return (-1, "did not end")
        }
        try await process.drained()
        return (status, process.output.map(\.text).joined(separator: "\n"))
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static let information = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>com.example.notes</string>
        <key>CFBundleExecutable</key><string>Notes</string>
        <key>CFBundleVersion</key><string>12</string>
        </dict></plist>
        """
    private static let usage = "keyUsage=critical,digitalSignature\nextendedKeyUsage=codeSigning\n"

    /// Holds a file against its manifest, as any program can.
    private static let check = """
        import hashlib, plistlib, sys
        item = plistlib.load(open(sys.argv[1], "rb"))["items"][0]
        asset = item["assets"][0]
        data = open(sys.argv[2], "rb").read()
        size = asset["sha256-size"]
        pieces = [hashlib.sha256(data[i:i + size]).hexdigest() for i in range(0, len(data), size)]
        assert pieces == asset["sha256s"] and asset["kind"] == "software-package"
        assert item["metadata"]["bundle-identifier"] == "com.example.notes"
        assert item["metadata"]["bundle-version"] == "12"
        assert asset["url"].endswith(hashlib.sha256(data).hexdigest())
        """
}
