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
        let settings = ServiceSettings(named: nil, usual: file.path, known: ["port"])
        let provider = try await settings.read()
        #expect(ConfigReader(provider: provider).int(forKey: "port") == 8_443)
        try FileManager.default.removeItem(at: file)
        #expect(await Self.refusal(settings) == nil)
    }

    @Test func aNamedFileMustBeThere() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "none-\(UUID().uuidString).json").path
        let refusal = await Self.refusal(ServiceSettings(named: path, usual: "/nonexistent", known: []))
        #expect(refusal?.contains("\(path) cannot be read") == true)
    }

    @Test(arguments: [
        (#"{"prot": 1}"#, "\"prot\" (did you mean \"port\"?)"), ("[]", "must be one JSON object"),
        (#"{"port": [[1]]}"#, "has a value that is no text"),
    ])
    func aFileThatIsNotOfSettingsIsRefusedByName(text: String, reason: String) async throws {
        let file = try Self.file(text)
        defer { try? FileManager.default.removeItem(at: file) }
        for settings in [
            ServiceSettings(named: file.path, usual: "/nonexistent", known: ["port"]),
            ServiceSettings(named: nil, usual: file.path, known: ["port"]),
        ] {
            let refusal = await Self.refusal(settings) ?? ""
            #expect(refusal.contains(file.path) && refusal.contains(reason), "\(refusal)")
        }
    }
}
