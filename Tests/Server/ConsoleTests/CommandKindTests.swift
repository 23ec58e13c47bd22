import Foundation
import InputBounds
import Testing

@testable import Console

/// What forms of commands make of what people type.
@Suite("Commands as forms")
struct CommandKindTests {
    private static let profile = """
        <?xml version="1.0" encoding="UTF-8"?>\r
        <plist version="1.0"><dict><key>PayloadType</key><string>Configuration</string></dict></plist>
        """

    private func request(_ kind: String, _ typed: [String: String]) -> Result<PropertyListValue, CommandRefusal>? {
        CommandKind.named(kind)?.request { typed[$0] ?? "" }
    }

    @Test("a kind is named once, and says what it does")
    func kinds() {
        #expect(Set(CommandKind.all.map(\.requestType)).count == CommandKind.all.count)
        #expect(CommandKind.all.allSatisfy { !$0.title.isEmpty && !$0.purpose.isEmpty })
        #expect(CommandKind.named("NoSuchCommand") == nil)
        let confirmed = CommandKind.all.filter { $0.consequence != nil }.map(\.requestType)
        #expect(
            confirmed == [
                "RemoveProfile", "RestartDevice", "ShutDownDevice", "DeviceLock", "EraseDevice", "RemoveApplication",
                "",
            ])
    }

    @Test("each key comes as the protocol has it, and what is left empty does not come")
    func keys() {
        #expect(
            request("DeviceInformation", ["Queries": "Model, OSVersion\r\n\r\nUDID"])
                == .success(
                    .dictionary([
                        "RequestType": .string("DeviceInformation"),
                        "Queries": .array([.string("Model"), .string("OSVersion"), .string("UDID")]),
                    ])))
        #expect(
            request("InstalledApplicationList", ["ManagedAppsOnly": "1"])
                == .success(
                    .dictionary([
                        "RequestType": .string("InstalledApplicationList"), "ManagedAppsOnly": .boolean(true),
                    ])))
        #expect(
            request("DeviceLock", ["Message": " Call us "])
                == .success(.dictionary(["RequestType": .string("DeviceLock"), "Message": .string("Call us")])))
        let unix = Data(Self.profile.replacing("\r\n", with: "\n").utf8)
        #expect(
            request("InstallProfile", ["Payload": Self.profile])
                == .success(.dictionary(["RequestType": .string("InstallProfile"), "Payload": .data(unix)])))
    }

    @Test("a command that brings an app has what is ticked and nothing else, and its configuration with its types")
    func apps() {
        let list = "<plist version=\"1.0\"><dict><key>since</key><date>2026-01-01T00:00:00Z</date></dict></plist>"
        let typed = [
            "ManifestURL": "https://example.org/m.plist", "iTunesStoreID": "12", "ManagementFlags": "1",
            "Configuration": list,
        ]
        #expect(
            request("InstallApplication", typed)
                == .success(
                    .dictionary([
                        "RequestType": .string("InstallApplication"), "ManagementFlags": .integer(1),
                        "ManifestURL": .string("https://example.org/m.plist"), "iTunesStoreID": .integer(12),
                        "Configuration": .dictionary(["since": .date(Date(timeIntervalSince1970: 1_767_225_600))]),
                    ])))
    }

    /// The form has the fields of one item, which the protocol has in a list.
    @Test("a configuration is an item of Settings, and an empty one takes it away")
    func settings() {
        for (typed, configuration) in [
            ("{\"a\": 1}", .dictionary(["a": .integer(1)])), ("", nil),
        ] as [(String, PropertyListValue?)] {
            var item: [String: PropertyListValue] = [
                "Item": .string("ApplicationConfiguration"), "Identifier": .string("com.example.a"),
            ]
            item["Configuration"] = configuration
            #expect(
                request("Settings", ["Identifier": "com.example.a", "Configuration": typed])
                    == .success(
                        .dictionary([
                            "RequestType": .string("Settings"), "Settings": .array([.dictionary(item)]),
                        ])))
        }
    }

    @Test("another command has its other keys beside its type, which they cannot say")
    func others() {
        let keys = #"{"RequestType": "EraseDevice", "Settings": [{"Item": "Wallpaper"}], "Count": 2}"#
        #expect(
            request("", ["RequestType": "Settings", "Parameters": keys])
                == .success(
                    .dictionary([
                        "RequestType": .string("Settings"), "Count": .integer(2),
                        "Settings": .array([.dictionary(["Item": .string("Wallpaper")])]),
                    ])))
        #expect(request("", ["RequestType": "A"]) == .success(.dictionary(["RequestType": .string("A")])))
    }

    @Test("what cannot be is said by its key, and never repeated")
    func refusals() {
        for (kind, typed, keys) in [
            ("DeviceInformation", ["Queries": " \n"], ["Queries"]), ("RemoveProfile", [:], ["Identifier"]),
            ("EraseDevice", ["PIN": "12345a"], ["PIN"]), ("InstallProfile", ["Payload": "<plist"], ["Payload"]),
            (
                "InstallApplication", ["iTunesStoreID": "twelve", "Configuration": "[12345]"],
                ["Configuration", "iTunesStoreID"]
            ),
            ("Settings", ["Identifier": "com.example.a", "Configuration": "<dict"], ["Configuration"]),
            ("", ["Parameters": "{\"a\": null}"], ["Parameters", "RequestType"]),
            ("", ["RequestType": "A", "Parameters": "[]"], ["Parameters"]),
        ] as [(String, [String: String], [String])] {
            guard case .failure(let refusal) = request(kind, typed) else {
                Issue.record("\(kind) was taken")
                continue
            }
            #expect(refusal.problems.keys.sorted() == keys)
            for text in typed.values where text.count > 3 {
                #expect(!refusal.problems.values.contains { $0.contains(text) })
            }
        }
    }
}
