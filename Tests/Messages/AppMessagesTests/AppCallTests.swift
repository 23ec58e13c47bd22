import AppMessages
import Foundation
import Signatures
import Testing

struct AppCallTests {
    private static let version = String(repeating: "ab", count: 32)

    @Test(arguments: [
        AppCall.watchConfiguration(trials: false), .watchConfiguration(trials: true),
        .reportConfiguration(ConfigurationOutcome(version: version, valid: true)),
        .reportConfiguration(
            ConfigurationOutcome(
                version: version, valid: false, code: 100, message: "unknown", keyPath: "a.b[2]", keyPathSupplied: true)
        ),
        .reportTrial(TrialOutcome(trial: "t", verdict: .accepted)),
        .reportTrial(
            TrialOutcome(
                trial: String(repeating: "t", count: 64), verdict: .refused, code: 100, message: "unknown",
                keyPath: "a.b[2]", keyPathSupplied: true, type: "Settings")),
        .reportTrial(TrialOutcome(trial: "t", verdict: .notIterating)),
        .watchSecrets(.password), .watchSecrets(.identity),
        .getSecret(.password, identifier: "a"), .getSecret(.certificate, identifier: ""),
        .getSecret(.identity, identifier: "User: ü"),
        .sign(
            SignRequest(
                identifier: "i", reference: "r", algorithm: SignatureAlgorithm(.rsaPSS, .sha384, over: .message),
                data: Data([0, 255]))),
        .watchDefaults, .putFeedback(FeedbackNote(life: "l", sequence: 0, feedback: nil)),
        .handOverFeedback(FeedbackNote(life: "l", sequence: 7, feedback: Data([0, 255]))),
        .information, .interfaceDescription(interface: "dev.martlet.App"),
    ])
    func survivesTheWire(call: AppCall) throws {
        #expect(try AppCall(VarlinkCall(parsing: frame(call.encoded()))) == call)
    }

    @Test(arguments: [
        "dev.martlet.App.WatchConfiguration", "dev.martlet.App.WatchSecrets", "dev.martlet.Defaults.Watch",
    ])
    func answersAStreamOnlyToThoseWhoAskForOne(method: String) throws {
        let call = try VarlinkCall(parsing: Data(#"{"method":"\#(method)","parameters":{"kind":"password"}}"#.utf8))
        #expect(throws: VarlinkError.expectedMore) { try AppCall(call) }
    }

    /// What a library from before trials sends.
    @Test(arguments: ["", #","parameters":{}"#, #","parameters":null"#, #","parameters":{"other":1}"#])
    func whoSaysNothingOfTrialsIsSentNone(parameters: String) throws {
        let call = #"{"method":"dev.martlet.App.WatchConfiguration","more":true\#(parameters)}"#
        #expect(try AppCall(VarlinkCall(parsing: Data(call.utf8))) == .watchConfiguration(trials: false))
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
        (sign(algorithm: "rsa-pss-sha1-digest", data: ""), "algorithm"),
        (sign(algorithm: "ecdsa-sha256", data: ""), "algorithm"),
        (sign(algorithm: "ecdsa-sha256-digest", data: "AAAA"), "data"),
        (sign(algorithm: "ecdsa-sha256-message", data: "no base64!"), "data"),
        (#"{"method":"dev.martlet.App.WatchSecrets","more":true,"parameters":{"kind":"keys"}}"#, "kind"),
        (#"{"method":"dev.martlet.App.ReportConfiguration","parameters":{"version":"12","valid":true}}"#, "version"),
        (#"{"method":"dev.martlet.App.WatchConfiguration","more":true,"parameters":{"trials":1}}"#, "trials"),
        (#"{"method":"dev.martlet.Defaults.PutFeedback","parameters":{"life":"","sequence":1}}"#, "life"),
        (#"{"method":"dev.martlet.Defaults.HandOver","parameters":{"life":"l","sequence":-1}}"#, "sequence"),
        (#"{"method":"dev.martlet.App.ReportTrial","parameters":{"trial":"","verdict":"accepted"}}"#, "trial"),
        (#"{"method":"dev.martlet.App.ReportTrial","parameters":{"trial":"t","verdict":"unsure"}}"#, "verdict"),
    ])
    func namesTheParameterThatIsWrong(message: String, parameter: String) throws {
        let call = try VarlinkCall(parsing: Data(message.utf8))
        #expect(throws: VarlinkError.invalidParameter(parameter)) { try AppCall(call) }
    }

    private static func sign(algorithm: String, data: String) -> String {
        #"{"method":"dev.martlet.App.Sign","parameters":{"identifier":"i","reference":"r","algorithm":"\#(algorithm)","#
            + #""data":"\#(data)"}}"#
    }

    @Test func signsAtMost64KiBInOneCall() throws {
        func call(_ count: Int) -> Data {
            AppCall.sign(
                SignRequest(
                    identifier: String(repeating: "i", count: 1_024), reference: String(repeating: "r", count: 256),
                    algorithm: SignatureAlgorithm(.ecdsa, .sha256, over: .message), data: Data(count: count))
            ).encoded()
        }
        var reader = FrameReader(limit: FrameReader.callLimit)
        reader.append(call(65_536) + call(65_537))
        let largest = try #require(try reader.next())
        guard case .sign = try AppCall(VarlinkCall(parsing: largest)) else { return #expect(Bool(false)) }
        let over = try #require(try reader.next())
        #expect(throws: VarlinkError.invalidParameter("data")) { try AppCall(VarlinkCall(parsing: over)) }
    }

    @Test func namesEachAlgorithmByWhatItSigns() {
        #expect(SignatureAlgorithm.all.count == 18)
        for algorithm in SignatureAlgorithm.all { #expect(SignatureAlgorithm(name: algorithm.name) == algorithm) }
        #expect(SignatureAlgorithm(.rsaPKCS1, .sha512, over: .digest).name == "rsa-pkcs1-sha512-digest")
        #expect(SignatureAlgorithm(.ecdsa, .sha384, over: .digest).takes(48))
        #expect(!SignatureAlgorithm(.ecdsa, .sha384, over: .digest).takes(32))
    }

    @Test func takesALongNameForNoSecretAtAll() throws {
        let long = String(repeating: "x", count: 1_025)
        let calls = [
            AppCall.getSecret(.password, identifier: long),
            .sign(
                SignRequest(
                    identifier: long, reference: "r", algorithm: SignatureAlgorithm(.ecdsa, .sha256, over: .message),
                    data: Data())),
            .sign(
                SignRequest(
                    identifier: "i", reference: long, algorithm: SignatureAlgorithm(.ecdsa, .sha256, over: .message),
                    data: Data())),
        ]
        for call in calls {
            #expect(throws: VarlinkError.invalidIdentifier) {
                try AppCall(VarlinkCall(parsing: frame(call.encoded())))
            }
        }
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
