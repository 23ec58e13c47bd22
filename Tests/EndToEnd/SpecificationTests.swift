import Foundation
import Testing

/// A developer and an administrator with a specification and `martlet spec`; no server is there: A15, B05.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct SpecificationTests {
    private static let landmarks = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Examples/Landmarks/specification.json").standardizedFileURL.path

    /// S4-FLOW-10, S4-FLOW-11: the example app's own specification has all that a reader needs.
    @Test func theExamplesSpecificationHasNothingToBeSaidOf() async throws {
        let desk = try Desk()
        #expect(try await desk.spec("lint --strict", Self.landmarks).text == "Nothing to say against it.")
        try desk.write(
            #"{"x-app": {"bundleIdentifier": "a"}, "properties": {"k": {"type": "integer", "default": ""}}}"#, "wrong")
        let wrong = try await desk.spec("lint --json", "wrong")
        #expect(wrong.status == 4 && wrong.text.contains(#""rule" : "default""#), "\(wrong)")
        #expect(wrong.text.contains(#""severity" : "warning""#))
        try desk.write("{}", "none")
        #expect(try await desk.spec("lint", "none").text.contains("none is no specification: /x-app"))
        #expect(try await desk.spec("lint", "nowhere").status == 3)
    }

    /// S4-SPEC-02, S0-CFG-08: each key that is wrong, what is allowed, what was meant; never the value.
    @Test func aConfigurationIsHeldAgainstTheSpecification() async throws {
        let desk = try Desk()
        try desk.write(#"{"managedCollection": {"title": "Parks", "landmarks": [1001]}}"#, "good.json")
        #expect(try await desk.spec("validate --strict", Self.landmarks, "good.json").status == 0)
        try desk.write(
            #"{"assetURL": "http://hunter2", "managedColection": {}, "managedCollection": {"landmarks": [1001, 2]}}"#,
            "bad.json")
        let bad = try await desk.spec("validate", Self.landmarks, "bad.json")
        #expect(bad.status == 4)
        for line in [
            "error: assetURL: must match the pattern ^https://[^/?#:]+.*$; found text",
            "error: managedCollection.landmarks[1]: must be one of 1001, 1002",
            #"warning: managedColection: is not a key that the app knows: it ignores it. Did you mean "managedCollection"?"#,
            "martlet: 2 errors, 1 warning",
        ] {
            #expect(bad.text.contains(line), "\(line) in \(bad.text)")
        }
        #expect(!bad.text.contains("hunter2"))
        try desk.write(#"{"assetCertificate": "AQID"}"#, "data.json")
        #expect(try await desk.spec("validate", Self.landmarks, "data.json").status == 0)
        try desk.write("<plist version=\"1.0\"><dict><key>x</key><true/></dict></plist>", "unknown.plist")
        #expect(try await desk.spec("validate", Self.landmarks, "unknown.plist").status == 0)
        #expect(try await desk.spec("validate --strict", Self.landmarks, "unknown.plist").status == 4)
    }

    /// S4-BP-05, S4-BP-06: what a pipeline asks before a new version is published.
    @Test func twoVersionsAreCompared() async throws {
        let desk = try Desk()
        let text = try String(contentsOfFile: Self.landmarks, encoding: .utf8)
        try desk.write(text.replacing("1011,1012]", with: "1011]"), "fewer.json")
        #expect(try await desk.spec("diff", Self.landmarks, Self.landmarks).status == 0)
        let narrower = try await desk.spec("diff", Self.landmarks, "fewer.json")
        #expect(narrower.status == 4)
        #expect(narrower.text.contains("managedCollection.landmarks[]"), "\(narrower)")
        #expect(try await desk.spec("diff --allow configurations", Self.landmarks, "fewer.json").status == 0)
        #expect(try await desk.spec("diff --allow configurations", "fewer.json", Self.landmarks).status == 4)
        #expect(try await desk.spec("diff --allow apps --json", "fewer.json", Self.landmarks).status == 0)
    }

    /// Red where the command does not print that it compares two apps.
    @Test func aDifferenceOfTwoAppsIsWarnedOf() async throws {
        let desk = try Desk()
        for name in ["one", "other"] {
            try desk.write(#"{"x-app": {"bundleIdentifier": "com.example.\#(name)"}}"#, name)
        }
        let warning = "warning: these are specifications of two different apps, com.example.one and com.example.other"
        let two = try await desk.spec("diff", "one", "other")
        #expect(two.status == 0 && two.text.contains(warning), "\(two)")
        let same = try await desk.spec("diff", "one", "one")
        #expect(same.status == 0 && !same.text.contains("warning"), "\(same)")
    }

    /// S4-SPEC-06.
    @Test func aPageAndAnExampleAreMadeOfIt() async throws {
        let desk = try Desk()
        #expect(try await desk.spec("render", Self.landmarks).text.contains("| `100` | unknownLandmark:"))
        #expect(try await desk.spec("render --as html", Self.landmarks).text.hasPrefix("<!doctype html>"))
        let example = try await desk.spec("example --json", Self.landmarks)
        #expect(example.text == #"{"managedCollection":{"landmarks":[1001,1004],"title":"Parks to visit"}}"#)
    }

    /// There and back again, with what is lost on the way named.
    @Test func otherFormatsAreWrittenAndRead() async throws {
        let desk = try Desk()
        for format in ["appconfig-xml", "profile-manifest", "android", "jamf"] {
            let there = try await desk.martlet("spec convert \(Self.landmarks) --to \(format) -o \(format)")
            #expect(there.status == 0 && there.text.contains("loss: the document: x-secrets"), "\(there)")
            let back = try await desk.martlet("spec convert \(format) --app com.example.landmarks")
            #expect(back.status == 0 && back.text.contains(#""assetURL": {"#), "\(back)")
            let strict = try await desk.martlet("spec convert --strict \(Self.landmarks) --to \(format)")
            #expect(strict.status == 4 && !strict.text.contains("assetURL\""), "\(strict)")
        }
        try desk.write("neither this nor that", "other")
        #expect(try await desk.martlet("spec convert other").text.contains("no format that is known here"))
    }

    /// What travels in a package is a specification, and of that app.
    @Test func aPackageTakesOnlyItsAppsSpecification() async throws {
        let desk = try Desk()
        try FileManager.default.createDirectory(
            at: desk.folder.appending(path: "A.app"), withIntermediateDirectories: true)
        try desk.write(
            """
            <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.a</string>
            <key>CFBundleExecutable</key><string>a</string><key>CFBundleVersion</key><string>1</string></dict></plist>
            """, "A.app/Info.plist")
        try desk.write("#!/bin/sh\n", "A.app/a")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: desk.folder.appending(path: "A.app/a").path)
        let other = try await desk.martlet("app build A.app -o a.package --specification \(Self.landmarks)")
        #expect(other.status == 4 && other.text.contains("of another app, com.example.landmarks"), "\(other)")
        try desk.write(
            #"{"x-app": {"bundleIdentifier": "com.example.a"}, "properties": {"k": {"type": "integer", "default": ""}}}"#,
            "a.json")
        let wrong = try await desk.martlet("app build A.app -o a.package --specification a.json")
        #expect(wrong.status == 4 && wrong.text.contains("the specification is wrong: k: the default"), "\(wrong)")
        try desk.write(#"{"x-app": {"bundleIdentifier": "com.example.a"}}"#, "a.json")
        let built = try await desk.martlet("app build A.app -o a.package --specification a.json")
        #expect(built.status == 0, "\(built)")
    }

    /// A configuration is checked against the specification before any device receives it.
    @Test func theServerRefusesWhatTheAppWouldRefuse() async throws {
        try await Road.with { road in
            try await road.martlet("app", "specification", "set", Road.app, Self.landmarks)
            let listed = try await road.martlet("app", "specification", "list", Road.app)
            #expect(listed.contains("1.0"), "\(listed)")
            let file = road.home.appending(path: "bad.json")
            try Data(#"{"assetURL": "http://hunter2", "managedCollection": {"landmarks": [1]}}"#.utf8).write(to: file)
            let set = ["configuration", "set", Road.app, "default", "--file", file.path]
            let refused = try await road.run("martlet", set)
            #expect(refused.status == 4)
            for line in [
                "The app would refuse the configuration, for 2 reasons.",
                "  assetURL: must match the pattern", "  managedCollection.landmarks[0]: must be one of 1001",
                "--force sets it nevertheless.",
            ] {
                #expect(refused.text.contains(line), "\(line) in \(refused.text)")
            }
            #expect(!refused.text.contains("hunter2"))
            let dry = try await road.run("martlet", set + ["--dry-run"])
            #expect(dry.status == 4 && dry.text.contains("error: assetURL"), "\(dry)")
            #expect(try await road.run("martlet", ["configuration", "show", Road.app, "default"]).status == 3)
            let forced = try await road.run("martlet", set + ["--force"])
            #expect(
                forced.status == 0 && forced.text.contains("warning: The app will refuse it: assetURL"), "\(forced)")
            try await road.configure("Parks")
            #expect(
                try await road.run("martlet", ["configuration", "revert", Road.app, "default", "--to", "1"]).status == 4
            )
            try await road.martlet("app", "specification", "remove", Road.app, "1.0")
            #expect(try await road.run("martlet", ["app", "specification", "show", Road.app, "1.0"]).status == 3)
        }
    }

    /// S4-SPEC-01: what the specification shows as an example passes the app's real decoder.
    @Test func theExampleIsWhatTheAppDecodes() async throws {
        let desk = try Desk()
        let example = try await desk.spec("example --json", Self.landmarks).text
        try await Road.with { road in
            try await road.configure(json: example)
            try await road.assign()
            try await road.enroll()
            let app = try road.openLandmarks()
            _ = try await app.line(containing: "Parks to visit")
        }
    }
}

/// A folder with the command line tool.
private final class Desk: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "specification-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    func spec(_ command: String, _ files: String...) async throws -> (status: Int32, text: String) {
        try await martlet((["spec", command] + files).joined(separator: " "))
    }

    /// Runs a command in the folder; words are parted by blanks.
    func martlet(_ words: String) async throws -> (status: Int32, text: String) {
        let process = try RunningProcess(
            "sh", URL(filePath: "/bin/sh"),
            ["-c", "cd \"$1\" && exec \"$2\" $3", "sh", folder.path, Road.binary("martlet").path, words],
            environment: Road.environment(folder))
        let status = try await process.exit()
        if status == nil { process.killNow() }
        try await process.drained()
        return (status ?? -1, process.output.map(\.text).joined(separator: "\n"))
    }
}
