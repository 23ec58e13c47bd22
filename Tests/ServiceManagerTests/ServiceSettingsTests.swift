import Configuration
import Foundation
import InputBounds
import ServiceManager
import Testing

/// With which settings file a service starts, and with which it does not.
struct ServiceSettingsTests {
    private static func file(_ text: String) throws -> URL {
        let file = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString).json")
        try Data(text.utf8).write(to: file)
        return file
    }

    private static func refusal(_ settings: ServiceSettings) async -> String? {
        do throws(ServiceSettings.Refusal) {
            _ = try await settings.read()
            return nil
        } catch {
            return error.sentence
        }
    }

    @Test func theUsualFileIsReadWhereItIsAndMayBeMissing() async throws {
        let file = try Self.file(#"{"port": 8443}"#)
        let settings = ServiceSettings(named: nil, usual: file.path, members: ["port": .number(0...65_535)])
        let provider = try await settings.read()
        #expect(ConfigReader(provider: provider).int(forKey: "port") == 8_443)
        try FileManager.default.removeItem(at: file)
        #expect(await Self.refusal(settings) == nil)
    }

    @Test func aNamedFileMustBeThere() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "none-\(UUID().uuidString).json").path
        let refusal = await Self.refusal(ServiceSettings(named: path, usual: "/nonexistent", members: [:]))
        #expect(refusal?.contains("\(path) cannot be read") == true)
    }

    @Test(arguments: [
        (#"{"prot": 1}"#, "\"prot\" (did you mean \"port\"?)"), ("[]", "must be one JSON object"),
        (#"{"port": [[1]]}"#, "\"port\" must be a whole number"),
    ])
    func aFileThatIsNotOfSettingsIsRefusedByName(text: String, reason: String) async throws {
        let file = try Self.file(text)
        defer { try? FileManager.default.removeItem(at: file) }
        for settings in [
            ServiceSettings(named: file.path, usual: "/nonexistent", members: ["port": .number(0...65_535)]),
            ServiceSettings(named: nil, usual: file.path, members: ["port": .number(0...65_535)]),
        ] {
            let refusal = await Self.refusal(settings) ?? ""
            #expect(refusal.contains(file.path) && refusal.contains(reason), "\(refusal)")
        }
    }

    /// Red where a value of another type was passed over: the service started with its default.
    @Test(arguments: [
        (#""port": 28555.5"#, "\"port\" must be a whole number from 0 to 65535, without quotes, not 28555.5"),
        (#""port": "28555""#, "not \"28555\""), (#""port": 70000"#, "not 70000"), (#""port": null"#, "not null"),
        (#""names": "a, b""#, "\"names\" must be a list of texts, such as [\"a\"], not \"a, b\""),
        (#""names": [1, 2]"#, "not [1, 2]"), (#""names": {"a": 1}"#, "not an object"),
        (#""isOpen": "yes""#, "\"isOpen\" must be true or false, without quotes, not \"yes\""),
        (#""isOpen": 1"#, "not 1"), (#""host": 5"#, "\"host\" must be text in quotes, not 5"),
        (#""host": true"#, "not true"),
        (#""log": {"level": "loud"}"#, "\"log.level\" must be one of \"info\", \"error\""),
        (#""log.level": 5"#, "\"log.level\" must be one of"),
        (#""host": [], "port": []"#, "values that cannot be used"),
        (#""host": """#, "\"host\" must be text in quotes, not \"\" (leave it out for the default)"),
        (#""names": [""]"#, "\"names\" must be a list of texts"),
    ])
    func aValueOfAnotherTypeIsRefused(member: String, reason: String) async throws {
        let file = try Self.file("{\(member)}")
        defer { try? FileManager.default.removeItem(at: file) }
        let refusal = await Self.refusal(Self.settings(file)) ?? ""
        #expect(refusal.contains(file.path) && refusal.contains(reason), "\(refusal)")
    }

    @Test func valuesOfTheirTypesAreTaken() async throws {
        let file = try Self.file(
            #"{"port": 0, "names": [], "isOpen": false, "host": "::1", "log": {"level": "error"}}"#)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(await Self.refusal(Self.settings(file)) == nil)
    }

    /// Red where an unknown word was taken as false, and another number's text as none: the service began with its default.
    @Test(arguments: [
        ("T_IS_OPEN", "maybe", "T_IS_OPEN must be true, yes or 1, or false, no or 0, not \"maybe\""),
        ("T_IS_OPEN", "", "not \"\""),
        ("T_PORT", "28555.5", "T_PORT must be a whole number from 0 to 65535, not \"28555.5\""),
        ("T_PORT", "70000", "not \"70000\""), ("T_PORT", "", "not \"\""),
        ("T_LOG_LEVEL", "loud", "T_LOG_LEVEL must be one of info, error, not \"loud\""),
        ("T_WAIT", "90", "T_WAIT must be a number and s, not \"90\" (90 of what?)"),
        ("T_HOST", "", "T_HOST must be text, not \"\" (leave it out for the default)"),
        ("T_NAMES", "", "T_NAMES must be texts with commas between them, such as a, not \"\""),
        ("T_NAMES", "a,,b", "not \"a,,b\""),
    ])
    func aVariablesTextOfAnotherTypeIsRefused(name: String, text: String, reason: String) throws {
        let refusal = try #require(Self.refusal(ofVariables: [name: text]))
        #expect(refusal.hasPrefix("The environment has a value that cannot be used: \(name)"), "\(refusal)")
        #expect(refusal.contains(reason), "\(refusal)")
    }

    @Test(arguments: [
        ["T_IS_OPEN": "true"], ["T_IS_OPEN": "YES"], ["T_IS_OPEN": "1"], ["T_IS_OPEN": "False"], ["T_IS_OPEN": "no"],
        ["T_IS_OPEN": "0"], ["T_PORT": "28555", "T_NAMES": "a, b", "T_HOST": "true"],
        ["T_LOG_LEVEL": "error", "T_WAIT": "90s"], ["T_OTHER": "anything", "IS_OPEN": "maybe"],
    ])
    func variablesOfTheirTypesAreTaken(variables: [String: String]) {
        #expect(Self.refusal(ofVariables: variables) == nil)
    }

    /// Red where a misspelled variable had no effect, and nothing was said.
    @Test func aVariableWithNearlyTheNameOfAnotherIsRefused() throws {
        let names = ["T_PROT", "T_HOSTS", "T_PORT", "T_LOG_LEVEL", "PATH"]
        let refusal = #expect(throws: ServiceSettings.Refusal.self) { try Self.unknown(names) }
        let sentence = try #require(refusal).sentence
        #expect(sentence.contains("T_HOSTS (did you mean T_HOST?), T_PROT (did you mean T_PORT?)"), "\(sentence)")
        #expect(sentence.hasPrefix("The environment has variables that are not known: "), "\(sentence)")
    }

    /// What is near no setting is told to the caller alone; other programs' variables are passed over.
    @Test func aVariableThatIsNearNoneIsReported() throws {
        let names = ["T_PORT", "T_ZEBRA", "T_CONFIG", "T_ELSE_PORT", "T_LOG_LEVEL", "HOME", "TT_PORT"]
        let unknown = try Self.unknown(names)
        #expect(unknown == ["T_ZEBRA"])
    }

    private static func unknown(_ names: [String]) throws -> [String] {
        try settings(URL(fileURLWithPath: "/nonexistent")).checkNames(
            names, readBy: provider([:]), prefix: "T_", further: ["CONFIG"], foreign: ["T_ELSE_"])
    }

    /// An option is refused by the rule of its setting, with the option's name.
    @Test func anOptionsTextOfAnotherTypeIsRefused() throws {
        let options = [
            ServiceSettings.GivenOption("--port", "port", "70000"),
            ServiceSettings.GivenOption("--host", "host", "::1"),
            ServiceSettings.GivenOption("--name", "names", ""), ServiceSettings.GivenOption("--name", "names", "a,"),
        ]
        let settings = Self.settings(URL(fileURLWithPath: "/nonexistent"))
        let refusal = #expect(throws: ServiceSettings.Refusal.self) { try settings.check(options) }
        let sentence = try #require(refusal).sentence
        #expect(sentence.hasPrefix("The command line has values that cannot be used: --port must be "), "\(sentence)")
        #expect(sentence.contains("not \"70000\"; --name must be text, such as a, not \"\". Correct"), "\(sentence)")
        #expect(!sentence.contains("--host"), "\(sentence)")
    }

    /// What a variable says is what the reader reads: no word is taken as another, or passed over.
    @Test(arguments: ["true", "Yes", "1", "false", "no", "0", "on", "off", "y", "2", " true"])
    func theWordsOfAFlagAreThoseThatAreRead(text: String) {
        let isTaken = Self.refusal(ofVariables: ["T_IS_OPEN": text]) == nil
        #expect(isTaken == (ConfigReader(provider: Self.provider(["T_IS_OPEN": text])).bool(forKey: "isOpen") != nil))
    }

    private static func provider(_ variables: [String: String]) -> some ConfigProvider {
        EnvironmentVariablesProvider(environmentVariables: variables).prefixKeys(with: "t")
    }

    private static func refusal(ofVariables variables: [String: String]) -> String? {
        do throws(ServiceSettings.Refusal) {
            try settings(URL(fileURLWithPath: "/nonexistent")).check(provider(variables))
            return nil
        } catch {
            return error.sentence
        }
    }

    private static func settings(_ file: URL) -> ServiceSettings {
        ServiceSettings(
            named: file.path, usual: "/nonexistent",
            members: [
                "port": .number(0...65_535), "names": .texts("a"), "isOpen": .flag, "host": .text,
                "log.level": .word(["info", "error"]),
                "wait": ServiceSettings.Member(
                    "a number and s in quotes", variable: "a number and s",
                    takes: { value in value.string?.hasSuffix("s") ?? false },
                    advice: { value in value.string.map { "\($0) of what?" } }),
            ])
    }
}
