package import InputBounds

/// The command that changes settings; of Apple's items, those about apps that are managed by command.
package struct AppSettings: Hashable, Sendable {
    package static let requestType = "Settings"

    package enum Item: Hashable, Sendable {
        /// What an app has as its configuration from now on; nothing takes it away.
        case configuration(app: String, PropertyListValue?)
        /// The same of its attributes.
        case attributes(app: String, PropertyListValue?)
        /// An item that is about something else, by its name.
        case other(String)

        /// The item's name on the wire.
        package var name: String {
            switch self {
            case .configuration: "ApplicationConfiguration"
            case .attributes: "ApplicationAttributes"
            case .other(let name): name
            }
        }

        /// The app that it is about.
        package var app: String? {
            switch self {
            case .configuration(let app, _), .attributes(let app, _): app
            case .other: nil
            }
        }
    }

    package let items: [Item]

    package init(items: [Item]) { self.items = items }

    /// Reads the request of a command; one item that cannot be read refuses the whole.
    package init(_ request: PropertyListValue) throws(InputRefusal) {
        let values = try MessageFields(request).array("Settings")
        guard !values.isEmpty, values.count <= AppCommandBounds.most else {
            throw InputRefusal(
                "the key Settings holds 1 to \(AppCommandBounds.most) items, and this holds \(values.count)")
        }
        var items: [Item] = []
        for value in values { items.append(try Self.item(value)) }
        self.items = items
    }

    private static func item(_ value: PropertyListValue) throws(InputRefusal) -> Item {
        let fields = try MessageFields(value)
        switch try fields.string("Item", limit: 128) {
        case "ApplicationConfiguration":
            return .configuration(
                app: try fields.appIdentifier("Identifier"), try fields.boundedDictionaryIfPresent("Configuration"))
        case "ApplicationAttributes":
            return .attributes(
                app: try fields.appIdentifier("Identifier"), try fields.boundedDictionaryIfPresent("Attributes"))
        case let name: return .other(name)
        }
    }

    /// The request of the command, its type included; of other items only their names.
    package var request: PropertyListValue {
        var entries = MessageEntries()
        entries.set("RequestType", Self.requestType)
        entries.set("Settings", PropertyListValue.array(items.map(Self.value)))
        return entries.value
    }

    private static func value(_ item: Item) -> PropertyListValue {
        var entries = MessageEntries()
        entries.set("Item", item.name)
        entries.set("Identifier", item.app)
        switch item {
        case .configuration(_, let configuration): entries.set("Configuration", configuration)
        case .attributes(_, let attributes): entries.set("Attributes", attributes)
        case .other: break
        }
        return entries.value
    }
}
