import AdminMessages
import Foundation
import Hummingbird
import Management

/// Devices that enroll by themselves, because they are expected.
struct ExpectedDeviceRoutes: Sendable {
    private static let one = "/expected-devices/{serialNumber}"

    let management: Management

    var routes: [AdminRoute] {
        [
            AdminRoute(
                method: .get, path: "/expected-devices", operation: "listExpectedDevices",
                summary: "The devices that are expected or came, by serial number.", query: QueryParameter.paging,
                answer: .json(.page(of: "ExpectedDevice")), service: .session(list)),
            AdminRoute(
                method: .get, path: Self.one, operation: "showExpectedDevice", summary: "One device that is expected.",
                answer: .json(.named("ExpectedDevice")), service: .session(show)),
            AdminRoute(
                method: .post, path: "/expected-devices/import", operation: "importExpectedDevices",
                summary: """
                    Expect all devices of a table, or none of them when a line is refused. The columns are serialNumber and, if need \
                    be, group and chip; a table without a header is serial numbers, one in a line. Devices that came stay as they are, \
                    and so does what the table does not mention of those that are expected already.
                    """,
                query: [
                    QueryParameter(
                        name: "group", schema: .string, summary: "The group of devices whose line names none."),
                    QueryParameter(
                        name: "trustSerialNumber", schema: .boolean,
                        summary:
                            "Lets in the first device that says a number without a chip beside it; false if left out."),
                    QueryParameter(
                        name: "awaitConfiguration", schema: .boolean,
                        summary: """
                            Has the devices wait in their setup until everything is there, or not. If left out, those that are \
                            expected already stay as they are, and new ones do not wait.
                            """),
                    QueryParameter(
                        name: "replace", schema: .boolean,
                        summary: """
                            Lets the table change the group, chip or setup of devices that are expected already. If false or left \
                            out, a table that would change them is refused.
                            """),
                ], body: .table, answer: .json(.named("ExpectedDevicesAnswer")), service: .session(bring)),
            AdminRoute(
                method: .put, path: Self.one, operation: "expectDevice",
                summary: """
                    Let the device with this serial number enroll once, without a code. A role that may not give secrets \
                    cannot expect a device in a group that gives one.
                    """,
                body: .json(.named("ExpectedDeviceRequest")), status: .noContent, service: .session(expect)),
            AdminRoute(
                method: .delete, path: Self.one, operation: "unexpectDevice",
                summary: "Stop expecting the device. If it has enrolled already, it stays enrolled.",
                status: .noContent,
                service: .session(remove)),
        ]
    }

    private func list(_ call: AdminCall) async throws -> Response {
        try AdminAnswer.page(await management.expectedDevices(call.page()), AdminMessages.ExpectedDevice.init)
    }

    private func show(_ call: AdminCall) async throws -> Response {
        guard let device = try await management.expectedDevice(serialNumber: call.parameter("serialNumber")) else {
            throw HTTPProblem(.unknownExpectedDevice)
        }
        return try AdminAnswer.json(AdminMessages.ExpectedDevice(device))
    }

    private func expect(_ call: AdminCall) async throws -> Response {
        let wish = try await call.json(ExpectedDeviceRequest.self)
        let device = try Self.device(call.parameter("serialNumber"), wish, call)
        try await management.expect([device]).check()
        return AdminAnswer.nothing
    }

    private func bring(_ call: AdminCall) async throws -> Response {
        let defaults = ExpectedDeviceDefaults(
            group: call.query("group"), trustsSerialNumbers: try call.flag("trustSerialNumber"),
            awaitsConfiguration: try call.query("awaitConfiguration") == nil ? nil : call.flag("awaitConfiguration"),
            replaces: try call.flag("replace"), reachesSecrets: call.mayManage)
        let table = try await call.request.bytes(upTo: call.limits.tableBytes)
        let change = try await management.importExpectedDevices(
            table, defaults, author: call.session.administrator
        ).get()
        return try AdminAnswer.json(
            ExpectedDevicesAnswer(
                added: change.added, changed: change.changed, unchanged: change.unchanged, came: change.came))
    }

    private static func device(
        _ serialNumber: String, _ wish: ExpectedDeviceRequest, _ call: AdminCall
    ) throws(HTTPProblem) -> ExpectedDeviceRecord {
        guard (wish.chip == nil) == (wish.trustSerialNumber == true) else {
            throw HTTPProblem(
                .unprocessableContent, "invalid",
                "A device is known by its chip, or the serial number alone is trusted: say one of both.")
        }
        let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        return ExpectedDeviceRecord(
            serialNumber: serialNumber, group: wish.group, chip: try wish.chip.map(digest),
            awaitsConfiguration: wish.awaitConfiguration == true, author: call.session.administrator, created: now,
            reachesSecrets: call.mayManage)
    }

    private static func digest(_ text: String) throws(HTTPProblem) -> Data {
        guard let digest = ExpectedDeviceRecord.chip(text) else {
            throw HTTPProblem(.unprocessableContent, "invalid", ExpectedDeviceRecord.chipRule)
        }
        return digest
    }

    private func remove(_ call: AdminCall) async throws -> Response {
        try await management.removeExpectedDevice(
            serialNumber: call.parameter("serialNumber"), author: call.session.administrator
        ).check()
        return AdminAnswer.nothing
    }
}

extension AdminMessages.ExpectedDevice {
    fileprivate init(_ device: ExpectedDeviceRecord) {
        self.init(
            serialNumber: device.serialNumber, group: device.group, chip: device.chip.map(Hexadecimal.text),
            awaitConfiguration: device.awaitsConfiguration ? true : nil, created: device.created, used: device.used)
    }
}
