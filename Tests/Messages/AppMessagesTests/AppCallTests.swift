import AppMessages
import Foundation
import Testing

struct AppCallTests {
    private static let version = String(repeating: "ab", count: 32)

    @Test(arguments: [
        AppCall.watchConfiguration,
        .reportConfiguration(ConfigurationOutcome(version: version, valid: true)),
        .reportConfiguration(
            ConfigurationOutcome(
                version: version, valid: false, code: 100, message: "unknown", keyPath: "a.b[2]", keyPathSupplied: true)
        ),
        .watchSecrets(.password), .watchSecrets(.identity),
        .getSecret(.password, identifier: "a"), .getSecret(.certificate, identifier: ""),
        .getSecret(.identity, identifier: "User: ü"),
        .information, .interfaceDescription(interface: "dev.martlet.App"),
    ])
    func survivesTheWire(call: AppCall) throws {
        #expect(try AppCall(VarlinkCall(parsing: frame(call.encoded()))) == call)
    }

    @Test(arguments: ["dev.martlet.App.WatchConfiguration", "dev.martlet.App.WatchSecrets"])
    func answersAStreamOnlyToThoseWhoAskForOne(method: String) throws {
        let call = try VarlinkCall(parsing: Data(#"{"method":"\#(method)","parameters":{"kind":"password"}}"#.utf8))
        #expect(throws: VarlinkError.expectedMore) { try AppCall(call) }
    }

    @Test func namesAMethodThatItDoesNotKnow() throws {
        let call = try VarlinkCall(parsing: Data(#"{"method":"dev.martlet.App.Nothing"}"#.utf8))
        #expect(throws: VarlinkError.methodNotFound("dev.martlet.App.Nothing")) { try AppCall(call) }
        let other = try VarlinkCall(parsing: Data(#"{"method":"org.example.Do"}"#.utf8))
        #expect(throws: VarlinkError.interfaceNotFound("org.example")) { try AppCall(other) }
    }

    @Test(arguments: [
        (#"{"method":"dev.martlet.App.GetPassword"}"#, "parameters"),
        (#"{"method":"dev.martlet.App.GetPassword","parameters":{}}"#, "identifier"),
        (#"{"method":"dev.martlet.App.GetPassword","parameters":{"identifier":7}}"#, "identifier"),
        (#"{"method":"dev.martlet.App.WatchSecrets","more":true,"parameters":{"kind":"keys"}}"#, "kind"),
        (#"{"method":"dev.martlet.App.ReportConfiguration","parameters":{"version":"12","valid":true}}"#, "version"),
    ])
    func namesTheParameterThatIsWrong(message: String, parameter: String) throws {
        let call = try VarlinkCall(parsing: Data(message.utf8))
        #expect(throws: VarlinkError.invalidParameter(parameter)) { try AppCall(call) }
    }

    @Test func neverRepeatsWhatIsNotAName() throws {
        let call = try VarlinkCall(parsing: Data(#"{"method":"dev.martlet.App.<peer controlled>"}"#.utf8))
        let error = try #require(throws: VarlinkError.self) { try AppCall(call) }
        #expect(!String(decoding: Varlink.reply(error), as: UTF8.self).contains("controlled"))
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"method":7}"#, #"{"method":"a","upgrade":true}"#, "{\"method\":\"a\"", "\u{FF}",
    ])
    func refusesWhatIsNotACall(message: String) {
        #expect(throws: VarlinkRefusal.notACall) { try VarlinkCall(parsing: Data(message.utf8)) }
    }

    @Test func refusesDeepNestingBeforeItIsDecoded() {
        let deep = String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000)
        #expect(throws: VarlinkRefusal.notACall) {
            try VarlinkCall(parsing: Data(#"{"method":"a","parameters":\#(deep)}"#.utf8))
        }
    }

    @Test func keepsTextsShortAndFreeOfControlCharacters() throws {
        let outcome = ConfigurationOutcome(
            version: Self.version, valid: false, message: "\u{1B}[2J" + String(repeating: "é", count: 2_000))
        let message = try #require(outcome.message)
        #expect(message.utf8.count <= ConfigurationOutcome.longestText)
        #expect(message.hasPrefix("\u{FFFD}[2Jé"))
        // A peer that does not keep to it is held to it on arrival.
        let raw = #"{"version":"\#(Self.version)","valid":false,"message":"\u001b[2J","keyPathSupplied":false}"#
        let arrived = try JSONDecoder().decode(ConfigurationOutcome.self, from: Data(raw.utf8))
        #expect(arrived.message == "\u{FFFD}[2J")
    }

    private func frame(_ bytes: Data) throws -> Data {
        #expect(bytes.last == 0)
        return bytes.dropLast()
    }
}
