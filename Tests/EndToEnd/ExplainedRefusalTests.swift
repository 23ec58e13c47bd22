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
