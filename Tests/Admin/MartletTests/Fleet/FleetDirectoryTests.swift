import AdminMessages
import Foundation
import InputBounds
import Testing

@testable import martlet

/// What may stand in a directory, and what it means.
struct FleetDirectoryTests {
    private static let app = "com.example.a"

    /// A directory with these files, which is removed however `body` ends.
    private func with(_ files: [String: String], _ body: (URL) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "martlet-fleet-\(UUID().uuidString)")
        let fleet = root.appending(path: "fleet", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: fleet, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        for (path, text) in files {
            let file = fleet.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try body(fleet)
    }

    private func wish(_ files: [String: String]) throws -> FleetWish {
        var found = FleetWish()
        try with(files) { found = try FleetDirectory.wish(at: $0.path).wish }
        return found
    }

    private func refusal(_ files: [String: String], _ more: (URL) throws -> Void = { _ in }) throws -> String {
        var reason = ""
        try with(files) { root in
            try more(root)
            do {
                _ = try FleetDirectory.wish(at: root.path)
            } catch let failure as Failure {
                reason = failure.text
            }
        }
        return reason
    }

    private static let plain = [
        "apps/com.example.a/app.json": #"{"name": "A"}"#, "groups.json": #"[{"name": "g"}]"#,
        "apps/com.example.a/configurations/main.json": #"{"title": "x", "count": 3}"#,
        "apps/com.example.a/sources.json":
            #"[{"platform": "linux", "origin": "installed", "minimumOSVersion": "12.0"}]"#,
        "apps/com.example.a/assignments.json":
            #"[{"group": "g", "configuration": "main", "lowestTrust": "launched", "delivery": "framework", "secrets": [{"kind": "password", "identifier": "p", "secret": "s"}]}]"#,
        "secrets.json": #"[{"name": "s", "kind": "password", "marker": "7", "from": {"environment": "S"}}]"#,
        "expected-devices.json": #"[{"serialNumber": "SN1", "group": "g", "trustSerialNumber": true}]"#,
        "README.md": "for people", ".gitignore": "x", "apps/com.example.a/.keep": "",
    ]

    /// Red where a directory's configuration in JSON could hold no date.
    @Test func textsOfJSONAreWhatTheDirectorysSpecificationSays() throws {
        var files = Self.plain
        files["apps/com.example.a/configurations/main.json"] = #"{"until": "2026-12-01T08:00:00Z", "title": "x"}"#
        let thing = FleetThing.configuration(app: Self.app, name: "main")
        let plain = try wish(files)
        #expect(plain.items[thing]?.facts["until"] == .string("2026-12-01T08:00:00Z"))
        // What it means may say the server.
        #expect(plain.undated[thing]?["title"] == .string("x"))
        files["apps/com.example.a/specification.json"] = #"""
            {"x-app": {"bundleIdentifier": "com.example.a", "version": "1.0"}, "type": "object",
             "properties": {"until": {"type": "string", "format": "date-time"}}}
            """#
        let dated = try wish(files)
        #expect(dated.items[thing]?.facts["until"] == .date(Date(timeIntervalSince1970: 1_796_112_000)))
        #expect(dated.undated.isEmpty)
        files["apps/com.example.a/configurations/main.json"] = #"{"until": "tomorrow"}"#
        #expect(try refusal(files).contains("main.json: a date is written YYYY-MM-DDThh:mm:ssZ (key path: until)"))
    }

    @Test func everythingHasItsPlace() throws {
        let wish = try wish(Self.plain)
        #expect(
            wish.items.keys.sorted() == [
                .group("g"), .app(Self.app), .source(app: Self.app, platform: "linux", origin: "installed"),
                .secret("s"),
                .configuration(app: Self.app, name: "main"), .assignment(group: "g", app: Self.app),
                .secretAssignment(group: "g", app: Self.app, extension: nil, kind: "password", identifier: "p"),
                .expectedDevice(serialNumber: "SN1"),
            ])
        #expect(wish.parts == [.groups, .apps, .secrets, .expectedDevices])
        let assignment = wish.items[.assignment(group: "g", app: Self.app)]
        #expect(assignment?.facts["lowestTrust"] == nil, "what goes without saying is not compared")
        #expect(assignment?.facts["delivery"] == nil)
        #expect(assignment?.needs == [.group("g"), .configuration(app: Self.app, name: "main")])
        let source = wish.items[.source(app: Self.app, platform: "linux", origin: "installed")]
        #expect(source?.facts["minimumOSVersion"] == .string("12") && source?.facts["install"] == .string("required"))
    }

    @Test func settingsAreFilesOfTheirKindAndAreGivenByTheGroups() throws {
        let files = [
            "settings/root-certificate/proxy.json": #"{"certificate": "PEM"}"#,
            "groups.json":
                #"[{"name": "g", "settings": [{"kind": "root-certificate", "setting": "proxy", "priority": 0}]}]"#,
        ]
        let wish = try wish(files)
        let setting = FleetThing.setting(kind: "root-certificate", name: "proxy")
        let given = FleetThing.settingAssignment(group: "g", kind: "root-certificate", name: "proxy")
        #expect(wish.items.keys.sorted() == [.group("g"), setting, given])
        #expect(wish.parts == [.groups, .settings])
        #expect(wish.items[setting]?.facts["certificate"] == .string("PEM"))
        // What goes without saying is not compared.
        #expect(wish.items[given] == FleetItem(needs: [.group("g"), setting]))
        #expect(wish.covers(setting) && wish.covers(given))
        let body = try #require(wish.bodies[setting])
        #expect(
            try AdminJSON.decode(SettingRequest.self, from: body).payload["certificate"] == .string("PEM"))
        let silent = try self.wish(["groups.json": #"[{"name": "g"}]"#])
        #expect(!silent.covers(setting) && !silent.covers(given), "who says nothing of settings has none removed")
    }

    @Test func aSettingThatHasNoPlaceOrIsNoneIsRefused() throws {
        #expect(try refusal(["settings/proxy.json": "{}"]).contains("a setting is KIND/NAME.json"))
        #expect(try refusal(["settings/root-certificate/proxy.pem": ""]).contains("a setting is NAME.json"))
        #expect(try refusal(["settings/root-certificate/x.json": "[]"]).contains("x.json: the outermost value"))
        #expect(try refusal(["settings/root-certificate/x.json": "{"]).contains("cannot be read"))
        let misspelt = #"[{"name": "g", "settings": [{"kind": "root-certificate", "name": "proxy"}]}]"#
        #expect(try refusal(["groups.json": misspelt]).contains("“name” is not known"))
    }

    @Test func propertyListsAndJSONSayTheSame() throws {
        let plist = """
            <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>title</key><string>x</string>\
            <key>count</key><integer>3</integer></dict></plist>
            """
        let thing = FleetThing.configuration(app: Self.app, name: "main")
        let name = #"<plist version="1.0"><dict><key>name</key><string>A</string></dict></plist>"#
        let other = try wish([
            "apps/com.example.a/app.plist": name, "apps/com.example.a/configurations/main.plist": plist,
        ])
        let first = try wish(Self.plain)
        #expect(other.items[thing]?.facts == first.items[thing]?.facts)
        #expect(other.items[.app(Self.app)] == first.items[.app(Self.app)])
    }

    @Test func theManifestSaysOfWhatTheDirectorySpeaks() throws {
        let wish = try wish(["martlet.json": #"{"format": 1, "manages": ["groups", "apps"]}"#])
        #expect(wish.parts == [.groups, .apps] && wish.items.isEmpty)
        #expect(try refusal(["martlet.json": #"{"format": 2}"#]).contains("format"))
    }

    @Test(arguments: ["value", "password", "secret"])
    func aSecretsValueIsRefusedAndNotRepeated(member: String) throws {
        let reason = try refusal(["secrets.json": #"[{"name": "s", "kind": "password", "\#(member)": "hunter2"}]"#])
        #expect(reason.contains("a secret's value is not in the directory") && !reason.contains("hunter2"))
    }

    @Test func aSecretsFileInTheDirectoryIsRefusedHoweverItIsNamed() throws {
        func entry(_ path: String, _ kind: String = "password") -> [String: String] {
            ["secrets.json": #"[{"name": "s", "kind": "\#(kind)", "from": {"file": "\#(path)"}}]"#]
        }
        for path in ["s.txt", "./a/../s.txt", "../fleet/s.txt"] {
            #expect(try refusal(entry(path)).contains("lies in the directory"), "\(path)")
        }
        let linked = try refusal(entry("../link")) { root in
            try FileManager.default.createSymbolicLink(
                at: root.deletingLastPathComponent().appending(path: "link"),
                withDestinationURL: root.appending(path: "secrets.json"))
        }
        #expect(linked.contains("lies in the directory"), "by a link")
        #expect(try refusal(entry("../s.txt")) == "")
        #expect(try refusal(entry("teams/root.pem", "certificate")) == "", "what a certificate says is no secret")
    }

    @Test func aReferenceIsToOnePlace() throws {
        for from in ["{}", #"{"file": "../a", "environment": "A"}"#] {
            let reason = try refusal(["secrets.json": #"[{"name": "s", "kind": "password", "from": \#(from)}]"#])
            #expect(reason.contains("one place"))
        }
    }

    @Test func whatHasNoPlaceIsRefused() throws {
        #expect(try refusal(["group.json": "[]"]).contains("group.json has no place"))
        #expect(
            try refusal([
                "apps/com.example.a/app.json": #"{"name": "A"}"#, "apps/com.example.a/configuration/x.json": "{}",
            ])
            .contains("no place"))
        #expect(
            try refusal(["apps/com.example.a/configurations/x.json": "{}"]).contains("app.json is missing"))
        #expect(try refusal(["groups.json": #"[{"name": "g", "rules": 1}]"#]).contains("“rules” is not known"))
        #expect(try refusal(["groups.json": #"[{"name": "g", "rule": 1}]"#]).contains("wrong type"))
        #expect(try refusal(["groups.json": #"[{"name": "g"}, {"name": "g"}]"#]).contains("twice"))
        #expect(try refusal(["groups.json": "[]", "groups.plist": "<plist/>"]).contains("twice"))
        #expect(try refusal(["groups.json": #"[{"name": 1}]"#]).contains("wrong type"))
        #expect(try refusal(["apps/x": ""]).contains("apps are folders"))
    }

    @Test func aLinkOutOfTheDirectoryIsNotFollowed() throws {
        for name in ["groups.json", "apps"] {
            let reason = try refusal([:]) { root in
                let target = root.deletingLastPathComponent().appending(path: "elsewhere")
                if name == "apps" {
                    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
                } else {
                    try Data("[]".utf8).write(to: target)
                }
                try FileManager.default.createSymbolicLink(at: root.appending(path: name), withDestinationURL: target)
            }
            #expect(reason.contains("a link that leads out of the directory"), "\(name)")
        }
    }

    @Test func aPipeIsNoFile() throws {
        let reason = try refusal([:]) { root in
            _ = unsafe mkfifo(root.appending(path: "groups.json").path, 0o600)
        }
        #expect(reason.contains("is no file"))
    }

    @Test func filesAreBounded() throws {
        let large = #"{"text": ""# + String(repeating: "x", count: 1_100_000) + #""}"#
        let reason = try refusal([
            "apps/com.example.a/app.json": #"{"name": "A"}"#, "apps/com.example.a/configurations/main.json": large,
        ])
        #expect(reason.contains("at most 1,048,576 bytes") && reason.contains("configurations/main.json"))
        let deep = String(repeating: "[", count: 1_000)
        #expect(try refusal(["groups.json": deep]).contains("cannot be read"))
    }
}
