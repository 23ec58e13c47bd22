import Foundation
import Testing
import Waiting

/// Extensions on the road: A13.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct ExtensionTests {
    private static let app = "com.example.suite"
    private static let kinds = [
        "vpn": "com.apple.networkextension.packet-tunnel", "sso": "com.apple.AppSSO.idp-extension",
        "web": "com.apple.Safari.web-extension", "share": "com.apple.share-services",
    ]

    /// S4-EXT-01, S4-CAP-01, S4-FLOW-04: one assignment carries what is meant for the app and for each of its extensions,
    /// and each reads its own.
    @Test func anAppAndItsExtensionsEachReadTheirOwn() async throws {
        try await Road.with { road in
            let parts = Self.kinds.sorted { $0.key < $1.key }.map {
                AppWithExtensions.Part(name: $0.key, kind: $0.value, program: "EchoApp")
            }
            let app = try await AppWithExtensions.installed("EchoApp", as: Self.app, with: parts, on: road)
            var assignment = ["assign", "teachers", Self.app, "--configuration", "host"]
            for name in ["host"] + Self.kinds.keys.sorted() {
                try await app.configure(name, json: #"{"for": "\#(name)"}"#)
                if name != "host" { assignment += ["--extension", "\(Self.app).\(name)=\(name)"] }
            }
            #expect(try await road.run("martlet", assignment).status == 0)
            try await road.enroll()
            try await road.synchronised()
            let host = try app.app.open()
            _ = try await host.line(containing: #"value {"for":"host"}"#)
            var running: [String: RunningProcess] = [:]
            for name in Self.kinds.keys.sorted() {
                running[name] = try app.part(name).open()
                _ = try await running[name]?.line(containing: #"value {"for":"\#(name)"}"#)
            }
            // Nobody shares a user with anybody.
            if Road.appsHaveUsers {
                let users = try Data(contentsOf: URL(filePath: road.agentDirectory + "/app-users.json"))
                let numbers = try JSONDecoder().decode([String: Int].self, from: users)
                let names = (["\(Self.app)+0"] + Self.kinds.keys.map { "\(Self.app)+0+\($0)" }).map { $0 + "@unsigned" }
                #expect(Set(names.compactMap { numbers[$0] }).count == 5, "\(numbers)")
            }
            // A change concerns the one whose it is.
            let marks = running.mapValues(\.mark)
            let mark = host.mark
            try await app.configure("share", json: #"{"for": "sharing"}"#)
            _ = try await running["share"]?.line(containing: #"value {"for":"sharing"}"#, after: marks["share"] ?? 0)
            #expect(!host.output.dropFirst(mark).contains { $0.text.hasPrefix("value") })
            let others = running["vpn"]?.output.dropFirst(marks["vpn"] ?? 0)
            #expect(others?.contains { $0.text.hasPrefix("value") } == false)
            try await road.shown("share, version 2")
            var shown = ""
            try await eventually("each extension's is valid, but \(shown)") { () -> Bool in
                shown = try await road.deviceShown()
                return Self.kinds.keys.allSatisfy { name in
                    shown.split(separator: "\n").first { $0.contains("  \(Self.app).\(name) ") }?.contains("valid")
                        == true
                }
            }
            try await road.app("with extensions that are valid", named: Self.app) { app in
                (app?["extensions"] as? [[String: Any]])?.compactMap { $0["configState"] as? String }
                    == Array(repeating: "valid", count: 4)
            }
            let inventory = try await road.martlet("device", "apps", road.udid, "--wait", Road.longest)
            #expect(inventory.split(separator: "\n").contains { $0.contains("\(Self.app).sso") && $0.contains("yes") })
            // Assigned without it, an extension has nothing, and is managed as its app is.
            let before = running["web"]?.mark ?? 0
            try await road.martlet("assign", "teachers", Self.app, "--no-extension", "\(Self.app).web")
            _ = try await running["web"]?.line(after: before, "nothing") { $0 == "nil" }
            #expect(try await road.listedApp(Self.app)?["isManaged"] as? Bool == true)
        }
    }

    /// S4-SEC-02, S4-VPN-03: an extension asks for its host's secrets, and the reverse, also by each other's programs.
    @Test func whatIsTheExtensionsIsNotItsHostsAndTheReverse() async throws {
        try await Road.with { road in
            let part = AppWithExtensions.Part(
                name: "vpn", kind: "com.apple.networkextension.packet-tunnel", program: "SecretsApp")
            let app = try await AppWithExtensions.installed("SecretsApp", as: Self.app, with: [part], on: road)
            // A host that becomes whatever program it is told to.
            let host = app.directory.appending(path: "SecretsApp")
            try FileManager.default.removeItem(at: host)
            try Data("#!/bin/sh\nexec \"$@\"\n".utf8).write(to: host)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: host.path)
            try await road.martlet("assign", "teachers", Self.app)
            try await road.setPassword("one", "for the host")
            try await road.setPassword("two", "for the extension")
            try await road.give("one", to: Self.app, as: "host")
            try await app.give("two", to: "vpn", as: "vpn")
            try await road.enroll()
            try await road.synchronised()
            let program = app.directory.appending(path: "Extensions/SecretsApp").path
            func asHost(_ identifier: String) async throws -> String {
                let process = try app.app.open(program, "ask", "password", identifier)
                return try await process.line(containing: "password ").text
            }
            func asExtension(_ identifier: String) async throws -> String {
                let process = try app.part("vpn").open("ask", "password", identifier)
                return try await process.line(containing: "password ").text
            }
            #expect(try await asHost("host") == "password host=\(sum("for the host"))")
            #expect(try await asExtension("vpn") == "password vpn=\(sum("for the extension"))")
            #expect(try await app.refusals("notItsOwn") == 0)
            #expect(try await asHost("vpn") == "password vpn: invalidIdentifier")
            #expect(try await asExtension("host") == "password host: invalidIdentifier")
            #expect(try await app.refusals("notItsOwn") == 2)
            _ = try await road.agent.line(containing: "asked for a secret of its extension, or the reverse")
            // Nor does the device's own user run one as the other.
            for (identifier, other) in [(Self.app, "Extensions/SecretsApp"), ("\(Self.app).vpn", "SecretsApp")]
            where Road.appsHaveUsers {
                let refused = try await road.run(
                    "martlet-agent", ["exec", identifier, "--directory", road.agentDirectory, "--", other])
                #expect(refused.text.contains("no program of the app's"), "\(refused.text)")
            }
        }
    }

    /// S4-EXT-02, S4-EXT-03: assigned, denied, granted, revoked, in one process and in the next.
    @Test func aKeyboardIsGivenNothingWithoutFullAccess() async throws {
        try await Road.with { road in
            let parts = [
                AppWithExtensions.Part(name: "keys", kind: "com.apple.keyboard-service", program: "EchoApp"),
                .init(name: "share", kind: "com.apple.share-services", program: "EchoApp"),
            ]
            let app = try await AppWithExtensions.installed("EchoApp", as: Self.app, with: parts, on: road)
            try await app.configure("keys", json: #"{"words": "own"}"#)
            try await road.martlet("assign", "teachers", Self.app, "--extension", "\(Self.app).keys=keys")
            try await road.enroll()
            try await road.synchronised()
            let keyboard = try app.part("keys").open()
            _ = try await keyboard.line(containing: "nil")
            _ = try await road.agent.line(containing: "a restricted extension without full access was given nothing")
            #expect(try await app.refusals("restricted") == 1)
            try await road.shown("Info.FullAccessNeeded")

            #expect(try await app.setFullAccess("share", "on").status == 1)
            var mark = keyboard.mark
            let granted = try await app.setFullAccess("keys", "on")
            #expect(granted.status == 0, "\(granted.text)")
            _ = try await keyboard.line(containing: #"value {"words":"own"}"#, after: mark)
            #expect(try await app.setFullAccess("keys", "on").status == 0)
            mark = keyboard.mark
            #expect(try await app.setFullAccess("keys", "off").status == 0)
            _ = try await keyboard.line(after: mark, "nothing") { $0 == "nil" }
            let again = try app.part("keys").open()
            _ = try await again.line(containing: "nil")

            // The grant outlives the agent.
            #expect(try await app.setFullAccess("keys", "on").status == 0)
            _ = try await again.line(containing: #"value {"words":"own"}"#)
            try await road.stop(road.agent)
            try await road.startAgent()
            let later = try app.part("keys").open()
            _ = try await later.line(containing: #"value {"words":"own"}"#)
        }
    }

    /// In a signed package: listed, installed, launched by its own identifier, held to the signature, and gone with its app.
    @Test func anExtensionComesAndGoesWithItsPackage() async throws {
        try await Road.with { road in
            let developer = try await Developer.on(road)
            try await developer.publishWithExtension("1.0")
            let package = road.home.appending(path: "viewer-1.0.tar.zst").path
            #expect(try await road.martlet("app", "inspect", package).contains("\(Developer.app).side"))
            let app = AppWithExtensions(app: developer.viewer)
            try await app.configure("side", json: #"{"title": "Beside"}"#)
            try await road.enroll()
            try await road.martlet("assign", "teachers", Developer.app, "--extension", "\(Developer.app).side=side")
            try await road.appIsManaged(version: "1.0")
            let side = try app.part("side").open("keep")
            _ = try await side.line(containing: "title: Beside")
            let host = try developer.viewer.open()
            _ = try await host.line(containing: "title: nil")

            let program = try road.managedProgram().replacing("/viewer", with: "/side")
            let text = try String(contentsOfFile: program, encoding: .utf8)
            try Data((text + "\n# more").utf8).write(to: URL(filePath: program))
            let tampered = try app.part("side").open()
            #expect(try await tampered.exit() == 1)
            #expect(try await app.refusals("tampered") == 1)

            try await road.martlet("unassign", "teachers", Developer.app)
            #expect(try await side.exit() != nil)
            try await eventually("nothing of it is left") { try road.managedApps().isEmpty }
            let homes = road.agentDirectory + "/app-homes"
            var left: [String] = []
            try await eventually("nor what it kept, but \(left)") { () -> Bool in
                left = (try? FileManager.default.contentsOfDirectory(atPath: homes)) ?? []
                return !left.contains { $0.hasPrefix(Developer.app) }
            }
        }
    }
}

extension Developer {
    /// Packs a version with an extension, which is the same program under another name, and has devices get it.
    fileprivate func publishWithExtension(_ version: String) async throws {
        let directory = road.home.appending(path: "build-\(version)/Viewer.app")
        try layOut(directory, version: version)
        try FileManager.default.copyItem(
            at: directory.appending(path: "viewer"), to: directory.appending(path: "side"))
        let information: [String: Any] = [
            "CFBundleIdentifier": Self.app, "CFBundleExecutable": "viewer", "CFBundleName": "Viewer",
            "CFBundleVersion": version,
            "MartletExtensions": [
                [
                    "CFBundleIdentifier": "\(Self.app).side", "CFBundleExecutable": "side",
                    "NSExtensionPointIdentifier": "com.apple.share-services",
                ]
            ],
        ]
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: directory.appending(path: "Info.plist"))
        let package = road.home.appending(path: "viewer-\(version).tar.zst")
        try await road.martlet("app", "build", directory.path, "-o", package.path)
        try await road.martlet(
            "app", "sign", package.path, "--certificate", road.home.appending(path: "team.pem").path, "--key",
            road.home.appending(path: "team.key").path)
        let text = try await road.martlet("app", "package", "upload", package.path, "--stage", "--json")
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let digest = try #require(answer["sha256"] as? String)
        try await road.martlet(
            "app", "source", "set", Self.app, "--platform", "linux", "--package", digest, "--install", "required")
    }
}
