import AppMessages
import CLinux
import DeviceAgent
import DeviceMessages
import Foundation
import Testing
import Waiting

/// Configuration and secrets as files in memory, with real processes.
@Suite(.timeLimit(.minutes(10)))
struct AppFilesTests {
    private static let chain = [Data("first certificate".utf8), Data("second certificate".utf8)]
    private static let key = "the private key, which never leaves the agent"
    private static let secrets: [String: SecretContent] = [
        "p1": .password("before"), "p2": .password("after"), "c": .certificate(Data("an authority".utf8)),
        "i": .identity(
            StoredIdentity(
                certificates: chain, key: StoredKey(keeper: "software", type: .ec, size: 256, material: Data(key.utf8)))
        ),
    ]

    private static func state(
        _ text: String?, _ entries: [AppSecrets.Entry] = [], lowest: AppTrust = .shared
    ) -> AppState {
        let list = text.map {
            Data("<plist version=\"1.0\"><dict><key>text</key><string>\($0)</string></dict></plist>".utf8)
        }
        return AppState(
            managed: true, synchronised: true, configuration: list, secrets: AppSecrets(entries), lowestTrust: lowest)
    }

    /// Before its first line runs.
    @Test func anAppBeginsWithItsFiles() async throws {
        let fixture = try Fixture(secrets: Self.secrets)
        fixture.service.update([
            Fixture.app: Self.state(
                "here",
                [
                    .init(.password, "../a b", digest: "p1"), .init(.certificate, "ca", digest: "c"),
                    .init(.identity, "me", digest: "i"),
                ])
        ])
        let output = try await fixture.run(
            "cd $MARTLET_FILES; cat configuration.json; echo; find . -type f | sort; cat secrets/password/*; echo; "
                + "head -1 secrets/certificate/ca; cat secrets/identity/me; grep -r 'private key' . ; grep -c text *.plist",
            wantsFiles: true)
        let pem = Self.chain.map {
            "-----BEGIN CERTIFICATE-----\n\($0.base64EncodedString())\n-----END CERTIFICATE-----\n"
        }
        #expect(
            output == """
                {"text":"here"}
                ./configuration.json
                ./configuration.plist
                ./secrets/certificate/ca
                ./secrets/identity/me
                ./secrets/password/%2E.%2Fa%20b
                before
                -----BEGIN CERTIFICATE-----
                \(pem.joined())1

                """)
    }

    @Test func anAppThatDoesNotAskForFilesHasNone() async throws {
        let fixture = try Fixture()
        let output = try await fixture.run("echo ${MARTLET_FILES-none}", environment: ["MARTLET_FILES": "/forged"])
        #expect(output == "none\n")
    }

    /// D7: the socket's rule.
    ///
    /// This app shares its user, and nobody has said that this is enough.
    @Test func anAppThatIsNotTrustedEnoughHasNoSecretsAmongItsFiles() async throws {
        let fixture = try Fixture(secrets: Self.secrets)
        fixture.service.update([
            Fixture.app: Self.state("here", [.init(.password, "account", digest: "p1")], lowest: .launched)
        ])
        let output = try await fixture.run(
            "cat $MARTLET_FILES/configuration.json; find $MARTLET_FILES/secrets -type f", wantsFiles: true)
        #expect(output == #"{"text":"here"}"#)
    }

    /// A reader of the open old file reads it to its end; opening the name gives the new one, and watchers notice.
    @Test func aFileIsReplacedByARenameThatAWatcherSees() async throws {
        let fixture = try Fixture(secrets: Self.secrets)
        let before = Self.state("before", [.init(.password, "account", digest: "p1")])
        fixture.service.update([Fixture.app: before])
        let app = try fixture.start("echo $MARTLET_FILES; read end", wantsFiles: true)
        let folder = try app.line()
        let file = try FileHandle(forReadingFrom: URL(filePath: folder + "/configuration.json"))
        let watch = unsafe clinux_watch_directory(folder + "/secrets/password")
        defer { close(watch) }
        fixture.service.update([
            Fixture.app: Self.state("after", [.init(.password, "account", digest: "p2")])
        ])
        #expect(clinux_watch_wait(watch, 240_000) == 1)
        #expect(Self.text(folder + "/secrets/password/account") == "after")
        try await eventually("the new configuration") {
            Self.text(folder + "/configuration.json") == #"{"text":"after"}"#
        }
        #expect(try file.readToEnd() == Data(#"{"text":"before"}"#.utf8))
        try await eventually("nothing half-written is left") {
            try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { !$0.hasPrefix(".") }
        }
        app.end()
    }

    /// D14: with the withdrawal, and with the end of the app everything.
    @Test func whatIsWithdrawnIsRemovedAndWithTheAppAllOfIt() async throws {
        let fixture = try Fixture(secrets: Self.secrets)
        fixture.service.update([Fixture.app: Self.state("here", [.init(.password, "account", digest: "p1")])])
        let app = try fixture.start("echo $MARTLET_FILES; read end", wantsFiles: true)
        let folder = try app.line()
        #expect(Self.text(folder + "/secrets/password/account") == "before")
        fixture.service.update([Fixture.app: Self.state("here")])
        try await eventually("the secret is removed") { Self.text(folder + "/secrets/password/account") == nil }
        #expect(Self.text(folder + "/configuration.json") == #"{"text":"here"}"#)
        fixture.service.update([:])
        try await eventually("the configuration is removed in both forms") {
            Self.text(folder + "/configuration.json") == nil && Self.text(folder + "/configuration.plist") == nil
        }
        app.end()
        try await eventually("the directory is removed") { !FileManager.default.fileExists(atPath: folder) }
    }

    /// A value that cannot be read takes no other with it, and the one before it is not the app's any more.
    @Test func aSecretThatFailsIsNotThereInAnOlderValue() async throws {
        let fixture = try Fixture(secrets: Self.secrets)
        fixture.service.update([Fixture.app: Self.state("here", [.init(.password, "account", digest: "p1")])])
        let app = try fixture.start("echo $MARTLET_FILES; read end", wantsFiles: true)
        let folder = try app.line()
        fixture.service.update([
            Fixture.app: Self.state(
                "here", [.init(.password, "account", digest: "lost"), .init(.certificate, "ca", digest: "c")])
        ])
        try await eventually("the certificate") { Self.text(folder + "/secrets/certificate/ca") != nil }
        try await eventually("the older value is removed") {
            Self.text(folder + "/secrets/password/account") == nil
        }
        app.end()
    }

    /// An agent that was away brings what it finds up to date, and removes what no running app has.
    @Test func aRestartedServiceTakesTheDirectoriesBack() async throws {
        let fixture = try Fixture(secrets: Self.secrets)
        fixture.service.update([Fixture.app: Self.state("before", [.init(.password, "account", digest: "p1")])])
        let app = try fixture.start("echo $MARTLET_FILES; read end", wantsFiles: true)
        let folder = try app.line()
        fixture.service.stop()
        #expect(Self.text(folder + "/configuration.json") == #"{"text":"before"}"#)
        let stale = (folder as NSString).deletingLastPathComponent + "/of-an-app-that-has-ended"
        try FileManager.default.createDirectory(atPath: stale, withIntermediateDirectories: true)
        try fixture.service.start()
        #expect(!FileManager.default.fileExists(atPath: stale))
        fixture.service.update([Fixture.app: Self.state("after", [.init(.certificate, "ca", digest: "c")])])
        try await eventually("the secret is removed") { Self.text(folder + "/secrets/password/account") == nil }
        try await eventually("the new configuration and certificate") {
            Self.text(folder + "/configuration.json") == #"{"text":"after"}"#
                && Self.text(folder + "/secrets/certificate/ca") != nil
        }
        app.end()
        try await eventually("the directory is removed") { !FileManager.default.fileExists(atPath: folder) }
    }

    @Test func whatAnAppDoesNotNameInItsInfoPlistItDoesNotGet() throws {
        let directory = try Fixture.directory()
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data("#!/bin/sh\n".utf8).write(to: directory.appending(path: "app"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: directory.appending(path: "app").path)
        for (asked, expected) in [(nil, false), (false, false), (true, true)] as [(Bool?, Bool)] {
            var list: [String: Any] = ["CFBundleIdentifier": "com.example.a", "CFBundleExecutable": "app"]
            list["MartletFiles"] = asked
            try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
                .write(to: directory.appending(path: "Info.plist"))
            #expect(AppCatalog.bundle(at: directory.path)?.readsFiles == expected)
        }
    }

    /// S4-SEC: an identifier is the administrator's text, and never a path.
    @Test(
        arguments: [
            ("account", "account"), ("a/b", "a%2Fb"), ("..", "%2E."), (".new", "%2Enew"), ("a%2Fb", "a%252Fb"),
            ("ä", "%C3%A4"),
            ("", nil), (String(repeating: "x", count: 255), String(repeating: "x", count: 255)),
            (String(repeating: "x", count: 256), nil), ("\0", "%00"),
        ] as [(String, String?)])
    func anIdentifierBecomesAName(_ identifier: String, _ name: String?) {
        #expect(AppFileName.encode(identifier) == name)
    }

    private static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
}

/// An app that runs until its input ends.
final class LivingApp {
    private let input = Pipe()
    private let output = Pipe()

    init(_ start: (_ input: Int32, _ output: Int32) throws -> Void) throws {
        try start(input.fileHandleForReading.fileDescriptor, output.fileHandleForWriting.fileDescriptor)
        try output.fileHandleForWriting.close()
        try input.fileHandleForReading.close()
    }

    /// The next line that it writes.
    func line() throws -> String {
        var text = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte.first != 10 { text += byte }
        return String(decoding: text, as: UTF8.self)
    }

    func end() {
        try? input.fileHandleForWriting.close()
    }
}

extension Fixture {
    /// Starts a script as the app, which reads the files that it gets and writes their contents.
    func start(_ script: String, wantsFiles: Bool = false) throws -> LivingApp {
        let bundle = try Self.bundle(root, script)
        return try LivingApp { input, output in
            _ = try service.launch(
                bundle, environment: ["PATH": "/usr/bin:/bin"], wantsFiles: wantsFiles, standardInput: input,
                standardOutput: output)
        }
    }
}
