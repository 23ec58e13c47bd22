import Foundation
import Testing

/// Extensions of a signed package, asked for in other ways than `open` and Varlink: A13, D7.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)), .enabled(if: Road.appsHaveUsers, "only root gives apps users"))
struct SignedExtensionTests {
    private static let withheld = "dev.martlet.App.SecretsWithheld"
    private static let unknown = "dev.martlet.App.InvalidIdentifier"

    /// Started by somebody else an extension is known by its own program, has what is its own, and is trusted less.
    @Test func anExtensionThatTheAgentDidNotLaunchIsItselfAndTrustedLess() async throws {
        try await SignedApp.with(extensions: ["side": "com.apple.share-services"]) { app in
            try await app.give("for-the-extension", to: "side")
            try await app.assign(extension: "side")
            let program = app.directory.appending(path: "side").path
            let host = try await app.elsewhere("configured")
            let own = try await app.elsewhere("configured", program: program)
            #expect(host.count == 64 && own.count == 64 && own != host)
            #expect(try await app.launched(part: "side") == "for-the-extension")
            #expect(try await app.elsewhere("answered", program: program) == Self.withheld)
            #expect(try await app.refusals("withheld") == 1)
            #expect(try await app.elsewhere("over-http", program: program) == "403")

            // Where the assignment asks for no more, each has its own and nothing of the other's.
            try await app.assign(extension: "side", "--lowest-trust", "verified")
            #expect(try await app.elsewhere("answered", program: program) == "for-the-extension")
            #expect(try await app.elsewhere("answered") == SignedApp.secret)
            // The identified extension gets the changes for it.
            let follower = try app.start("follows", program: program)
            _ = try await follower.line(containing: "follows: \(own) \(own)")
            let mark = follower.mark
            try await app.configure("side", #"{"for": "the extension, anew"}"#)
            let news = try await follower.line(containing: "follows: ", after: mark)
            #expect(!news.text.contains(own) && !news.text.contains(host), "\(news.text)")

            // The same bytes elsewhere are no app, and beside unsigned files they are not the extension.
            let copy = app.road.home.appending(path: "copy").path
            try FileManager.default.copyItem(atPath: program, toPath: copy)
            #expect(try await app.elsewhere("unanswered", program: copy) == "org.varlink.service.PermissionDenied")
            try Data().write(to: app.directory.appending(path: "libc.so.6"))
            #expect(try await app.elsewhere("unanswered", program: program).contains("PermissionDenied"))
            #expect(try await app.refusals("tampered") == 1)
        }
    }

    /// S4-EXT-02, S4-EXT-03: over HTTP a keyboard has no more than over the other socket, however it was started.
    @Test func aRestrictedExtensionHasNothingOverHTTPWithoutFullAccess() async throws {
        try await SignedApp.with(extensions: ["keys": "com.apple.keyboard-service"]) { app in
            try await app.give("for-the-keyboard", to: "keys")
            try await app.assign(extension: "keys", "--lowest-trust", "verified")
            let program = app.directory.appending(path: "keys").path
            func says(_ path: String) async throws -> String { try await app.launched("over-http", path, part: "keys") }
            func expectNothing() async throws {
                for path in ["/configuration", "/configuration.plist", "/secrets/password/account"] {
                    #expect(try await says(path) == "404", "\(path)")
                }
                let names = try await says("/secrets")
                #expect(names.hasPrefix("200 ") && !names.contains("account"), "\(names)")
                #expect(try await app.elsewhere("answered", program: program) == Self.unknown)
            }
            try await expectNothing()
            #expect(try await app.refusals("restricted") >= 4)
            try await app.setFullAccess("keys", "on")
            #expect(try await says("/configuration") == #"200 {"for":"keys"}"#)
            #expect(try await says("/secrets/password/account") == "200 for-the-keyboard")
            #expect(try await says("/secrets").contains("account"))
            #expect(try await app.elsewhere("answered", program: program) == "for-the-keyboard")
            try await app.setFullAccess("keys", "off")
            try await expectNothing()
            // The app itself was never concerned.
            #expect(try await app.launched("over-http") == "200 " + SignedApp.secret)
        }
    }
}

extension SignedApp {
    fileprivate func configure(_ name: String, _ json: String) async throws {
        let file = road.home.appending(path: "\(UUID().uuidString).json")
        try Data(json.utf8).write(to: file)
        try await road.martlet("configuration", "set", identifier, name, "--file", file.path)
    }

    /// Has the extension be given a configuration of its own name.
    fileprivate func assign(extension name: String, _ options: String...) async throws {
        try await configure(name, #"{"for": "\#(name)"}"#)
        let arguments = [
            "assign", "teachers", identifier, "--configuration", "default", "--extension",
            "\(identifier).\(name)=\(name)",
        ]
        let assigned = try await road.run("martlet", arguments + options)
        guard assigned.status == 0 else { throw Road.Broken(description: "assign: \(assigned.text)") }
        try await road.synchronised()
    }

    /// Gives the extension a password under the identifier that its app's has, too.
    fileprivate func give(_ password: String, to name: String) async throws {
        try await road.setPassword(name, password)
        try await road.martlet(
            "secret", "assign", "teachers", identifier, "--extension", "\(identifier).\(name)", "--identifier",
            "account", "--secret", name)
        try await road.synchronised()
    }

    fileprivate func setFullAccess(_ name: String, _ access: String) async throws {
        let set = try await road.run(
            "martlet-agent",
            ["app", "full-access", "\(identifier).\(name)", access, "--directory", road.agentDirectory])
        guard set.status == 0 else { throw Road.Broken(description: "full-access: \(set.text)") }
    }
}
