import Configuration
import Foundation
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

    private static func settings(_ file: URL) -> ServiceSettings {
        ServiceSettings(
            named: file.path, usual: "/nonexistent",
            members: [
                "port": .number(0...65_535), "names": .texts("a"), "isOpen": .flag, "host": .text,
                "log.level": .word(["info", "error"]),
            ])
    }
}
