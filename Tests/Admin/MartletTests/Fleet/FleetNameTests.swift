import AdminMessages
import Foundation
import InputBounds
import TestInputs
import Testing

@testable import martlet

/// Names that are easily taken for one, written as a directory and read again.
struct FleetNameTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    /// Writes what a server is said to have, and reads it as `martlet apply` does.
    private func written(_ fleet: ServerFleet) async throws -> FleetWish {
        let root = FileManager.default.temporaryDirectory.appending(path: "martlet-fleet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        _ = try await FleetWriter(root.path).write(fleet) { path in
            path.contains("specifications")
                ? Data(#"{"x-app":{"bundleIdentifier":"com.example.a"},"type":"object"}"#.utf8)
                : PropertyListValue.dictionary(["title": .string(path.last ?? "")]).xml()
        }
        return try FleetDirectory.wish(at: root.path).wish
    }

    private func app(_ name: String, configurations: [String] = [], versions: [String] = []) -> ServerFleet.OfApp {
        ServerFleet.OfApp(
            app: App(bundleIdentifier: name, name: name),
            specifications: versions.map {
                SpecificationSummary(version: $0, sha256: "", size: 1, author: "a", added: Self.now)
            },
            configurations: configurations.map {
                ConfigurationSummary(name: $0, version: 1, sha256: "", size: 1, modified: Self.now)
            })
    }

    private func secret(_ name: String, _ kind: SecretKind = .password) -> Secret {
        Secret(
            name: name, kind: kind, version: 1, created: Self.now,
            facts: SecretFacts(hasUserName: kind == .password ? true : nil))
    }

    /// Red where files for people were left out by name alone: what is called `com.example.md` or `README` was written and
    /// not read, and `martlet apply --prune` removed it.
    @Test(arguments: [UInt64(31)])
    func everyNameThatIsWrittenIsReadByTheByte(seed: UInt64) async throws {
        var pairs = NamePairs(seed: seed)
        // Of what a server takes: no name begins with a dot.
        var words = pairs.next(60, .word).flatMap { [$0.one, $0.other] }.filter { !$0.hasPrefix(".") }
        words += ["README", "README.md", "a.md", "READMEplist", "x.plist", "x.json", "a.", "a..", "-"]
        let serials = pairs.next(60, .visible).flatMap { [$0.one, $0.other] }
        let person = NameRule(.composed, upTo: 256)
        let identifiers = pairs.next(200, .any).flatMap { [$0.one, $0.other] }.filter(person.takes)
        let apps = ["com.example.md", "com.example.MD", "README.md", "README.app", "com.example.a", "com.example.A"]
        var fleet = ServerFleet()
        fleet.groups = words.map { Group(name: $0) }
        fleet.secrets = words.map { secret($0) }
        fleet.expectedDevices = serials.map { ExpectedDevice(serialNumber: $0, group: "a.", created: Self.now) }
        fleet.apps = apps.map { app($0, configurations: words, versions: $0 == "com.example.a" ? words : []) }
        fleet.assignments = [Assignment(group: "a.", app: "com.example.a", configuration: "README")]
        fleet.secretAssignments = identifiers.map {
            SecretAssignment(group: "a.", app: "com.example.a", kind: .password, identifier: $0, secret: "a.")
        }
        fleet.settings = words.map { name in
            Setting(
                kind: "root-certificate", name: name, version: 1, payload: .object(["certificate": .string(name)]),
                summary: "", changed: Self.now)
        }
        fleet.settingAssignments = words.map { name in
            SettingAssignment(group: "a.", kind: "root-certificate", setting: name, priority: 0, assigned: Self.now)
        }
        let wish = try await written(fleet)

        var expected = words.map { FleetThing.group($0) }
        expected += words.map { FleetThing.setting(kind: "root-certificate", name: $0) }
        expected += words.map { FleetThing.settingAssignment(group: "a.", kind: "root-certificate", name: $0) }
        expected += words.map { FleetThing.secret($0) }
        expected += serials.map { FleetThing.expectedDevice(serialNumber: $0) }
        for app in apps {
            expected.append(.app(app))
            expected += words.map { FleetThing.configuration(app: app, name: $0) }
        }
        expected += words.map { FleetThing.specification(app: "com.example.a", version: $0) }
        expected.append(.assignment(group: "a.", app: "com.example.a"))
        expected += identifiers.map { identifier in
            FleetThing.secretAssignment(
                group: "a.", app: "com.example.a", extension: nil, kind: "password", identifier: identifier)
        }
        func texts(_ things: some Sequence<FleetThing>) -> [ByteText] {
            things.map { ByteText("\($0.kind.rawValue) \($0.name)") }
        }
        let (found, all) = (Set(texts(wish.items.keys)), Set(texts(expected)))
        #expect(found == all, "\(found.symmetricDifference(all).map { NamePair.scalars($0.text) }.prefix(8))")
        #expect(all.count == expected.count && wish.items.count == expected.count)
        for name in words {
            let facts = wish.items[.configuration(app: "com.example.a", name: name)]?.facts
            #expect(facts?["title"] == .string(name), "each file is its own: \(name)")
            let setting = wish.items[.setting(kind: "root-certificate", name: name)]?.facts
            #expect(setting?["certificate"] == .string(name), "each file is its own: \(name)")
        }
    }

    /// Red where the second of two that have one file took the place of the first.
    @Test func whatIsWrittenIsNotReplaced() async throws {
        var fleet = ServerFleet()
        fleet.apps = [app("com.example.a", configurations: ["a", "a"])]
        let twice = fleet
        let failure = await #expect(throws: Failure.self) { _ = try await written(twice) }
        #expect(failure?.reason.contains("there already") == true)
    }

    /// Red while a name's capitals and underscores alone were the variable: `wifi-guest` and `wifi.guest` were set to one
    /// value.
    @Test(arguments: [UInt64(31)])
    func noTwoSecretsAreLookedForInOneVariable(seed: UInt64) async throws {
        var pairs = NamePairs(seed: seed)
        let words = pairs.next(100, .word).flatMap { [$0.one, $0.other] }
        var secrets = words.map { secret($0, $0.utf8.count.isMultiple(of: 2) ? .password : .pkcs12) }
        secrets += ["wifi-guest", "wifi.guest", "WIFI_guest", "wifi", "wifi_user_name"].map { secret($0) }
        secrets += ["file", "file.password"].map { secret($0, .pkcs12) }
        var fleet = ServerFleet()
        fleet.secrets = secrets
        let wish = try await written(fleet)
        let variables = wish.secrets.values.flatMap { $0.references.compactMap(\.environment) }
        #expect(wish.secrets.count == secrets.count && variables.count == 2 * secrets.count)
        #expect(Set(variables).count == variables.count)
        #expect(variables.allSatisfy { $0.wholeMatch(of: /[A-Z_][A-Z0-9_]*/) != nil })
        // What is alone keeps the variable that it always had.
        fleet.secrets = [secret("Landmarks.api")]
        let alone = try await written(fleet).secrets["Landmarks.api"]
        #expect(alone?.from?.environment == "MARTLET_SECRET_LANDMARKS_API")
        #expect(alone?.userNameFrom?.environment == "MARTLET_SECRET_LANDMARKS_API_USER_NAME")
        // A name that is another's variable with its digest is told apart, too.
        fleet.secrets = [secret("a-b"), secret("a.b")]
        let entry = try #require(try await written(fleet).secrets["a-b"]?.from?.environment)
        let tail = String(entry.dropFirst("MARTLET_SECRET_".count))
        fleet.secrets.append(secret(tail))
        let three = try await written(fleet).secrets.values.compactMap { $0.from?.environment }
        #expect(Set(three).count == 3, "\(three)")
    }
}
