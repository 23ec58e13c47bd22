import AppDevelopment
import AppSpecification
import Foundation
import InputBounds
import JSONSchema
import TestInputs
import Testing

/// Which file of a developer's directory is what, and what a look at it changes.
struct DeploymentDeskTests {
    private static let rules = DeploymentFiles(app: "com.example.notes", configuration: "default")
    private let rules = Self.rules

    @Test(arguments: [
        ("default.plist", DeploymentFiles.Role.configuration(.app)), ("default.json", .configuration(.app)),
        ("com.example.notes.share.plist", .configuration(.extension("com.example.notes.share"))),
        ("specification.json", .specification), ("school.plist", .other), ("default.plist~", .other),
        (".default.plist.swp", .other), (".default.plist", .other), ("default", .other), ("default.xml", .other),
        ("com.example.notesbook.plist", .other), ("com.example.notes.plist", .other), ("notes.txt", .other),
    ])
    func aFilesNameSaysWhatItIs(name: String, role: DeploymentFiles.Role) {
        #expect(rules.role(of: name) == role)
    }

    @Test func anotherConfigurationCanBeTheOneThatTheAppGets() {
        let rules = DeploymentFiles(app: "com.example.notes", configuration: "school")
        #expect(rules.role(of: "school.plist") == .configuration(.app))
        #expect(rules.role(of: "default.plist") == .other)
    }

    @Test func whatIsNewIsDeployedOnce() {
        var desk = DeploymentDesk(rules)
        let found = Self.found(["default.plist": Self.list("a")])
        #expect(desk.take(found) == [.deployed(.app, file: "default.plist", findings: [])])
        #expect(desk.deployed[.app]?.bytes == Self.list("a"))
        #expect(desk.take(found).isEmpty)
        #expect(desk.take(Self.found(["default.plist": Self.list("b")])).count == 1)
        #expect(desk.deployed[.app]?.bytes == Self.list("b"))
    }

    /// Red where `$${home}` reached the app with both signs: as the server does, it becomes the app's own `${home}`.
    @Test func anEscapedVariableIsTheAppsOwnText() throws {
        var desk = DeploymentDesk(rules)
        let texts: [PropertyListValue] = [.string("$${home}/Downloads"), .string("${person.email}"), .string("$5")]
        let list = PropertyListValue.dictionary(["a": .array(texts)])
        #expect(desk.take(Self.found(["default.plist": list.xml()])).count == 1)
        let bytes = try #require(desk.deployed[.app]?.bytes)
        let wanted: [PropertyListValue] = [.string("${home}/Downloads"), .string("${person.email}"), .string("$5")]
        #expect(try PropertyListValue(parsing: bytes, limits: .configuration) == .dictionary(["a": .array(wanted)]))
    }

    /// A file that somebody is just writing is not half read.
    @Test(arguments: ["", "<plist version=\"1.0\"><dict><key>a</key>", "<plist version=\"1.0\"><array/></plist>"])
    func whatCannotBeUsedLeavesWhatWasThere(half: String) throws {
        var desk = DeploymentDesk(rules)
        _ = desk.take(Self.found(["default.plist": Self.list("a")]))
        let torn = Self.found(["default.plist": Data(half.utf8)])
        let change = try #require(desk.take(torn).first)
        guard case .kept(file: "default.plist", _) = change else { throw Unexpected() }
        #expect(desk.deployed[.app]?.bytes == Self.list("a"))
        #expect(desk.take(torn).isEmpty, "it is said once")
        #expect(desk.take(Self.found(["default.plist": Self.list("a")])).isEmpty, "nothing else was deployed meanwhile")
        #expect(desk.take(torn).count == 1, "and again when it happens again")
    }

    @Test func whatIsGoneIsWithdrawn() {
        var desk = DeploymentDesk(rules)
        _ = desk.take(Self.found(["default.plist": Self.list("a")]))
        #expect(desk.take(Self.found([:])) == [.withdrawn(.app, file: "default.plist")])
        #expect(desk.deployed.isEmpty)
        #expect(desk.take(Self.found([:])).isEmpty)
    }

    /// Which of two is meant nobody can know.
    @Test func twoFilesForOneConfigurationAreNotUsed() throws {
        var desk = DeploymentDesk(rules)
        let both = Self.found(["default.plist": Self.list("a"), "default.json": Data("{}".utf8)])
        #expect(
            desk.take(both) == [
                .kept(
                    file: "default.json", why: "default.json and default.plist are one configuration; keep one of them")
            ])
        #expect(desk.deployed.isEmpty)
        #expect(desk.take(Self.found(["default.plist": Self.list("a")])).count == 1)
    }

    @Test func anAppAndItsExtensionAreDeployedApart() {
        var desk = DeploymentDesk(rules)
        let name = "com.example.notes.share"
        _ = desk.take(Self.found(["default.plist": Self.list("a"), name + ".plist": Self.list("b")]))
        #expect(desk.deployed[.app]?.bytes == Self.list("a"))
        #expect(desk.deployed[.extension(name)]?.bytes == Self.list("b"))
    }

    @Test func aRefusedFileSaysWhyAndNothingOfItsContent() {
        var desk = DeploymentDesk(rules)
        let found = FoundDirectory(["default.plist": .refused("it has more than 8 bytes")])
        #expect(desk.take(found) == [.kept(file: "default.plist", why: "it has more than 8 bytes")])
        let secret = Data(#"{"password": "hunter2" oops"#.utf8)
        guard case .kept(_, let why)? = desk.take(Self.found(["default.json": secret])).first else {
            return #expect(Bool(false), "it is refused")
        }
        #expect(!why.contains("hunter2") && !why.contains("oops"))
    }

    @Test func theSpecificationFindsFirstAndSaysWhatTextsAre() throws {
        let specification = try AppSpecification(
            parsing: Data(
                """
                {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
                 "x-app": {"bundleIdentifier": "com.example.notes"},
                 "properties": {"begins": {"type": "string", "format": "date-time"},
                                "minutes": {"type": "integer", "minimum": 5}}}
                """.utf8))
        var desk = DeploymentDesk(rules)
        let json = Data(#"{"begins": "2026-01-31T00:00:00Z", "minutes": 1}"#.utf8)
        let changes = desk.take(Self.found(["default.json": json]), specification)
        guard case .deployed(.app, file: "default.json", let findings)? = changes.first else { throw Unexpected() }
        #expect(findings.map(\.path.description) == ["minutes"] && findings.map(\.rule) == ["minimum"])
        let bytes = try #require(desk.deployed[.app]?.bytes)
        let list = try unsafe PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any]
        #expect(list?["begins"] is Date)
    }

    @Test func onlyWhatMattersIsReadAndNoMoreThanItsBound() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "desk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        #expect(FoundDirectory.read(place.path + "/nowhere", rules) == nil)
        try Self.list("a").write(to: place.appending(path: "default.plist"))
        try Data("notes".utf8).write(to: place.appending(path: "notes.txt"))
        let found = FoundDirectory.read(place.path, rules)
        #expect(found?.files == ["default.plist": .bytes(Self.list("a"))] && found?.others == ["notes.txt"])
        #expect(FoundFile.read(place.path + "/notes.txt", most: 4) == .refused("it has more than 4 bytes"))
        #expect(FoundFile.read(place.path + "/notes.txt", most: 5) == .bytes(Data("notes".utf8)))
        #expect(FoundFile.read(place.path + "/none", most: 5) == nil)
        #expect(unsafe mkfifo(place.path + "/default.json", 0o600) == 0)
        #expect(FoundFile.read(place.path + "/default.json", most: 5) == .refused("it cannot be opened, or is no file"))
    }

    /// Red where a mistyped name was passed over in silence.
    @Test func aFileWithNearlyTheNameThatIsMissingIsSaidOnce() {
        var desk = DeploymentDesk(rules)
        let names: Set<String> = ["defalut.json", "specfication.json", "notes.txt", "default.json~", ".default.jsn"]
        let found = FoundDirectory(others: names)
        let wanted: [DeploymentDesk.Change] = [
            .unused(file: "defalut.json", meant: "default.json"),
            .unused(file: "specfication.json", meant: "specification.json"),
        ]
        #expect(desk.take(found) == wanted)
        #expect(desk.take(found).isEmpty)
        // Once what was missing is there, another file may have any name.
        let files = ["default.plist": FoundFile.bytes(Self.list("a")), "specification.json": .bytes(Data("{}".utf8))]
        #expect(desk.take(FoundDirectory(files, others: names)).count == 1)
        #expect(desk.take(found).contains(wanted[0]), "the configuration is gone again")
    }

    @Test func theFileOfTheExtensionThatRunsIsTheOneThatIsMissed() {
        let name = "com.example.notes.share"
        let rules = DeploymentFiles(app: "com.example.notes", configuration: "default", target: .extension(name))
        var desk = DeploymentDesk(rules)
        #expect(desk.take(FoundDirectory(others: ["defalut.json"])).isEmpty)
        let change = desk.take(FoundDirectory(others: ["com.exmaple.notes.share.json"]))
        #expect(change == [.unused(file: "com.exmaple.notes.share.json", meant: name + ".json")])
    }

    private struct Unexpected: Error {}

    private static func found(_ files: [String: Data]) -> FoundDirectory {
        FoundDirectory(files.mapValues { .bytes($0) })
    }

    private static func list(_ value: String) -> Data {
        Attacks.xml("<dict><key>k</key><string>\(value)</string></dict>")
    }
}
