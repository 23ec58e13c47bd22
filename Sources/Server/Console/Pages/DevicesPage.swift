import AdminMessages

/// The devices, and which of them to look at.
enum DevicesPage {
    static let routes = [ConsoleRoute(.get, "/devices", serve: show)]

    private static func show(_ call: ConsoleCall) async throws -> ConsoleAnswer {
        let query = ["group", "serialNumber", "cursor"].compactMap { name in call.query(name).map { (name, $0) } }
        let devices: Page<DeviceSummary> = try await call.door.get(RequestPath.text(["devices"], query: query))
        let filters = Filters.html(
            of: ["devices"],
            [
                Field("group", "Group", value: call.query("group") ?? "").line,
                Field("serialNumber", "Serial number", value: call.query("serialNumber") ?? "").line,
            ])
        let isNarrowed = call.query("group") != nil || call.query("serialNumber") != nil
        let enrol: HTML? = call.may(.help) ? Link.ifPage("Enrol a device", ["enrollment"]) : nil
        let code: HTML =
            call.may(.help) ? Link.html("make one", ["enrollment"]) : "whoever helps with devices makes one"
        let content: HTML
        if devices.items.isEmpty {
            content =
                isNarrowed
                ? EmptyState.html("No device is like this", "Change the filters, or show all.")
                : EmptyState.html(
                    "No device has enrolled yet",
                    "A device enrols with a code: \(code), or use <code>martlet enrollment-code create</code>.")
        } else {
            content = "\(table(devices.items, call))\(Pager.html(next: devices.next, in: ["devices"], call))"
        }
        return call.page("Devices", in: .devices, aside: enrol ?? .empty, "\(filters)\(content)")
    }

    private static func table(_ devices: [DeviceSummary], _ call: ConsoleCall) -> HTML {
        Table(
            caption: "Devices", columns: ["Device", "State", "Groups", "Person", "Last seen"],
            rows: devices.map { device in
                [
                    Link.html(device.name ?? device.id, ["devices", device.id]), DeviceState.badge(device).html,
                    "\(device.groups.joined(separator: ", "))", "\(device.person ?? "")",
                    device.lastSeen.map { Moment.html($0, now: call.request.now) }
                        ?? "<span class=\"muted\">never</span>",
                ]
            }
        ).html
    }
}

extension DeviceState {
    /// Where a device stands, and whether it has what it should.
    static func badge(_ device: DeviceSummary) -> Badge {
        device.state.badge(synchronised: device.synchronised)
    }

    func badge(synchronised: Bool) -> Badge {
        switch self {
        case .enrolled: synchronised ? Badge(.good, "Up to date") : Badge(.busy, "Change under way")
        case .enrolling: Badge(.busy, "Enrolling")
        case .checkedOut: Badge(.plain, "Left by itself")
        case .withdrawn: Badge(.plain, "Withdrawn")
        default: Badge(.plain, rawValue)
        }
    }

    /// The word in a sentence.
    func meaning(synchronised: Bool) -> String? {
        switch self {
        case .enrolled:
            synchronised
                ? "It has reported that it has exactly what it should have."
                : "It has not yet reported that it has what it should have now."
        case .enrolling: "It has begun to enrol and has not finished."
        case .checkedOut: "It has left the management."
        case .withdrawn: "An administrator has withdrawn it: it gets nothing any more."
        default: nil
        }
    }
}
