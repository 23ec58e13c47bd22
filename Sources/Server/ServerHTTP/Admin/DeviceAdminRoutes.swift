import AdminMessages
import DeviceMessages
import Foundation
import HTTPTypes
import Hummingbird
import InputBounds
import Management

/// Devices: what is known of them, their groups, and the end of their enrollment.
struct DeviceAdminRoutes: Sendable {
    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/devices", operation: "listDevices",
                summary: """
                    The enrollments. `lastSeen` is when the device last asked for something, or when its wake-up channel last \
                    carried a heartbeat; after a crash of the server it can be up to an hour too early, until the device is \
                    seen again.
                    """,
                query: QueryParameter.paging + Self.filters,
                answer: .json(.page(of: "DeviceSummary")), service: .session(list)),
            AdminRoute(
                method: .get, path: "/devices/{device}", operation: "showDevice",
                summary: "One enrollment, with what each app reported and why.",
                answer: .json(.named("DeviceDetail")), service: .session(show)),
            AdminRoute(
                method: .delete, path: "/devices/{device}", operation: "withdrawDevice",
                summary: "End the enrollment: the server no longer recognizes the device.", status: .noContent,
                service: .session(withdraw)),
            AdminRoute(
                method: .post, path: "/devices/{device}/sign-out", operation: "signOutDevice",
                summary: """
                    Have the person of a device that came by an account sign in again: until then the device gets nothing new, and \
                    keeps what it has.
                    """,
                status: .noContent, service: .session(signOut)),
            AdminRoute(
                method: .put, path: "/devices/{device}/groups/{group}", operation: "addDeviceToGroup",
                summary: "Put the device into a group.",
                query: [
                    QueryParameter(
                        name: "force", schema: .boolean,
                        summary: "Do so although an app on the device refuses what the group gives it."),
                    QueryParameter(
                        name: "dryRun", schema: .boolean, summary: "Only says what would be said; false without it."),
                ], answer: .json(.named("Membership")), service: .session(addToGroup)),
            AdminRoute(
                method: .delete, path: "/devices/{device}/groups/{group}", operation: "removeDeviceFromGroup",
                summary: "Take the device out of a group.", status: .noContent, service: .session(removeFromGroup)),
            AdminRoute(
                method: .get, path: "/devices/{device}/status", operation: "listDeviceStatus",
                summary: "The newest value of each status item.",
                query: QueryParameter.cutting + [
                    QueryParameter(
                        name: "name", schema: .string,
                        summary: "Only this item, with its value whatever its size.")
                ],
                answer: .json(.page(of: "StatusItem")),
                service: .session(status)),
            AdminRoute(
                method: .get, path: "/devices/{device}/history", operation: "listDeviceHistory",
                summary: """
                    What became of what the device is given, newest first: `device.tell` it acknowledged that there is something \
                    else for it, `device.fetch` it fetched the list, `device.hold` it reported that it holds a version of a \
                    configuration, `device.settle` all that it is given, `device.refuse` and `device.accept` what its apps said, \
                    `device.replace` a new enrollment took the place of its own, `device.enroll-refuse` another machine asked for that.
                    """,
                query: QueryParameter.paging, answer: .json(.page(of: "DeviceHistoryEntry")),
                service: .session(history)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        var filter = DeviceFilter(
            group: call.query("group"), serialNumber: call.query("serialNumber"), named: call.query("named"))
        filter.state = try call.deviceState()
        filter.isRefusing = try call.flag("refusing")
        let page = try await management.devices(filter, unseenFor: call.unseenSeconds(), call.page())
        let synchronised = try await management.synchronised(page.items)
        return try AdminAnswer.page(page) { device in
            DeviceSummary(
                id: device.id, name: device.facts.deviceName, kind: .init(rawValue: device.kind.rawValue),
                ownership: .init(rawValue: device.ownership.rawValue), supervised: device.supervised,
                groups: device.groups, person: device.person, arrival: .init(rawValue: device.arrival.kind.rawValue),
                state: device.word, lastSeen: device.lastSeen, synchronised: synchronised.contains(device.id),
                refusals: device.refusals, failingApps: device.failingApps,
                silent: management.isSilent(device) ? true : nil)
        }
    }

    private func show(_ call: AdminCall) async throws -> Response {
        let id = try call.parameter("device")
        guard let device = try await management.device(id) else { throw HTTPProblem(.unknownDevice) }
        return try AdminAnswer.json(await DevicePicture(management: management).detail(of: device))
    }

    private func withdraw(_ call: AdminCall) async throws -> Response {
        try await management.withdraw(call.parameter("device"), author: call.session.administrator).check()
        return AdminAnswer.nothing
    }

    private func signOut(_ call: AdminCall) async throws -> Response {
        try await management.endAccess(of: call.parameter("device"), author: call.session.administrator).check()
        return AdminAnswer.nothing
    }

    private func addToGroup(_ call: AdminCall) async throws -> Response {
        let (device, group) = (try call.parameter("device"), try call.parameter("group"))
        let warnings = try await management.addDevice(
            device, toGroup: group, isForced: call.flag("force"), isDryRun: call.flag("dryRun"),
            author: call.session.administrator
        ).get()
        return try AdminAnswer.json(Membership(device: device, group: group, warnings: warnings))
    }

    private func removeFromGroup(_ call: AdminCall) async throws -> Response {
        try await management.removeDevice(
            call.parameter("device"), fromGroup: call.parameter("group"), author: call.session.administrator
        ).check()
        return AdminAnswer.nothing
    }

    private func status(_ call: AdminCall) async throws -> Response {
        let device = try call.parameter("device")
        if let name = call.query("name") {
            let item = try await management.statusItem(name, of: device).get()
            let items = try item.map { [try message($0.name, $0.value, $0.updated)] } ?? []
            return try AdminAnswer.json(AdminMessages.Page(items: items, next: nil))
        }
        let isCut = call.query("limit") != nil || call.query("cursor") != nil
        let page = isCut ? try call.page() : PageRequest(limit: PageRequest.largest)
        return try AdminAnswer.page(try await management.status(of: device, page).get()) { item in
            guard let value = item.value else {
                return AdminMessages.StatusItem(
                    name: item.name, value: .null, size: item.size, reported: item.updated)
            }
            return try message(item.name, value, item.updated)
        }
    }

    private func message(_ name: String, _ value: Data, _ reported: Date) throws -> AdminMessages.StatusItem {
        AdminMessages.StatusItem(
            name: name, value: JSON(try JSONValue(parsing: value, limits: StatusLimits.kept)), reported: reported)
    }
}

extension DeviceAdminRoutes {
    private func history(_ call: AdminCall) async throws -> Response {
        let page = try await management.history(of: call.parameter("device"), call.page()).get()
        return try AdminAnswer.page(page) { entry in
            AdminMessages.DeviceHistoryEntry(
                kind: entry.kind.rawValue, time: entry.time, token: entry.token, app: entry.app,
                configuration: entry.configuration, version: entry.version)
        }
    }
}

extension DeviceRecord {
    var word: DeviceState {
        switch state {
        case .pending: .enrolling
        case .enrolled: .enrolled
        case .checkedOut: .checkedOut
        case .withdrawn: .withdrawn
        }
    }
}
