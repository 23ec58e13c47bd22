package import AdminMessages
import ArgumentParser

/// The command `martlet device list`.
struct DeviceList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the devices.",
        discussion: """
            REFUSES counts the configurations that the device's apps and extensions refuse: `martlet device show` \
            lists the reasons. HEALTH is the first of these that applies: an app refuses a configuration; an app needs \
            attention; the device was not seen for a week; a change is under way; it is up to date. LAST \
            SEEN is when the device last asked for something, or when its wake-up channel last carried a heartbeat, \
            which is once a minute; after a crash of the server it can be up to an hour too early. With several options \
            it lists the devices that match all of them.
            """)

    @Option(help: "Only those in this state: enrolling, enrolled, checkedOut or withdrawn.")
    var state: ListedState?

    @Flag(help: "Only those on which an app refuses its configuration.")
    var refusing = false

    @Option(
        help: ArgumentHelp(
            "Only devices that were not seen for so long, such as 1d or 12h; enrolled ones without --state.",
            valueName: "duration"))
    var notSeenFor: TimeSpan?

    @OptionGroup var output: Output

    @OptionGroup var watch: Watching

    /// A state as the API calls it.
    enum ListedState: String, ExpressibleByArgument {
        case enrolling
        case enrolled
        case checkedOut
        case withdrawn

        private static let all: [ListedState] = [.enrolling, .enrolled, .checkedOut, .withdrawn]

        /// A state however its letters are written.
        init?(argument: String) {
            let wanted = argument.lowercased()
            guard let state = Self.all.first(where: { $0.rawValue.lowercased() == wanted }) else { return nil }
            self = state
        }
    }

    /// What the API is asked for.
    var query: [(String, String)] {
        var query: [(String, String)] = []
        if let state { query.append(("state", state.rawValue)) }
        if refusing { query.append(("refusing", "true")) }
        if let notSeenFor { query.append(("notSeenFor", "\(notSeenFor.seconds)")) }
        return query
    }

    func run() async throws {
        let query = query
        try await watch.list(
            { try await $0.list("devices", query: query) as [DeviceSummary] }, id: \.id, show: show)
    }

    private func show(_ devices: [DeviceSummary]) throws {
        let nothing =
            query.isEmpty
            ? "No devices yet: martlet enrollment-code create --group <group>" : "No device is like this."
        try output.print(devices, nothing: nothing) { DeviceListText.table(devices) }
    }
}

/// Devices as people read them, a line each.
package enum DeviceListText {
    package static func table(_ devices: [DeviceSummary]) -> Table {
        var table = Table(
            "DEVICE", "NAME", "STATE", "HEALTH", "SYNCHRONIZED", "REFUSES", "GROUPS", "PERSON", "OWNERSHIP", "LAST SEEN"
        )
        for device in devices {
            table.add(
                device.id, device.name, device.state.rawValue, device.health?.rawValue,
                device.synchronised ? "yes" : "no", device.refusals.map { $0 == 0 ? "" : "\($0)" },
                device.groups.joined(separator: ", "), device.person, device.ownership.rawValue,
                device.lastSeen?.shown)
        }
        return table
    }
}
