import AdminMessages
import Foundation
import Testing

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
                _ = try await app.line(containing: "Parks", within: .seconds(30))
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
                _ = try await app.line(containing: "Parks", within: .seconds(30))
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
            let back = ["configuration", "revert", Road.app, "default", "--to", "1"]
            let revert = try await road.run("martlet", back + ["--dry-run"])
            #expect(revert.status == 0 && revert.text.contains(lacking), "\(revert)")
            try await road.martlet("configuration", "revert", Road.app, "default", "--to", "1")
            #expect(try await road.run("martlet", assign + ["--lowest-trust", "shared"]).status == 0)
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
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            let text = try await road.martlet("app", "refusals", Road.app, "--json")
            let refusals = try AdminJSON.decode([ConfigurationRefusal].self, from: Data(text.utf8))
            if holds(refusals) { return refusals }
            guard ContinuousClock.now < deadline else { throw Road.Broken(description: "the refusals are \(text)") }
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}
