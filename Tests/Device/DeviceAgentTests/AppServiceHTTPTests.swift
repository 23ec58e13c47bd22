import AppMessages
import CLinux
import DeviceAgent
import DeviceMessages
import Foundation
import Synchronization
import Testing
import Waiting

/// The same grants over HTTP; this process is the app.
@Suite(.timeLimit(.minutes(10)))
struct AppServiceHTTPTests {
    private static let secrets: [String: SecretContent] = [
        "p": .password("only-for-the-app"), "c": .certificate(Data("an authority".utf8)),
    ]
    private static let both = [
        AppSecrets.Entry(.password, "a/b", digest: "p"), AppSecrets.Entry(.certificate, "ca", digest: "c"),
    ]

    private static func state(
        _ text: String?, _ entries: [AppSecrets.Entry] = [], lowest: AppTrust = .shared
    ) -> AppState {
        let list = text.map { "<plist version=\"1.0\"><dict><key>text</key><string>\($0)</string></dict></plist>" }
        return AppState(
            managed: true, synchronised: true, configuration: list.map { Data($0.utf8) }, secrets: AppSecrets(entries),
            lowestTrust: lowest)
    }

    @Test func configurationAndSecretsAreDocuments() throws {
        let fixture = try Fixture(ourselves: true, secrets: Self.secrets)
        fixture.service.update([Fixture.app: Self.state("here", Self.both)])
        let client = try Client(fixture)
        let configuration = try client.get("/configuration")
        #expect(configuration.status == 200 && configuration.body == #"{"text":"here"}"#)
        #expect(configuration.fields["content-type"] == "application/json")
        let list = try client.get("/configuration.plist")
        #expect(list.body.contains("<string>here</string>"))
        #expect(try client.get("/secrets").body == #"{"certificate":["ca"],"identity":[],"password":["a/b"]}"#)
        #expect(try client.get("/secrets/password/a%2Fb").body == "only-for-the-app")
        #expect(try client.get("/secrets/certificate/ca").body.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        for wrong in ["/", "/secrets/password/a/b", "/secrets/password/x", "/secrets/key/ca", "/configuration/", "/x"] {
            #expect(try client.get(wrong).status == 404)
        }
        for reply in [configuration, list] { #expect(reply.fields["cache-control"] == "no-store") }
    }

    @Test func whoHasTheNewestIsToldSoAndWhoHasAnOlderOneGetsIt() throws {
        let fixture = try Fixture(ourselves: true)
        fixture.service.update([Fixture.app: Self.state("one")])
        let client = try Client(fixture)
        let tag = try #require(try client.get("/configuration").fields["etag"])
        let same = try client.get("/configuration", known: tag)
        #expect(same.status == 304 && same.body.isEmpty && same.fields["etag"] == tag)
        fixture.service.update([Fixture.app: Self.state("two")])
        while try client.get("/configuration", known: tag).status == 304 {}
        #expect(try client.get("/configuration", known: tag).body == #"{"text":"two"}"#)
    }

    /// Red where nobody hears that an app has the version that it fetched, or where each request is news.
    @Test func whatAnAppFetchesIsNotedOnceForEachVersion() async throws {
        let noted = Notes()
        let fixture = try Fixture(ourselves: true, handedOver: { noted.add($0) })
        let client = try Client(fixture)
        #expect(try client.get("/configuration").status == 404)
        var versions: [String] = []
        for text in ["one", "two"] {
            let state = Self.state(text)
            versions.append(state.version)
            fixture.service.update([Fixture.app: state])
            try await eventually("it has \(text)") {
                try client.get("/configuration.plist").body.contains("<string>\(text)</string>")
            }
            let tag = try client.get("/configuration").fields["etag"]
            #expect(try client.get("/configuration", known: tag).status == 304)
        }
        #expect(try client.get("/secrets").status == 200)
        fixture.service.stop()
        #expect(noted.all.map(\.version) == versions)
        #expect(noted.all.allSatisfy { $0.way == .http && $0.bundleIdentifier == Fixture.app })
    }

    private final class Notes: Sendable {
        private let notes = Mutex<[ConfigurationHandOver]>([])

        var all: [ConfigurationHandOver] { notes.withLock { $0 } }

        func add(_ note: ConfigurationHandOver) { notes.withLock { $0.append(note) } }
    }

    /// It ends with the change, with a withdrawal, or when the time is over; what is asked meanwhile is answered after.
    @Test func aRequestWaitsForAChange() throws {
        let fixture = try Fixture(ourselves: true)
        fixture.service.update([Fixture.app: Self.state("one")])
        let client = try Client(fixture)
        let tag = try #require(try client.get("/configuration").fields["etag"])
        try client.send("/configuration?wait=300", known: tag)
        try client.send("/secrets")
        #expect(!client.hasAnswer(within: 100))
        fixture.service.update([Fixture.app: Self.state("two")])
        let changed = try client.answer()
        #expect(changed.body == #"{"text":"two"}"#)
        #expect(try client.answer().status == 200)
        try client.send("/configuration?wait=300", known: changed.fields["etag"])
        fixture.service.update([:])
        let gone = try client.answer()
        #expect(gone.status == 404 && gone.fields["etag"] == "\"none\"")
        let begun = ContinuousClock.now
        #expect(try client.get("/configuration?wait=1", known: "\"none\"").status == 304)
        #expect(ContinuousClock.now - begun >= .seconds(1))
    }

    /// The list says that a value is another, and says nothing by which one could be guessed.
    @Test func anotherValueIsAnotherVersionOfTheList() throws {
        let fixture = try Fixture(ourselves: true, secrets: Self.secrets)
        fixture.service.update([Fixture.app: Self.state("a", [.init(.password, "x", digest: "p")])])
        let client = try Client(fixture)
        let tag = try #require(try client.get("/secrets").fields["etag"])
        try client.send("/secrets?wait=300", known: tag)
        fixture.service.update([Fixture.app: Self.state("a", [.init(.password, "x", digest: "q")])])
        let other = try client.answer()
        #expect(other.status == 200 && other.fields["etag"] != tag)
        let another = try Fixture(ourselves: true)
        let itsTag = try Client(another).get("/secrets").fields["etag"]
        #expect(itsTag != nil && itsTag != tag)
        withExtendedLifetime(another) {}
    }

    /// D7: the socket's rule.
    @Test func anAppThatIsNotTrustedEnoughIsGivenNoSecret() throws {
        let fixture = try Fixture(ourselves: true, secrets: Self.secrets)
        fixture.service.update([Fixture.app: Self.state("here", Self.both, lowest: .launched)])
        let client = try Client(fixture)
        #expect(try client.get("/secrets/password/a%2Fb").status == 403)
        #expect(fixture.refusals == ["withheld": 1])
        #expect(try client.get("/secrets").body == #"{"certificate":[],"identity":[],"password":[]}"#)
        #expect(try client.get("/configuration").status == 200)
    }

    @Test func aStrangerIsRefused() throws {
        let fixture = try Fixture()
        let client = try Client(fixture)
        #expect(try client.answer().status == 403)
        #expect(client.hasEnded)
        #expect(fixture.refusals == ["stranger": 1])
    }

    /// After it the rest of what was sent means nothing.
    @Test func whatIsNoRequestEndsTheConnection() throws {
        let fixture = try Fixture(ourselves: true)
        for (text, status) in [
            ("POST /configuration HTTP/1.1\r\nHost: a\r\n\r\n", 405), ("nonsense\r\n\r\n", 400),
            (String(repeating: "x", count: 9_000), 431),
            ("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 404),
        ] {
            let client = try Client(fixture)
            try client.send(raw: text)
            #expect(try client.answer().status == status)
            #expect(client.hasEnded)
        }
        #expect(fixture.refusals == ["malformed": 3])
    }

    /// Far more than a turn has, in one go: each is answered, in order.
    @Test func requestsThatComeTogetherAreAllAnswered() throws {
        let fixture = try Fixture(ourselves: true)
        fixture.service.update([Fixture.app: Self.state("here")])
        let client = try Client(fixture)
        let requests = (0..<100).map { number in
            "GET /\(number.isMultiple(of: 3) ? "configuration" : "x") HTTP/1.1\r\nHost: a\r\n\r\n"
        }
        try client.send(raw: requests.joined())
        for number in 0..<100 { #expect(try client.answer().status == (number.isMultiple(of: 3) ? 200 : 404)) }
    }

    /// A program that nobody here has written, as the app.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")))
    func pythonsOwnClientReadsIt() async throws {
        let fixture = try Fixture(secrets: Self.secrets)
        fixture.service.update([Fixture.app: Self.state("here", Self.both)])
        let program = """
            import http.client, os, socket
            class Agent(http.client.HTTPConnection):
                def connect(self):
                    self.sock = socket.socket(socket.AF_UNIX)
                    self.sock.connect(os.path.dirname(os.environ["MARTLET_AGENT_SOCKET"]) + "/app-http.socket")
            agent = Agent("agent")
            for path in ["/configuration", "/secrets/password/a%2Fb", "/none"]:
                agent.request("GET", path)
                reply = agent.getresponse()
                print(reply.status, reply.read().decode())
            """
        let bundle = AppBundle(
            directory: "/", identifier: Fixture.app, name: "Python", version: "1", shortVersion: "1",
            executable: "/usr/bin/python3")
        #expect(
            try await fixture.run(bundle, arguments: ["-c", program])
                == "200 {\"text\":\"here\"}\n200 only-for-the-app\n404 \n")
    }
}

/// The asking side, by hand.
private final class Client {
    struct Reply {
        let status: Int
        let fields: [String: String]
        let body: String
    }

    private let socket: Int32
    private var gathered = Data()

    init(_ fixture: Fixture) throws {
        socket = unsafe clinux_connect(fixture.root.appending(path: "app-http.socket").path)
        try #require(socket >= 0)
    }

    deinit { close(socket) }

    func get(_ path: String, known: String? = nil) throws -> Reply {
        try send(path, known: known)
        return try answer()
    }

    func send(_ path: String, known: String? = nil) throws {
        try send(raw: "GET \(path) HTTP/1.1\r\nHost: a\r\n\(known.map { "If-None-Match: \($0)\r\n" } ?? "")\r\n")
    }

    func send(raw text: String) throws {
        let bytes = Data(text.utf8)
        let sent = unsafe bytes.withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe clinux_send_all(socket, $0, bytes.count, 240_000) }
        }
        try #require(sent == 0)
    }

    func answer() throws -> Reply {
        let end = Data("\r\n\r\n".utf8)
        while gathered.range(of: end) == nil { try #require(read(240_000)) }
        let range = try #require(gathered.range(of: end))
        let lines = String(decoding: gathered[..<range.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.components(separatedBy: ": ")
            fields[parts[0].lowercased()] = parts[1]
        }
        let length = fields["content-length"].flatMap { Int($0) } ?? 0
        let rest = range.upperBound
        while gathered.count - (rest - gathered.startIndex) < length { try #require(read(240_000)) }
        let body = String(decoding: gathered[rest..<(rest + length)], as: UTF8.self)
        gathered = Data(gathered[(rest + length)...])
        return Reply(status: try #require(Int(lines[0].split(separator: " ")[1])), fields: fields, body: body)
    }

    func hasAnswer(within milliseconds: Int32) -> Bool { read(milliseconds) }

    var hasEnded: Bool { gathered.isEmpty && !read(240_000) }

    private func read(_ milliseconds: Int32) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe chunk.withUnsafeMutableBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe clinux_read(socket, $0, bytes.count, milliseconds) } ?? -1
        }
        guard count > 0 else { return false }
        gathered.append(contentsOf: chunk.prefix(count))
        return true
    }
}
