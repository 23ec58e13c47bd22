import DeviceAgent
import Foundation
import Testing

/// The sample app as its own process behind an agent: AS-6, with what the agent would be told by a server.
@Suite(.timeLimit(.minutes(10)))
struct LandmarksTests {
    struct Collection: Encodable {
        var title: String?
        var landmarks: [Int]?
    }
    struct Configuration: Encodable {
        var managedCollection: Collection?
        var assetURL: String?
        var assetAuthority: String?
        var assetCertificate: Data?
        var fromTheFuture: [String: Int]?
    }

    /// S4-LM-01, S4-GOAL-01: the first view shows the collection.
    @Test func theFirstViewShowsTheCollection() async throws {
        let landmarks = try Landmarks(
            Configuration(managedCollection: Collection(title: "Parks to visit", landmarks: [1004, 1001])))
        #expect(
            await landmarks.view().prefix(5) == [
                "LANDMARKS", "", "== Managed Collection: Parks to visit ==", "  1004  Grand Canyon, Arizona",
                "  1001  Mount Fuji, Japan",
            ])
    }

    /// S4-API-23, S4-LM-01: the view follows; S4-API-17: to nothing and back.
    @Test func theViewFollowsEachChange() async throws {
        let landmarks = try Landmarks(Configuration(managedCollection: Collection(title: "One", landmarks: [])))
        #expect(await landmarks.headline() == "== Managed Collection: One ==")
        try landmarks.tell(Configuration(managedCollection: Collection(title: "Two", landmarks: [1002])))
        #expect(await landmarks.headline() == "== Managed Collection: Two ==")
        try landmarks.tell(nil)
        #expect(await landmarks.headline() == "(no managed collection)")
        try landmarks.tell(Configuration(managedCollection: Collection(title: "Three", landmarks: [1012])))
        #expect(await landmarks.headline() == "== Managed Collection: Three ==")
    }

    /// S4-API-07: an unknown landmark: no collection, and the documented code and place at the agent.
    @Test func anUnknownLandmarkIsRefusedWithItsDocumentedCode() async throws {
        let landmarks = try Landmarks(
            Configuration(managedCollection: Collection(title: "Broken", landmarks: [1001, 9999])))
        #expect(await landmarks.headline() == "(no managed collection)")
        let report = try #require(await landmarks.nextReport())
        #expect(!report.valid && report.code == 100)
        #expect(report.keyPath == "managedCollection.landmarks[1]" && report.keyPathSupplied)
        #expect(report.message?.contains("unknownLandmark") == true && report.message?.contains("9999") == false)
        try landmarks.tell(Configuration(managedCollection: Collection(title: "Right", landmarks: [1001])))
        #expect(await landmarks.headline() == "== Managed Collection: Right ==")
        #expect(await landmarks.nextReport()?.valid == true)
    }

    /// S1-PIN-04: a pin that is no certificate is refused with the configuration, which then asks no server at all.
    @Test(arguments: [Data(), Data("garbage".utf8), Data([0x30, 0x03, 0x02, 0x01, 0x00])])
    func aPinThatIsNoCertificateIsRefusedWithItsDocumentedCode(pin: Data) async throws {
        let landmarks = try Landmarks(
            Configuration(
                managedCollection: Collection(title: "Parks"), assetURL: "https://localhost:1/", assetCertificate: pin))
        #expect(await landmarks.view().contains("(no managed collection)"))
        let report = try #require(await landmarks.nextReport())
        #expect(!report.valid && report.code == 102)
        #expect(report.keyPath == "assetCertificate" && report.message?.contains("invalidAssetCertificate") == true)
    }

    /// S4-API-08: empty, partial and full dictionaries; S4-API-09: no collection in a configuration; AS-6 step 8: unknown keys.
    @Test(arguments: [
        (Configuration(), "(no managed collection)"),
        (Configuration(managedCollection: Collection()), "== Managed Collection: Untitled =="),
        (Configuration(managedCollection: Collection(title: "T")), "== Managed Collection: T =="),
        (
            Configuration(
                managedCollection: Collection(title: "Full", landmarks: [1001]), assetURL: "https://example.com/assets",
                fromTheFuture: ["a": 1]), "== Managed Collection: Full =="
        ),
        (Configuration(managedCollection: Collection(title: "\u{1B}[2Jx")), "== Managed Collection:  [2Jx =="),
    ])
    func decodesWhatIsThere(configuration: Configuration, headline: String) async throws {
        let landmarks = try Landmarks(configuration)
        #expect(await landmarks.headline() == headline)
        #expect(await landmarks.nextReport()?.valid == true)
    }

    @Test(arguments: ["http://example.com", "nonsense", "", "https://"])
    func anAssetURLThatIsNotHTTPSIsRefused(url: String) async throws {
        let landmarks = try Landmarks(Configuration(assetURL: url))
        let report = try #require(await landmarks.nextReport())
        #expect(report.code == 101 && report.keyPath == "assetURL")
    }

    /// S4-LM-03, S4-API-20: loading begins before the first view.
    @Test func loadingBeginsBeforeTheFirstView() async throws {
        let landmarks = try Landmarks(Configuration(), environment: ["LANDMARKS_TRACE": "1"])
        _ = await landmarks.headline()
        landmarks.end()
        let events = await landmarks.trace().map { $0.split(separator: " ").dropFirst(2).joined(separator: " ") }
        #expect(events.prefix(2) == ["loading", "view drawn"])
    }

    /// S4-API-19: while nothing changes no thread of the app wakes, neither for us nor for the runtime.
    @Test func anIdleAppSleeps() async throws {
        let landmarks = try Landmarks(Configuration(managedCollection: Collection(title: "Idle")))
        _ = await landmarks.headline()
        _ = await landmarks.nextReport()
        var wakings: [Int] = [-1]
        // Start-up work may still be ending, for long on a busy machine; a timer of whatever kind would show each time.
        for _ in 0..<160 where wakings.suffix(2).count < 2 || wakings[wakings.count - 1] != wakings[wakings.count - 2] {
            wakings.append(try landmarks.wakings())
            try await Task.sleep(for: .milliseconds(1_500))
            wakings.append(try landmarks.wakings())
        }
        #expect(wakings[wakings.count - 1] == wakings[wakings.count - 2], "the app woke: \(wakings)")
        try landmarks.tell(Configuration(managedCollection: Collection(title: "Awake")))
        #expect(await landmarks.headline() == "== Managed Collection: Awake ==")
    }

    /// S4-API-18: the agent goes and comes; the app stays and hears what is new.
    @Test func theAppOutlivesItsAgent() async throws {
        let landmarks = try Landmarks(Configuration(managedCollection: Collection(title: "Before")))
        #expect(await landmarks.headline() == "== Managed Collection: Before ==")
        try landmarks.restartAgent()
        try landmarks.tell(Configuration(managedCollection: Collection(title: "After")))
        #expect(await landmarks.headline() == "== Managed Collection: After ==")
    }

    /// S4-BP-08: the app shows the legacy dictionary from the first view on, and whenever the framework has no
    /// configuration.
    @Test func theLegacyDictionaryCountsWhileTheFrameworkHasNothing() async throws {
        let landmarks = try Landmarks(nil, legacy: Self.titled("Dictionary"))
        #expect(await landmarks.headline() == "== Managed Collection: Dictionary ==")
        try landmarks.tell(nil, legacy: Self.titled("Newer dictionary"))
        #expect(await landmarks.headlines(until: "== Managed Collection: Newer dictionary ==").isEmpty)
        try landmarks.tell(Self.titled("Framework"), legacy: Self.titled("Newer dictionary"))
        #expect(await landmarks.headlines(until: "== Managed Collection: Framework ==").isEmpty)
        // A change of the dictionary draws nothing while the framework has a configuration.
        try landmarks.tell(Self.titled("Framework"), legacy: Self.titled("Newest dictionary"))
        try landmarks.tell(Self.titled("Newer framework"), legacy: Self.titled("Newest dictionary"))
        #expect(await landmarks.headlines(until: "== Managed Collection: Newer framework ==").isEmpty)
        try landmarks.tell(nil, legacy: Self.titled("Newest dictionary"))
        let views = await landmarks.headlines(until: "== Managed Collection: Newest dictionary ==")
        #expect(!views.contains("(no managed collection)"), "\(views)")
        try landmarks.tell(nil)
        _ = await landmarks.headlines(until: "(no managed collection)")
    }

    /// The app ignores a dictionary that the decoder refuses.
    @Test func aLegacyDictionaryThatIsRefusedCountsAsNone() async throws {
        let broken = Configuration(managedCollection: Collection(title: "Broken", landmarks: [9999]))
        let landmarks = try Landmarks(nil, legacy: broken)
        #expect(await landmarks.headline() == "(no managed collection)")
        try landmarks.tell(nil, legacy: Self.titled("Right"))
        #expect(await landmarks.headlines(until: "== Managed Collection: Right ==").isEmpty)
    }

    /// A change of the user defaults that changes nothing of what is shown draws nothing.
    ///
    /// Red where each notification draws: the app also gets one when its feedback is taken.
    @Test func aDictionaryThatShowsTheSameIsNotDrawnAgain() async throws {
        var dictionary = Self.titled("Same")
        let landmarks = try Landmarks(nil, legacy: dictionary, environment: ["LANDMARKS_TRACE": "1"])
        let first = await landmarks.headline()
        #expect(first == "== Managed Collection: Same ==")
        // Without an address it is not looked at.
        for authority in ["a", "b", "c"] {
            dictionary.assetAuthority = authority
            try landmarks.tell(nil, legacy: dictionary)
            await landmarks.comeRound()
        }
        try landmarks.tell(nil, legacy: Self.titled("Other"))
        #expect(await landmarks.headlines(until: "== Managed Collection: Other ==").isEmpty)
        landmarks.end()
        let drawn = await landmarks.trace().filter { $0.hasSuffix("view drawn") }
        #expect(drawn.count == 2)
    }

    /// The dictionary takes precedence over the demo, which is back when the dictionary goes.
    @Test func theLegacyDictionaryGoesBeforeTheDemo() async throws {
        let landmarks = try Landmarks(nil, legacy: Self.titled("Dictionary"), arguments: ["--demo"])
        #expect(await landmarks.headline() == "== Managed Collection: Dictionary ==")
        try landmarks.tell(nil)
        #expect(await landmarks.headlines(until: "== Managed Collection: Parks to visit ==").isEmpty)
    }

    private static func titled(_ title: String) -> Configuration {
        Configuration(managedCollection: Collection(title: title))
    }
}

/// Landmarks as a child of an agent in this process.
private final class Landmarks {
    private let root: URL
    private let room: FeedbackRoom
    private let process: Int32
    private var service: AppService
    private let output: AsyncStream<String>
    private let errors: AsyncStream<String>
    private let reports: AsyncStream<ConfigurationReport>
    private let reportEnd: AsyncStream<ConfigurationReport>.Continuation

    init(
        _ configuration: LandmarksTests.Configuration?, legacy: LandmarksTests.Configuration? = nil,
        arguments: [String] = [], environment: [String: String] = [:]
    ) throws {
        root = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        let steps = DiskSteps()
        room = FeedbackRoom(
            directory: root.path, steps: steps,
            key: try SealingKey.open(in: root.path, mayCreate: true, steps: steps))
        (reports, reportEnd) = AsyncStream.makeStream()
        service = Self.service(root, room, reportEnd)
        // Beside the tests, where the build puts both.
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let binary = URL(filePath: tests).deletingLastPathComponent().appending(path: "Landmarks").path
        let output = Pipe()
        let errors = Pipe()
        self.output = Self.lines(of: output)
        self.errors = Self.lines(of: errors)
        let bundle = AppBundle(
            directory: root.path, identifier: "com.example.landmarks", name: "Landmarks", version: "1.0",
            shortVersion: "1.0", executable: binary)
        try service.start()
        // Before it is opened: an app waits only some seconds for the first answer, and a busy machine may take longer
        // between two lines.
        service.update(try Self.states(configuration, legacy: legacy))
        process = try service.launch(
            bundle, arguments: arguments, environment: environment,
            standardOutput: output.fileHandleForWriting.fileDescriptor,
            standardError: errors.fileHandleForWriting.fileDescriptor)
        try output.fileHandleForWriting.close()
        try errors.fileHandleForWriting.close()
    }

    deinit {
        end()
        service.stop()
        try? FileManager.default.removeItem(at: root)
    }

    private static func service(
        _ root: URL, _ room: FeedbackRoom, _ reports: AsyncStream<ConfigurationReport>.Continuation
    ) -> AppService {
        AppService(
            socketPath: root.appending(path: "apps.sock").path, controlPath: root.appending(path: "control.sock").path,
            records: LaunchRecordsFile(path: root.appending(path: "launches.json").path), log: quiet,
            find: { _ in nil }, report: { for report in $0 { reports.yield(report) } }, feedback: room)
    }

    private static func lines(of pipe: Pipe) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream<String>.makeStream()
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread {
            var rest = Data()
            while true {
                let arrived = handle.availableData
                if arrived.isEmpty { return continuation.finish() }
                rest += arrived
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
        }
        return stream
    }

    /// The lines of the next view.
    func view() async -> [String] {
        var view: [String] = []
        var isInLastSection = false
        for await line in output {
            if view.isEmpty, line.isEmpty { continue }
            view.append(line)
            if line == "== All Landmarks ==" { isInLastSection = true }
            if isInLastSection, line.hasPrefix("  1012 ") { break }
        }
        return view
    }

    /// What the next view says of the managed collection.
    func headline() async -> String? {
        await view().dropFirst(2).first
    }

    /// Reads views until one has this headline; returns the headlines of the views before it.
    func headlines(until wanted: String) async -> [String] {
        var before: [String] = []
        while let shown = await headline(), shown != wanted { before.append(shown) }
        return before
    }

    /// Everything on the error output, once the app has ended.
    func trace() async -> [String] {
        var lines: [String] = []
        for await line in errors { lines.append(line) }
        return lines
    }

    func tell(_ configuration: LandmarksTests.Configuration?, legacy: LandmarksTests.Configuration? = nil) throws {
        service.update(try Self.states(configuration, legacy: legacy))
    }

    private static func states(
        _ configuration: LandmarksTests.Configuration?, legacy: LandmarksTests.Configuration?
    ) throws -> [String: AppState] {
        [
            "com.example.landmarks": AppState(
                managed: true, synchronised: true, configuration: try configuration.map { try propertyList($0) },
                defaults: try legacy.map { try propertyList($0) })
        ]
    }

    /// Returns when the service has sent what it was told.
    func comeRound() async { _ = await service.answers() }

    func restartAgent() throws {
        service.stop()
        service = Self.service(root, room, reportEnd)
        try service.start()
    }

    func nextReport() async -> ConfigurationReport? {
        for await report in reports { return report }
        return nil
    }

    /// How often threads of the app went to sleep so far.
    func wakings() throws -> Int {
        let threads = "/proc/\(process)/task"
        return try FileManager.default.contentsOfDirectory(atPath: threads).reduce(0) { sum, thread in
            // One that has ended meanwhile is missing from the sum, which is another one then.
            let status = try? String(contentsOfFile: "\(threads)/\(thread)/status", encoding: .utf8)
            let line = status?.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            return sum + (line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
        }
    }

    func end() { kill(process, SIGTERM) }
}
