import DeviceMessages
import Foundation
import InputBounds
import Testing

/// The commands that manage apps without a declaration: what they say survives the wire, and what breaks a bound is refused.
struct AppCommandTests {
    private static let app = "com.example.app"
    private static let configuration = PropertyListValue.dictionary(["url": .string("https://example.com")])

    private static func sent(_ request: PropertyListValue) throws -> PropertyListValue {
        try Command(parsing: Command(uuid: "1", request: request).encoded()).request
    }

    /// Dictionaries in each other, `depth` of them.
    private static func nested(_ depth: Int) -> PropertyListValue {
        var value = PropertyListValue.dictionary([:])
        for _ in 1..<depth { value = .dictionary(["a": value]) }
        return value
    }

    private static func changed(
        _ request: PropertyListValue, _ key: String, _ value: PropertyListValue?
    ) -> PropertyListValue {
        var entries = request.dictionary ?? [:]
        entries[key] = value
        return .dictionary(entries)
    }

    // MARK: - InstallApplication

    private static let install = InstallApplication(
        identifier: app, manifestURL: "https://example.com/manifest.plist", storeIdentifier: 7, managementFlags: 5,
        configuration: configuration, attributes: .dictionary(["Removable": .boolean(false)]), takesOver: true)

    @Test func anInstallationSurvivesTheWire() throws {
        #expect(try InstallApplication(Self.sent(Self.install.request)) == Self.install)
        let small = InstallApplication(manifestURL: "https://example.com/m")
        let read = try InstallApplication(Self.sent(small.request))
        #expect(read == small)
        #expect(read.managementFlags == 0 && !read.takesOver && read.configuration == nil)
    }

    @Test func anInstallationOfNoAppIsRefused() {
        let request = PropertyListValue.dictionary(["RequestType": .string("InstallApplication")])
        #expect(throws: InputRefusal.self) { try InstallApplication(request) }
    }

    private static let oddInstallations: [(String, PropertyListValue)] = [
        ("ManifestURL", .string("http://example.com/manifest.plist")),
        ("ManifestURL", .string("https://" + String(repeating: "a", count: 2_041))),
        ("ManifestURL", .integer(1)),
        ("Identifier", .string("")),
        ("Identifier", .string(String(repeating: "a", count: 256))),
        ("iTunesStoreID", .string("7")),
        ("ManagementFlags", .integer(2)),
        ("ManagementFlags", .integer(-1)),
        ("ManagementFlags", .boolean(true)),
        ("Configuration", .array([])),
        ("Configuration", nested(17)),
        ("Configuration", .dictionary(["a": .string(String(repeating: "a", count: 100_000))])),
        ("Attributes", .string("a")),
        ("ChangeManagementState", .string("Unmanaged")),
    ]

    @Test(arguments: oddInstallations)
    func anInstallationBeyondABoundIsRefused(key: String, value: PropertyListValue) {
        let request = Self.changed(Self.install.request, key, value)
        #expect(throws: InputRefusal.self) { try InstallApplication(request) }
    }

    @Test func aConfigurationOfTheLargestSizeIsTaken() throws {
        let frame = PropertyListValue.dictionary(["a": .string("a")]).xml().count - 1
        let text = String(repeating: "a", count: 100_000 - frame)
        for value in [PropertyListValue.dictionary(["a": .string(text)]), Self.nested(16)] {
            let request = Self.changed(Self.install.request, "Configuration", value)
            #expect(try InstallApplication(request).configuration == value)
        }
    }

    // MARK: - The others

    @Test func aRemovalSurvivesTheWire() throws {
        let remove = RemoveApplication(identifier: Self.app)
        #expect(try RemoveApplication(Self.sent(remove.request)) == remove)
        let request = Self.changed(remove.request, "Identifier", nil)
        #expect(throws: InputRefusal.self) { try RemoveApplication(request) }
    }

    @Test(arguments: AppQuery.Kind.allCases)
    func aQuestionSurvivesTheWire(kind: AppQuery.Kind) throws {
        let query = AppQuery(kind, identifiers: [Self.app], deletesFeedback: true)
        #expect(query.deletesFeedback == (kind == .feedback))
        #expect(try AppQuery(Self.sent(query.request)) == query)
    }

    /// Some questions are about all apps where none is named, the others name them.
    @Test(arguments: AppQuery.Kind.allCases)
    func whichAppsAreMeantIsSaidWhereItHasToBe(kind: AppQuery.Kind) throws {
        let request = AppQuery(kind).request
        if kind.needsIdentifiers {
            #expect(throws: InputRefusal.self) { try AppQuery(request) }
        } else {
            #expect(try AppQuery(request).identifiers == nil)
        }
    }

    @Test func tooManyOrTooLongIdentifiersAreRefused() throws {
        let long = String(repeating: "a", count: 256)
        for identifiers in [[""], [long], Array(repeating: "a", count: 1_001)] {
            let request = AppQuery(.list, identifiers: identifiers).request
            #expect(throws: InputRefusal.self) { try AppQuery(request) }
        }
        let most = AppQuery(.list, identifiers: Array(repeating: "a", count: 1_000))
        #expect(try AppQuery(most.request) == most)
        let other = PropertyListValue.dictionary(["RequestType": .string("Settings")])
        #expect(throws: InputRefusal.self) { try AppQuery(other) }
    }

    @Test func settingsSurviveTheWire() throws {
        let settings = AppSettings(items: [
            .configuration(app: Self.app, Self.configuration), .configuration(app: Self.app, nil),
            .attributes(app: Self.app, .dictionary(["Removable": .boolean(true)])),
            .attributes(app: Self.app, nil), .other("DeviceName"),
        ])
        #expect(try AppSettings(Self.sent(settings.request)) == settings)
    }

    @Test func settingsWithoutItemsOrWithAnUnreadableOneAreRefused() {
        let good = AppSettings(items: [.configuration(app: Self.app, nil)])
        let items: [PropertyListValue] = [
            .array([]), .array([.dictionary([:])]), .array([.string("a")]),
            .array([.dictionary(["Item": .string("ApplicationConfiguration")])]),
            .array(Array(repeating: .dictionary(["Item": .string("a")]), count: 1_001)),
        ]
        for value in items {
            let request = Self.changed(good.request, "Settings", value)
            #expect(throws: InputRefusal.self) { try AppSettings(request) }
        }
    }

    // MARK: - Status

    private static let status = CommandedAppStatus(
        identifier: app, name: "App", version: "7", state: "managed", hasConfiguration: true,
        configuration: String(repeating: "a", count: 64), hasFeedback: true,
        reasons: [StatusReason(code: "Error.DownloadFailed", description: "The server answered 404.")])

    @Test func anElementOfTheStatusItemSurvivesTheWire() throws {
        let removed = CommandedAppStatus(identifier: Self.app, removed: true)
        for status in [Self.status, CommandedAppStatus(identifier: Self.app), removed] {
            let reading = try CommandedAppStatus.read(status.value)
            #expect(reading.value == status)
            #expect(reading.oddities.isEmpty)
        }
    }

    @Test func anElementIsReadAsFarAsItCanBe() throws {
        var entries = Self.status.value.object ?? [:]
        entries["has-feedback"] = .string("yes")
        entries["version"] = .integer(7)
        entries["reasons"] = .array([.string("a")])
        let reading = try CommandedAppStatus.read(.object(entries))
        #expect(reading.value.hasFeedback)
        #expect(reading.value.version == "7")
        #expect(reading.oddities.count == 3)
        #expect(throws: InputRefusal.self) { try CommandedAppStatus(.object([:])) }
    }

    /// Each element that cannot be read is lost alone, and the report says so.
    @Test func anUnreadableElementIsLostAlone() throws {
        var report = StatusReport()
        report.set(.array([.object([:]), Self.status.value]), at: CommandedAppStatus.name)
        let reading = try StatusReport.read(report.encoded())
        #expect(reading.value.commandedApps()?.map(\.identifier) == [Self.app])
        #expect(reading.oddities.first.map(\.place) == ["dev.martlet.app.by-command[0]"])
        #expect(StatusReport().commandedApps() == nil)
    }

    @Test func theAgentSaysTheFeature() {
        let capabilities = ClientCapabilities(
            supportedFeatures: MartletAgent.supportedFeatures, declarations: [:], statusItems: [])
        #expect(capabilities.takesAppCommands)
        #expect(!ClientCapabilities(declarations: [:], statusItems: []).takesAppCommands)
    }
}
