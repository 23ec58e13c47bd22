import AdminMessages
import ArgumentParser
import Foundation
import InputBounds

/// The command `martlet configuration show`.
struct ConfigurationShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print a configuration as a property list.",
        discussion: "With --json it is printed as JSON, which has no form for dates and data.")

    @OptionGroup var configuration: ConfigurationName

    @Option(help: ArgumentHelp("An earlier version instead of the newest.", valueName: "version"))
    var at: Int?

    @Flag(help: "Print it as JSON.")
    var json = false

    func run() async throws {
        let path = configuration.path + (at.map { ["versions", "\($0)"] } ?? [])
        let bytes = try await Server.inSession { try await $0.send(.get, path).body }
        do {
            // XML is printed exactly as it is stored; the binary form no terminal can show.
            if !json, try PropertyListScan.check(bytes, limits: .configuration) == .xml {
                Terminal.write(bytes)
                return
            }
            let value = try PropertyListValue(parsing: bytes, limits: .configuration)
            Terminal.write(json ? try Self.pretty(JSONValue(propertyList: value)) : value.xml())
        } catch let error as InputRefusal {
            throw Failure(.failed, error.rule, advice: json ? "Leave out --json to see the property list." : nil)
        }
    }

    /// As every other command prints JSON.
    private static func pretty(_ value: JSONValue) throws -> Data {
        try AdminJSON.encodePretty(AdminJSON.decode(JSON.self, from: value.encoded())) + Data("\n".utf8)
    }
}
