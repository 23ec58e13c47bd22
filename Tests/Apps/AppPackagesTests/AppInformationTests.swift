import AppPackages
import CraftedPackages
import Foundation
import InputBounds
import Testing

/// What an `Info.plist` of a package must say, and may.
struct AppInformationTests {
    private static let least: [String: PropertyListValue] = [
        "CFBundleIdentifier": .string("com.example.app"), "CFBundleExecutable": .string("App"),
        "CFBundleVersion": .string("7"),
    ]

    private func parse(_ change: (inout [String: PropertyListValue]) -> Void) throws -> AppInformation {
        var values = Self.least
        change(&values)
        return try AppInformation(parsing: PropertyListValue.dictionary(values).xml())
    }

    private func rule(_ change: (inout [String: PropertyListValue]) -> Void) -> PackageRefusal.Rule? {
        refusal { _ = try parse(change) }
    }

    @Test func theLeastIsIdentifierExecutableAndVersion() throws {
        let information = try parse { _ in }
        #expect(information.bundleIdentifier == "com.example.app")
        #expect(information.name == "App")
        #expect(information.shortVersion == "7")
        #expect(information.extensions.isEmpty)
        for key in Self.least.keys { #expect(rule { $0[key] = nil } != nil, "\(key)") }
    }

    @Test func everythingThatMayBeSaidIsRead() throws {
        let information = try parse {
            $0["CFBundleName"] = .string("An App")
            $0["CFBundleShortVersionString"] = .string("1.2~rc1")
            $0["MinimumOSVersion"] = .string("12")
            $0["MartletMinimumAgentVersion"] = .string("1.4")
            $0["MartletDesktopEntry"] = .string("share/app.desktop")
            $0["MartletExtensions"] = .array([
                .dictionary([
                    "CFBundleIdentifier": .string("com.example.app.keys"),
                    "NSExtensionPointIdentifier": .string("com.apple.keyboard-service"),
                    "CFBundleExecutable": .string("Extensions/keys"), "MartletRestricted": .boolean(true),
                ])
            ])
            $0["UnknownKey"] = .integer(1)
        }
        #expect(information.name == "An App")
        #expect(information.shortVersion == "1.2~rc1")
        #expect(information.minimumOSVersion == "12")
        #expect(information.minimumAgentVersion == "1.4")
        #expect(information.desktopEntry?.text == "share/app.desktop")
        let keyboard = try #require(information.extensions.first)
        #expect(keyboard.identifier == "com.example.app.keys")
        #expect(keyboard.kind == "com.apple.keyboard-service")
        #expect(keyboard.executable.text == "Extensions/keys")
        #expect(keyboard.isRestricted)
    }

    /// Text that means to ask for isolation or no network would not be understood where the app is launched.
    @Test(arguments: ["MartletIsolated", "MartletOffline"])
    func lessIsAskedForByYesOrNo(key: String) throws {
        #expect(rule { $0[key] = .boolean(true) } == nil)
        #expect(rule { $0[key] = .string("true") } == .information)
    }

    @Test(arguments: ["", "app", "com..app", "com.exa_mple", "com.example.app/../x", ".com", "com.example.ä"])
    func anIdentifierThatLeadsElsewhereIsRefused(identifier: String) {
        #expect(rule { $0["CFBundleIdentifier"] = .string(identifier) } == .bundleIdentifier)
    }

    @Test(arguments: ["", "bin/App", "..", "/bin/sh", "a\u{1}"])
    func anExecutableOutsideTheTopIsRefused(executable: String) {
        #expect(rule { $0["CFBundleExecutable"] = .string(executable) } == .executable)
    }

    @Test func otherRulesAreNamed() {
        #expect(rule { $0["CFBundleVersion"] = .string("1 2") } == .version)
        #expect(rule { $0["CFBundleVersion"] = .integer(1) } == .information)
        #expect(rule { $0["MinimumOSVersion"] = .string("12.x") } == .minimumVersion)
        #expect(rule { $0["MinimumOSVersion"] = .string("1.2.3.4.5") } == .minimumVersion)
        #expect(rule { $0["MartletDesktopEntry"] = .string("app.sh") } == .desktopEntry)
        #expect(rule { $0["MartletDesktopEntry"] = .string("../a.desktop") } == .desktopEntry)
        #expect(rule { $0["CFBundleName"] = .string("a\u{1B}[2J") } == .information)
        #expect(
            refusal { _ = try AppInformation(parsing: Data("<plist version=\"1.0\"><array/></plist>".utf8)) }
                == .information)
    }

    @Test(arguments: [
        ["CFBundleIdentifier": "com.other.keys"], ["CFBundleIdentifier": "com.example.app"],
        ["CFBundleIdentifier": "com.example.app."], ["NSExtensionPointIdentifier": "keyboard"],
        ["CFBundleExecutable": "../keys"],
    ])
    func anExtensionThatIsNotTheAppsOwnIsRefused(change: [String: String]) {
        var keys = [
            "CFBundleIdentifier": "com.example.app.keys", "NSExtensionPointIdentifier": "com.apple.keyboard-service",
            "CFBundleExecutable": "keys",
        ]
        keys.merge(change) { $1 }
        let value = PropertyListValue.dictionary(keys.mapValues(PropertyListValue.string))
        #expect(rule { $0["MartletExtensions"] = .array([value]) } == .appExtension)
    }

    @Test func twoExtensionsWithOneIdentifierAreRefused() {
        let one = PropertyListValue.dictionary([
            "CFBundleIdentifier": .string("com.example.app.keys"),
            "NSExtensionPointIdentifier": .string("com.apple.keyboard-service"), "CFBundleExecutable": .string("keys"),
        ])
        #expect(rule { $0["MartletExtensions"] = .array([one]) } == nil)
        #expect(rule { $0["MartletExtensions"] = .array([one, one]) } == .appExtension)
    }

    @Test func whatIsNamedIsAnExecutableFileOfThePackage() throws {
        let team = try Team("Team")
        let trust = try TeamTrust([team.certificateDER])
        func rule(_ change: (inout Craft) -> Void) throws -> PackageRefusal.Rule? {
            var craft = Craft()
            change(&craft)
            let bytes = try craft.bytes(by: team)
            return refusal { _ = try VerifiedPackage.verify(PackageBytes(bytes), trust: trust, now: Team.now) }
        }
        #expect(try rule { $0.files[1].isExecutable = false } == .executable)
        #expect(try rule { $0.files.remove(at: 1) } == .executable)
        let desktop = Craft.information.replacing(
            "</dict>", with: "<key>MartletDesktopEntry</key><string>a.desktop</string></dict>")
        #expect(try rule { $0.files[0].content = Array(desktop.utf8) } == .desktopEntry)
    }
}
