import AdminMessages
import Foundation
import InputBounds
import Testing
import martlet

/// Apps that are managed by command: where a device gets one, and what people read of its answers.
struct DeviceAppTests {
    private static func source(_ platform: String, _ origin: String, _ location: String? = nil) -> AppSource {
        AppSource(platform: platform, origin: origin, location: location)
    }

    private static let sources = [
        source("linux", "installed"), source("linux", "manifest", "https://a.test/l"),
        source("ios", "app-store", "1234567890"), source("macos", "package", "ab"),
    ]

    @Test func theFirstSourceForTheDevicesSystemCounts() throws {
        for (family, origin) in [
            ("Linux", "manifest"), ("iPadOS", "app-store"), ("iOS", "app-store"), ("macOS", "package"),
        ] as [(String, String)] {
            let source = try AppOrigin.source(among: Self.sources, family: family, takesOver: false)
            #expect(source?.origin == origin, "\(family)")
        }
        let manifest = try AppOrigin(Self.source("linux", "manifest", "https://a.test/l"))
        #expect(manifest.manifestURL == "https://a.test/l" && manifest.storeIdentifier == nil)
        #expect(try AppOrigin(Self.source("ios", "app-store", "1234567890")).storeIdentifier == 1_234_567_890)
        #expect(throws: Failure.self) { try AppOrigin(Self.source("ios", "app-store", "many")) }
    }

    /// A device that has not reported its system yet gets the only source there is, and none by guessing.
    @Test func noSourceIsGuessed() throws {
        let only = try AppOrigin.source(among: [Self.sources[1]], family: nil, takesOver: false)
        #expect(only?.location == "https://a.test/l")
        #expect(throws: Failure.self) { try AppOrigin.source(among: Self.sources, family: nil, takesOver: true) }
    }

    @Test func whatIsThereIsTakenOverOnlyWhereThatIsSaid() throws {
        for sources in [[], [Self.sources[0]]] as [[AppSource]] {
            #expect(try AppOrigin.source(among: sources, family: "Linux", takesOver: true) == nil)
            #expect(throws: Failure.self) { try AppOrigin.source(among: sources, family: "Linux", takesOver: false) }
        }
    }

    @Test func aConfigurationIsADictionaryThatFitsIntoACommand() throws {
        func list(_ body: String) -> Data { Data("<plist version=\"1.0\">\(body)</plist>".utf8) }
        let dated = list("<dict><key>a</key><date>2026-01-01T00:00:00Z</date></dict>")
        let value = try CommandedConfiguration.value(of: dated)
        #expect(value["a"]?.date != nil)
        let deep = String(repeating: "<array>", count: 17) + String(repeating: "</array>", count: 17)
        let long = String(repeating: "x", count: 100_000)
        for inner in ["<string>\(long)</string>", deep] {
            let body = "<dict><key>a</key>\(inner)</dict>"
            let failure = #expect(throws: Failure.self) { try CommandedConfiguration.value(of: list(body)) }
            #expect(failure?.status == .refused && failure?.advice?.contains("martlet assign") == true)
        }
        #expect(throws: Failure.self) { try CommandedConfiguration.value(of: list("<array/>")) }
    }

    /// The command ends well where a setting failed: only its answer says so.
    @Test func aSettingThatWasNotChangedIsAFailure() throws {
        func answer(_ status: String, _ chain: JSON = .array([])) -> JSON {
            let item = JSON.object([
                "Item": .string("ApplicationConfiguration"), "Identifier": .string("a.b"), "Status": .string(status),
                "ErrorChain": chain,
            ])
            return .object(["Settings": .array([item])])
        }
        #expect(CommandedAppText.failure(ofSettings: answer("Acknowledged")) == nil)
        #expect(CommandedAppText.failure(ofSettings: nil) == nil)
        let link = JSON.object([
            "ErrorDomain": .string("MartletErrorDomain"), "ErrorCode": .integer(3),
            "LocalizedDescription": .string("a.b is managed by a declaration"),
        ])
        let failure = try #require(CommandedAppText.failure(ofSettings: answer("Error", .array([link]))))
        #expect(failure.status == .failed)
        #expect(failure.reason.hasSuffix("MartletErrorDomain 3: a.b is managed by a declaration"))
    }

    @Test func peopleReadWhatIsManagedByCommandAndWhatItCounted() {
        let apps = JSON.object([
            "a.b": .object([
                "Status": .string("Managed"), "ManagementFlags": .integer(5), "HasConfiguration": .boolean(true),
                "HasFeedback": .boolean(false),
            ])
        ])
        let lines = CommandedAppText.table(of: apps).text().split(separator: "\n")
        #expect(lines.last == "a.b  Managed  yes            none      is removed")
        #expect(CommandedAppText.table(of: .object([:])).isEmpty)
        let feedback = JSON.object([
            "ManagedApplicationFeedback": .array([
                .object(["Identifier": .string("a.b"), "Feedback": .object(["opens": .integer(2)])]),
                .object(["Identifier": .string("a.c")]),
            ])
        ])
        #expect(CommandedAppText.feedback(of: "a.b", in: feedback) == .object(["opens": .integer(2)]))
        #expect(CommandedAppText.feedback(of: "a.c", in: feedback) == .object([:]))
        let begun = JSON.object(["Identifier": .string("a.b"), "State": .string("Installing")])
        #expect(CommandedAppText.installing(begun, named: nil) == "a.b: Installing.")
    }
}
