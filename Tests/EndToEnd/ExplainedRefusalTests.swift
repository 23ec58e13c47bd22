import AdminMessages
import Foundation
import Testing
import Waiting

/// A refusal joins what the app publishes: the administrator reads what to do, and how many devices it concerns.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct ExplainedRefusalTests {
    private static let specification = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Examples/Landmarks/specification.json").standardizedFileURL.path

    /// A15, S4-SPEC-03: each documented code of the app's real decoder reaches the administrator with its meaning, its
    /// remedy and the number of devices; a version that published nothing is explained by the nearest.
    @Test func eachCodeIsExplainedForEachVersionOnDevices() async throws {
        try await Road.with { road in
            try road.installLandmarks()
            try Self.installNewerLandmarks(on: road)
            try await road.martlet("app", "specification", "set", Road.app, Self.specification)
            try await road.configure("Parks")
            try await road.assign()
            let devices = [
                try await RoadDevice(1, on: road), try await RoadDevice(2, on: road),
                try await RoadDevice(3, on: road, apps: "newer"),
            ]
            for device in devices {
                let app = try device.open(Road.app)
                _ = try await app.line(containing: "Parks")
            }
            let wrong: [(text: String, code: Int, name: String, remedy: String, path: String)] = [
                (#"{"managedCollection": {"landmarks": [1]}}"#, 100, "unknownLandmark", "1001 to 1012", "landmarks"),
                (#"{"assetURL": "http://example.com"}"#, 101, "invalidAssetURL", "https://", "assetURL"),
                (
                    "<plist version=\"1.0\"><dict><key>assetCertificate</key><data>AQID</data></dict></plist>", 102,
                    "invalidAssetCertificate", "openssl x509", "assetCertificate"
                ),
            ]
            for (number, error) in wrong.enumerated() {
                try await Self.force(error.text, on: road)
                let refusals = try await Self.refusals(on: road) { all in
                    all.filter { $0.code == error.code }.map(\.devices) == [2, 1] && all.count == 2
                }
                for (refusal, version) in zip(refusals, ["1.0", "2.0"]) {
                    #expect(refusal.appVersion == version && refusal.groups == ["teachers"])
                    #expect(refusal.configurationName == "default" && refusal.configurationVersion == number + 2)
                    #expect(
                        refusal.keyPath?.contains(error.path) == true && refusal.message?.contains(error.name) == true)
                    #expect(refusal.explanation?.name == error.name && refusal.explanation?.specification == "1.0")
                    #expect(refusal.explanation?.remedy?.contains(error.remedy) == true)
                    #expect(refusal.explanation?.isNearest == (version == "1.0" ? nil : true))
                }
                let shown = try await road.martlet("device", "show", devices[2].id)
                for line in [error.name + ":", error.remedy, "of version 1.0, the nearest", "devices", "since"] {
                    #expect(shown.contains(line), "\(line) in \(shown)")
                }
            }
            let text = try await road.martlet("app", "refusals", Road.app)
            #expect(
                text.contains("refused by     \(Road.app), version 1.0") && text.contains("default, version 4"),
                "\(text)")
            let app = try await road.martlet("app", "show", Road.app)
            #expect(app.contains("2.0      1        1.0") && app.contains("1.0      2        1.0"), "\(app)")
            try await road.configure("Beaches")
            _ = try await Self.refusals(on: road) { $0.isEmpty }
            #expect(try await road.martlet("app", "refusals", Road.app).hasPrefix("No device says"))
        }
    }

    /// A17, S4-BP-07, S4-SPEC-04: one configuration for two versions on two devices; what would break the older one is not
    /// done by mistake, and a secret that the newer one needs is named.
    @Test func whatBreaksAVersionOnADeviceIsRefusedAndNamed() async throws {
        try await Road.with { road in
            try road.installLandmarks()
            try Self.installNewerLandmarks(on: road)
            let older = try String(contentsOfFile: Self.specification, encoding: .utf8)
            let newer = older.replacing(#""version": "1.0""#, with: #""version": "2.0""#)
                .replacing(##""pattern": "^https://[^/?#:]+.*$""##, with: #""maxLength": 2000"#)
                .replacing(#""kind": "identity","#, with: #""kind": "identity", "required": true,"#)
            let file = road.home.appending(path: "newer.json")
            try #require(!newer.contains("pattern"))
            try Data(newer.utf8).write(to: file)
            for path in [Self.specification, file.path] {
                try await road.martlet("app", "specification", "set", Road.app, path)
            }
            try await road.configure("Parks")
            let assign = ["assign", "teachers", Road.app, "--configuration", "default"]
            let lacking = "does not give the app the identity “asset-server”, which it needs: To prove itself"
            let dry = try await road.run("martlet", assign + ["--dry-run"])
            #expect(dry.status == 0 && dry.text.contains(lacking) && dry.text.contains("would get"), "\(dry)")
            #expect(try await !road.martlet("assignment", "list").contains(Road.app))
            #expect(try await road.run("martlet", assign + ["--lowest-trust", "shared"]).text.contains(lacking))
            for (number, apps) in [(1, "apps"), (2, "newer")] {
                let app = try await RoadDevice(number, on: road, apps: apps).open(Road.app)
                _ = try await app.line(containing: "Parks")
            }
            let breaking = road.home.appending(path: "breaking.json")
            try Data(#"{"assetURL": "http://example.com"}"#.utf8).write(to: breaking)
            let set = ["configuration", "set", Road.app, "default", "--file", breaking.path]
            for more in [[], ["--dry-run"]] {
                let refused = try await road.run("martlet", set + more)
                #expect(refused.status == 4 && refused.text.contains("(version 1.0 on 1 device)"), "\(refused)")
            }
            let forced = try await road.run("martlet", set + ["--force"])
            #expect(forced.status == 0 && forced.text.contains("(version 1.0 on 1 device)"), "\(forced)")
            let again = try await road.run("martlet", assign)
            #expect(again.status == 4 && again.text.contains("(version 1.0 on 1 device)"), "\(again)")
            try await Self.expectJoining("late", refusedFor: "1.0", lacking: lacking, on: road)
            let back = ["configuration", "revert", Road.app, "default", "--to", "1"]
            let revert = try await road.run("martlet", back + ["--dry-run"])
            #expect(revert.status == 0 && revert.text.contains(lacking), "\(revert)")
            try await road.martlet("configuration", "revert", Road.app, "default", "--to", "1")
            #expect(try await road.run("martlet", assign + ["--lowest-trust", "shared"]).status == 0)
        }
    }

    /// A device that comes to a group is given what the group gives: the one on which it would break is kept out, the other
    /// is told what it lacks.
    private static func expectJoining(
        _ group: String, refusedFor version: String, lacking: String, on road: Road
    ) async throws {
        try await road.martlet("group", "create", group)
        let assign = ["assign", group, Road.app, "--configuration", "default", "--lowest-trust", "shared"]
        #expect(try await road.run("martlet", assign).status == 0)
        let listed = try await road.martlet("device", "list", "--json")
        let devices = try AdminJSON.decode([DeviceSummary].self, from: Data(listed.utf8))
        var refusals = 0
        for device in devices {
            let join = ["device", "group", "add", device.id, group]
            let dry = try await road.run("martlet", join + ["--dry-run"])
            guard dry.status == 4 else {
                #expect(dry.status == 0 && dry.text.contains(lacking))
                continue
            }
            refusals += 1
            #expect(dry.text.contains("\(Road.app): assetURL: "), "\(dry)")
            #expect(dry.text.contains("(version \(version) on 1 device)"), "\(dry)")
            #expect(try await road.run("martlet", join).status == 4)
            #expect(try await road.run("martlet", join + ["--force"]).status == 0)
        }
        #expect(devices.count == 2 && refusals == 1)
        try await road.martlet("unassign", group, Road.app)
    }

    /// A15, S4-SPEC-02: a package brings the specification of its version, which counts from its upload on, and for the
    /// devices that report the version.
    @Test func thePackagesOwnSpecificationCountsOnceItIsUploaded() async throws {
        try await Road.with { road in
            var developer = try await Developer.on(road)
            developer.specification = #"""
                {"x-app": {"bundleIdentifier": "com.example.viewer"},
                 "properties": {"title": {"type": "string", "maxLength": 6}}}
                """#
            try await developer.configure("Much too long")
            let package = try await developer.pack("1")
            let uploaded = try await road.run("martlet", ["app", "package", "upload", package.path])
            #expect(uploaded.status == 0, "\(uploaded)")
            for line in [
                "checks configurations against the specification in it",
                "The configuration default is refused by this version",
            ] {
                #expect(uploaded.text.contains(line), "\(line) in \(uploaded.text)")
            }
            let listed = try await road.martlet("app", "specification", "list", Developer.app, "--json")
            let kept = try AdminJSON.decode([SpecificationSummary].self, from: Data(listed.utf8))
            let hosted = try await road.martlet("app", "package", "list", Developer.app, "--json")
            let packages = try AdminJSON.decode([Package].self, from: Data(hosted.utf8))
            #expect(kept.map(\.version) == ["1"] && kept.map(\.package) == packages.map(\.sha256))
            let file = road.home.appending(path: "long.json")
            try Data(#"{"title": "Long again"}"#.utf8).write(to: file)
            let set = ["configuration", "set", Developer.app, "default", "--file", file.path]
            let early = try await road.run("martlet", set)
            #expect(early.status == 4 && early.text.contains("title: "), "\(early)")
            #expect(!early.text.contains("on 1 device"), "no device has it yet: \(early)")
            try await developer.configure("Short")
            try await road.martlet(
                "app", "source", "set", Developer.app, "--platform", "linux", "--package",
                try #require(packages.first).sha256, "--install", "required")
            try await developer.viewer.assign()
            try await road.enroll()
            try await road.appIsManaged(version: "1")
            try await road.synchronised()
            let late = try await road.run("martlet", set)
            #expect(late.status == 4 && late.text.contains("(version 1 on 1 device)"), "\(late)")
        }
    }

    private static func installNewerLandmarks(on road: Road) throws {
        let folder = road.home.appending(path: "newer")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let bundle = folder.appending(path: "Landmarks.app")
        try FileManager.default.copyItem(at: road.home.appending(path: "apps/Landmarks.app"), to: bundle)
        let information = bundle.appending(path: "Info.plist")
        let text = try String(contentsOf: information, encoding: .utf8)
        try Data(text.replacing("<string>1.0</string>", with: "<string>2.0</string>").utf8).write(to: information)
    }

    private static func force(_ text: String, on road: Road) async throws {
        let file = road.home.appending(path: "wrong-configuration")
        try Data(text.utf8).write(to: file)
        try await road.martlet("configuration", "set", Road.app, "default", "--file", file.path, "--force")
    }

    private static func refusals(
        on road: Road, until holds: ([ConfigurationRefusal]) -> Bool
    ) async throws -> [ConfigurationRefusal] {
        var text = ""
        return try await eventually("other refusals than \(text)") { () -> [ConfigurationRefusal]? in
            text = try await road.martlet("app", "refusals", Road.app, "--json")
            let refusals = try AdminJSON.decode([ConfigurationRefusal].self, from: Data(text.utf8))
            return holds(refusals) ? refusals : nil
        }
    }
}
