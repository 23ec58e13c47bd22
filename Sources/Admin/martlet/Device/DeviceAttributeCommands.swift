import AdminMessages
import ArgumentParser

/// The command `martlet device attributes …`.
struct DeviceAttributeCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attributes", abstract: "What you say of devices: a location, an asset tag, keys of your own.",
        discussion: """
            Each attribute is a variable in configurations, such as ${device.attributes.location}, and may stand in rules of \
            groups: device.attributes.location = Lobby.
            """,
        subcommands: [
            DeviceAttributesShow.self, DeviceAttributesSet.self, DeviceAttributesRemove.self,
            DeviceAttributesImport.self,
        ], defaultSubcommand: DeviceAttributesShow.self)

    static func text(_ answer: DeviceAttributes) -> String {
        var facts = Facts()
        for (key, value) in answer.attributes.sorted(by: { $0.key < $1.key }) { facts.add(key, value) }
        return answer.attributes.isEmpty ? "The device has no attributes." : facts.text
    }
}

/// The command `martlet device attributes show`.
struct DeviceAttributesShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a device's attributes.")

    @OptionGroup var device: DeviceArgument

    @OptionGroup var output: Output

    func run() async throws {
        let answer: DeviceAttributes = try await Server.inSession { server in
            try await server.get("devices", device.id(server), "attributes")
        }
        try output.print(answer) { DeviceAttributeCommands.text(answer) }
    }
}

/// The command `martlet device attributes set`.
struct DeviceAttributesSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set attributes of a device.",
        discussion: "Those that are not named stay as they are, or are removed with --replace.")

    @OptionGroup var device: DeviceArgument

    @Argument(help: ArgumentHelp("Such as location='Room 12' assetTag=4711.", valueName: "key=value"))
    var attributes: [String]

    @Flag(help: "Remove every attribute that is not named.")
    var replace = false

    @OptionGroup var condition: IfSame

    @OptionGroup var output: Output

    func validate() throws { _ = try named() }

    func run() async throws {
        let named = try named()
        let answer: DeviceAttributes = try await Server.inSession { server in
            let place = ["devices", try await device.id(server), "attributes"]
            let headers = try await server.headers(condition, place, as: DeviceAttributes.self)
            guard !replace else {
                let all = try Server.Body(json: DeviceAttributes(attributes: named))
                return try await server.send(.put, place, body: all, headers: headers).decoded()
            }
            let patch = DeviceAttributesPatch(attributes: named.mapValues { .becomes($0) })
            return try await server.send(.patch, place, body: .init(patch: patch), headers: headers).decoded()
        }
        try output.print(answer) { DeviceAttributeCommands.text(answer) }
    }

    private func named() throws -> [String: String] {
        var named: [String: String] = [:]
        for text in attributes {
            guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "=")), mark > text.startIndex else {
                throw ValidationError("an attribute is given as key=value, such as location=Lobby")
            }
            let key = String(text[..<mark])
            guard named.updateValue(String(text[text.utf8.index(after: mark)...]), forKey: key) == nil else {
                throw ValidationError("each key is given once")
            }
        }
        return named
    }
}

/// The command `martlet device attributes remove`.
struct DeviceAttributesRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove attributes of a device.",
        discussion: "A configuration with a variable that has no value any more is withheld from the device.")

    @OptionGroup var device: DeviceArgument

    @Argument(help: "The keys.")
    var keys: [String]

    @OptionGroup var condition: IfSame

    @OptionGroup var output: Output

    func run() async throws {
        let answer: DeviceAttributes = try await Server.inSession { server in
            let place = ["devices", try await device.id(server), "attributes"]
            let headers = try await server.headers(condition, place, as: DeviceAttributes.self)
            let patch = DeviceAttributesPatch(
                attributes: keys.reduce(into: [:]) { patch, key in patch[key] = Patched<String>.goes })
            return try await server.send(.patch, place, body: .init(patch: patch), headers: headers).decoded()
        }
        try output.print(answer) { DeviceAttributeCommands.text(answer) }
    }
}

/// The command `martlet device attributes import`.
struct DeviceAttributesImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Set attributes of all devices of a table, or of none when a line is refused.",
        discussion: """
            The file holds comma-separated values in UTF-8, at most 2,000 devices. Its first line names the columns: device, \
            which has IDs or serial numbers, and an attribute each. What has no column or an empty field stays as it was; \
            --remove-empty has empty fields remove it. Devices that are not in the file stay as they are. The server \
            refuses a name that is the ID of one device and the serial number of another: write id:ID or serial:NUMBER.
            """)

    @OptionGroup var table: TableImport

    @OptionGroup var output: Output

    func run() async throws {
        let answer: AttributesImportAnswer = try await table.send(to: "device-attributes")
        try output.print(answer) {
            "\(answer.dryRun ? "Would change" : "Changed") \(answer.changed); "
                + TableImport.text(unchanged: answer.unchanged)
        }
    }
}
